internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore
internal import Synchronization

/// Ends work on several connections: when the task that waits for it is cancelled, or a part of it has failed.
final class CancellationFlag: Sendable {
    private let cancellation: Cancellation
    private let isSet = Atomic(false)

    init(_ cancellation: Cancellation) { self.cancellation = cancellation }

    /// Stops the other parts of the work.
    func set() { isSet.store(true, ordering: .relaxed) }

    /// Throws if the work must end.
    ///
    /// - Throws: `cancelled`.
    func check() throws {
        try cancellation.check()
        if isSet.load(ordering: .relaxed) { throw StoreError.taskCancelled }
    }

    /// How often SQLite checks, in instructions of its virtual machine: some milliseconds.
    private static let instructions: CInt = 100_000

    /// Interrupts the statements of a connection, which must not outlive this object.
    func interrupts(_ database: Database) {
        sqlite3_progress_handler(
            database.sqliteConnection, Self.instructions,
            { sign in
                guard let sign else { return 0 }
                return (try? Unmanaged<CancellationFlag>.fromOpaque(sign).takeUnretainedValue().check())
                    == nil
                    ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
