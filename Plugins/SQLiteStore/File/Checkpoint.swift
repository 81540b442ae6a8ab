internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore
internal import Synchronization

/// When and how the write-ahead log is brought into the database file.
///
/// SQLite would do it after any commit that leaves more than 1,000 pages in the log. Before version 3.51.3
/// that can lose pages when another process commits at the wrong moment (sqlite.org/wal.html, "The WAL-reset
/// bug"): a checkpoint must not run while anyone restarts the log. So it is done here, on a second connection
/// while the first holds the write lock, which keeps writers of all processes out.
final class Checkpoint: Sendable {
    /// How many pages the log may hold before it is brought in.
    static let pages = 1000

    private let path: String
    /// The pages in the log after this process's last commit, and how many there must be for the next
    /// attempt.
    private let logged = Atomic(0)
    private let threshold = Atomic(Checkpoint.pages)

    init(path: String) { self.path = path }

    /// Takes over from SQLite's own checkpoints on a connection.
    ///
    /// The connection must not outlive the checkpoint.
    func register(on connection: OpaquePointer) {
        sqlite3_wal_hook(
            connection,
            { checkpoint, _, _, pages in
                guard let checkpoint else { return SQLITE_OK }
                Unmanaged<Checkpoint>.fromOpaque(checkpoint).takeUnretainedValue()
                    .logged.store(Int(pages), ordering: .relaxed)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Whether this process has left anything in the log.
    var hasLog: Bool { logged.load(ordering: .relaxed) > 0 }

    /// Whether the log is long enough.
    var isDue: Bool { logged.load(ordering: .relaxed) >= threshold.load(ordering: .relaxed) }

    /// Brings the log in, as far as no reader still needs it.
    ///
    /// - Throws: A `DatabaseError` if the write lock cannot be had; the next commit tries again.
    func run(holdingWriteLockOf database: Database) throws {
        try database.inTransaction(.immediate) {
            checkpoint()
            return .rollback
        }
    }

    /// Brings the log in that is still there when the store's only connection has been closed: others have
    /// the file open.
    ///
    /// - Throws: A `DatabaseError` if another process is writing, which then brings it in.
    func runAfterClose() throws {
        guard hasLog, access(path + "-wal", F_OK) == 0 else { return }
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { try run(holdingWriteLockOf: $0) }
        try queue.close()
    }

    private func checkpoint() {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &connection, flags, nil) == SQLITE_OK else { return }
        // A connection does not know of the log before it has read something.
        guard sqlite3_exec(connection, "SELECT 1 FROM sqlite_master LIMIT 1", nil, nil, nil) == SQLITE_OK
        else {
            return
        }
        var (inLog, broughtIn): (CInt, CInt) = (-1, -1)
        let code = sqlite3_wal_checkpoint_v2(
            connection, nil, SQLITE_CHECKPOINT_PASSIVE, &inLog, &broughtIn)
        // What could not be done now, for a reader or for want of room, is done later: the log itself is
        // safe.
        let isComplete = code == SQLITE_OK && inLog >= 0 && inLog == broughtIn
        threshold.store(isComplete ? Self.pages : Int(max(inLog, 0)) + Self.pages, ordering: .relaxed)
        if isComplete { logged.store(0, ordering: .relaxed) }
    }
}
