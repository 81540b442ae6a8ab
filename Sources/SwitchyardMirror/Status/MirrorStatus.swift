public import Foundation
public import SwitchyardCore

/// What a mirrored store is doing, and what it waits for.
public struct MirrorStatus: Sendable {
    /// What the mirror does now.
    public enum Phase: String, Sendable, Hashable, Codable {
        /// It has not exchanged anything since it was opened.
        case opened
        /// It exchanges with the server.
        case exchanging
        /// Everything is sent and applied, as far as is known.
        case upToDate
        /// The last exchange failed; `problem` says why, and the next one is due by a timer.
        case waiting
        /// The membership of the household has ended; the rows were removed, and nothing is exchanged any more.
        case ended
    }

    /// What the mirror does now.
    public internal(set) var phase = Phase.opened
    /// The number of rows that the exchange under way has received; they are shown when the last one is there.
    public internal(set) var received = 0
    /// Why the last exchange failed; nil if it did not.
    public internal(set) var problem: StoreError?
    package var counts = MirrorCounts()

    package init() {}

    /// The number of local writes without the server's decision.
    public var pending: Int { counts.pending }
    /// The number of local writes that the server has rejected, and that are kept until somebody decides.
    public var rejected: Int { counts.rejected }
    /// The number of entries in the log of values that a merge did not keep.
    public var conflicts: Int { counts.conflicts }
    /// When something was exchanged last, by any process; nil for never.
    public var lastExchange: Date? { counts.lastExchange }
    /// What is known of the household; nil for a server that is reached without one.
    public var membership: Membership? { counts.membership }
}

/// What a store holds of its mirror.
package struct MirrorCounts: Sendable, Hashable {
    package var pending = 0
    package var rejected = 0
    package var conflicts = 0
    package var lastExchange: Date?
    package var membership: Membership?

    package init() {}

    /// Counts the records.
    ///
    /// - Throws: As a read.
    package init(_ transaction: ReadTransaction) throws {
        let records = MirrorRecords(transaction)
        pending = try records.count(.pending)
        // What has not been sealed yet waits, too.
        if let sealed = try transaction.historyToken(ofConsumer: MirrorRole.consumer) {
            try transaction.forEachTransaction(after: sealed) { if $0.isToBeSent { pending += 1 } }
        }
        rejected = try records.count(.quarantined)
        conflicts = try records.count(.conflict)
        membership = try transaction.membership()
        lastExchange = try records.all(.exchange, limit: 1).first.map {
            Date(timeIntervalSince1970: Double($0.number) / 1_000_000)
        }
    }
}
