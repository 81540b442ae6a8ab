internal import Foundation
internal import SwitchyardCore

/// The end of the history as a connection knows it that has written it itself, so that it need not be looked up.
///
/// It belongs to the connection on which a store writes, and is used where that is.
package final class HistoryEnd {
    private var known: (start: HistoryRowID, scope: StoreScope?, end: HistoryEndpoint)?
    /// The version of the database once it was committed; nil if it was not.
    private var version: UInt32?
    /// The version of the database in the transaction that is under way.
    private var current: UInt32?

    package init() {}

    /// Begins a transaction, and forgets the end unless the last commit to the database is the one that wrote it.
    ///
    /// - Parameter version: The version of the database, which each commit changes, and one of this connection by one.
    package func begin(version: UInt32?) {
        if version == nil || version != self.version { known = nil }
        (current, self.version) = (version, nil)
    }

    /// Ends a transaction that was committed.
    package func commit() { version = current.map { $0 &+ 1 } }

    /// The end of a history, if it is the one that is known.
    ///
    /// - Parameters:
    ///   - start: The id before the history's first transaction.
    ///   - scope: The scope of the history.
    /// - Returns: The end; nil if it has to be looked up.
    func endpoint(after start: HistoryRowID, in scope: StoreScope?) -> HistoryEndpoint? {
        guard let known, known.start == start, known.scope == scope else { return nil }
        return known.end
    }

    /// Notes the transaction that was added last.
    func note(_ end: HistoryEndpoint, after start: HistoryRowID, in scope: StoreScope?) {
        known = (start, scope, end)
    }

    /// Forgets the end, because the rows of a history are changed otherwise, or what was added is rolled back.
    func forget() { known = nil }
}
