internal import Foundation
internal import SwitchyardCore
internal import SwitchyardSQL
internal import Synchronization

/// The channel on which the writers of a store with a history notify its followers.
///
/// A notification makes all commits of a server wait for each other for a moment, so writers send one only if
/// a follower listens. A listener holds an advisory lock, which every writer tries to take. Both belong to
/// sessions, which distributed databases do not have, so stores with scopes use neither.
///
/// Source: PostgreSQL's `PreCommit_Notify`, and its manual, "Advisory Locks".
struct CommitChannel: Sendable {
    /// The name of the channel.
    let name: String
    /// The number of the lock.
    private let key: Int64
    /// The sender, by which a store recognizes its own notifications.
    let sender = UUID().uuidString
    private let unknown = UnknownOutcome()

    /// Whether a commit of the store itself has had an unknown outcome, which only a notification may reveal.
    private final class UnknownOutcome: Sendable {
        let hasOccurred = Atomic(false)
    }

    init(storeID: UUID) {
        name = "switchyard_" + storeID.uuidString.lowercased().replacing("-", with: "")
        key = withUnsafeBytes(of: storeID.uuid) { bytes in
            bytes.loadUnaligned(as: Int64.self) ^ bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self)
        }
    }

    /// The statement that notifies if a follower listens.
    ///
    /// If two writers try to take the lock at once, one notifies needlessly. A writer with the lock delays a
    /// new listener until it has committed, so the listener's first look sees what was written.
    var notification: SQLStatement {
        SQLStatement(
            text: "SELECT pg_catalog.pg_notify($2, $3) WHERE NOT pg_catalog.pg_try_advisory_xact_lock($1)",
            parameters: [
                .value(.int(key), .int), .value(.text(name), .text), .value(.text(sender), .text),
            ])
    }

    /// Records that a commit of the store itself may come later, or has come without its knowledge.
    func noteUnknownOutcome() { unknown.hasOccurred.store(true, ordering: .sequentiallyConsistent) }

    /// Whether a notification may be about a commit that the store has not announced itself.
    func isNews(from sender: String) -> Bool {
        sender != self.sender || unknown.hasOccurred.load(ordering: .sequentiallyConsistent)
    }

    /// The statements with which a session begins to listen.
    var listening: String { "SELECT pg_catalog.pg_advisory_lock_shared(\(key)); LISTEN \"\(name)\"" }
}
