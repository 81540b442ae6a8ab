package import Foundation
package import SwitchyardCore

/// The device's side of a mirror, in one transaction of its store.
package protocol DeviceStorage {
    var schema: Schema { get }

    /// The place in the server's history up to which its changes have been applied; nil before the first time.
    func cursor() throws -> HistoryPosition?
    func setCursor(_ cursor: HistoryPosition) throws

    // MARK: Rows

    /// The rows that there are of some keys.
    func rows(_ keys: some Collection<RowKey>) throws -> [RowKey: [StoredValue]]
    /// The keys of all rows.
    func keys() throws -> [RowKey]
    /// Writes rows as the server has them, and nothing else, as one transaction of the history that is not sealed.
    ///
    /// - Throws: `unique` or `foreignKey` if they do not fit beside the rows that are there.
    func write(_ rows: [RowWrite]) throws
    /// Runs the body in a savepoint.
    ///
    /// - Returns: False if it threw `unique` or `foreignKey`, and everything is as before it.
    func attempt(_ body: () throws -> Void) throws -> Bool

    // MARK: Mutations

    /// The local transactions that have not been sealed yet, the oldest first.
    func unsealed() throws -> [LocalTransaction]
    /// Adds mutations to the outbox, and notes that the transactions up to now are sealed.
    func seal(_ mutations: [Mutation]) throws
    /// The mutations that wait for a verdict, the oldest first.
    func pending() throws -> [Mutation]
    func remove(_ mutations: [UUID]) throws
    func quarantine(_ mutation: UUID, _ reason: Rejection) throws
    /// Sets what the pending mutations have seen of the server.
    func setCursors(_ cursor: (Mutation) -> Int64) throws
    /// Puts an offer before all pending mutations.
    func putFirst(_ offer: Mutation) throws

    // MARK: The server's rows beneath pending changes

    /// The server's rows that are noted beneath pending changes of some rows; a nil row if the server has none.
    func bases(_ keys: some Collection<RowKey>) throws -> [RowKey: [StoredValue]?]
    func setBases(_ rows: [RowKey: [StoredValue]?]) throws
    func removeBases(except keys: Set<RowKey>) throws

    // MARK: Where the device has been

    /// Some of the places, ascending, the more of them the later they are.
    func trail() throws -> [HistoryPosition]
    func extendTrail(_ places: [HistoryPosition]) throws
    /// Forgets all places, so that the device takes all rows.
    func forgetCursor() throws
    /// Forgets the places after a sequence number, and what was received after it.
    func cutTrail(after sequence: Int64) throws
    /// The rows received after a place, each with the number of the server's last transaction that it came with.
    func received(after sequence: Int64) throws -> [RowKey: Int64]
    /// Whether all rows were received at once after a place: those that were deleted before are not known then.
    func hasReceivedAll(after sequence: Int64) throws -> Bool
    /// Notes rows as received; nil for all rows that there are.
    func noteReceived(_ keys: [RowKey]?, upTo sequence: Int64) throws

    /// Notes which devices have inserted rows.
    func noteInserters(of rows: [RowPatch]) throws

    /// Adds to the device's copy of the conflict log.
    func note(_ conflicts: [LoggedConflict]) throws

    // MARK: Pages that wait for the last one

    /// The stage of this process; nil if it has none, or another process has taken it over or removed it.
    func stage() throws -> Stage?
    /// Calls the body with each of its pages, in order.
    func forEachStagedPage(_ body: (StagedPage) throws -> Void) throws
    /// Removes the stages of all processes.
    func clearStages() throws

    // MARK: The end

    /// Removes all rows, and everything that the mirror keeps but the quarantine.
    func removeAll() throws
}

extension DeviceStorage {
    package func noteInserters(of rows: [RowPatch]) throws {}
}

/// A write of this device, as its history tells it.
package struct LocalTransaction: Sendable {
    package let id: UUID
    package let time: Int64
    package let author: String?
    package let undone: UUID?
    package let changes: [LocalChange]

    package init(id: UUID, time: Int64, author: String?, undone: UUID?, changes: [LocalChange]) {
        self.id = id
        self.time = time
        self.author = author
        self.undone = undone
        self.changes = changes
    }
}

/// A row before a local transaction: nil before its insert; otherwise the values that it had, nil where the attribute was
/// not changed or the history does not keep the value.
package struct LocalChange: Sendable {
    package enum Kind: Sendable {
        case insert
        case update(attributes: [Int], before: [StoredValue?])
        case delete(before: [StoredValue?])
    }

    package let key: RowKey
    package let kind: Kind

    package init(_ key: RowKey, _ kind: Kind) {
        self.key = key
        self.kind = kind
    }
}
