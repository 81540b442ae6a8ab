internal import GRDBSQLite
internal import SwitchyardCore
internal import Synchronization

/// Checkpoints and truncates the WAL, on connections of its own.
///
/// In SQLite before 3.51.3, a checkpoint that begins with a fully copied WAL can mistake new pages for copied
/// ones if another connection restarts the WAL at the same time: they are lost (sqlite.org/wal.html, "The
/// WAL-reset bug"). So each checkpoint here runs beside a read transaction. If that transaction uses the WAL,
/// no connection can restart it; if it uses only the database file, no connection can copy pages into it.
/// This holds for every checkpoint mode, whatever other processes do.
final class CheckpointConnections: @unchecked Sendable {
    // Sendable because only the one checkpoint in progress uses it, from one thread at a time; only `interrupt` is
    // called from other threads, which SQLite allows while the connection is open.

    /// The progress of a checkpoint, in pages.
    struct Progress {
        let logged: Int
        let copied: Int
        var isComplete: Bool { logged == copied }
    }

    private let path: String
    private let checkpointer: BareConnection
    private let reader: BareConnection
    private let isStopped: @Sendable () -> Bool

    /// Opens an existing file.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - isStopped: Whether to stop taking locks and waiting for them.
    /// - Throws: A `StoreError` if the file cannot be opened and read.
    init(path: String, isStopped: @escaping @Sendable () -> Bool) throws {
        self.path = path
        self.isStopped = isStopped
        checkpointer = try BareConnection(path)
        reader = try BareConnection(path)
    }

    /// Ends a checkpoint in progress, from any thread.
    func interrupt() { sqlite3_interrupt(checkpointer.handle) }

    /// Copies the pages that no reader still needs from the WAL, without blocking readers or writers.
    ///
    /// - Returns: Nil if another process is checkpointing, or the checkpoint was stopped.
    func copy() -> Progress? { checkpoint(SQLITE_CHECKPOINT_PASSIVE) }

    /// Truncates the WAL.
    ///
    /// Writers wait for it; new readers do not.
    ///
    /// It locks out writers, waits for readers that need the WAL, copies the rest and truncates the file to length 0.
    ///
    /// - Parameters:
    ///   - wait: The longest wait for a writer.
    ///   - hold: The longest wait for readers, during which writes are blocked.
    /// - Returns: Whether the WAL is empty.
    func truncate(waiting wait: BusyWait, holding hold: BusyWait) -> Bool {
        guard let writer = try? BareConnection(path) else { return false }
        var tries = 0
        while !writer.run("BEGIN IMMEDIATE") {
            guard pause(wait, after: &tries) else { return false }
        }
        defer { writer.rollback() }
        // SQLITE_CHECKPOINT_TRUNCATE takes the write lock itself. So all pages are copied first, while another
        // connection locks out writers; the busy handler's first call is for that lock, and hands it over.
        tries = 0
        while copy()?.isComplete != true {
            guard pause(hold, after: &tries) else { return false }
        }
        return checkpointer.withBusyHandler { [self] calls in
            if calls > 0 { return pause(hold, after: &tries) }
            writer.rollback()
            return true
        } while: {
            checkpoint(SQLITE_CHECKPOINT_TRUNCATE) != nil
        }
    }

    /// Runs a checkpoint beside a read transaction; nil if it could not be started or finished.
    private func checkpoint(_ mode: CInt) -> Progress? {
        guard !isStopped(), reader.run("BEGIN; \(BareConnection.anyRead)") else { return nil }
        defer { reader.rollback() }
        var (logged, copied): (CInt, CInt) = (-1, -1)
        let code = sqlite3_wal_checkpoint_v2(checkpointer.handle, nil, mode, &logged, &copied)
        guard code == SQLITE_OK, logged >= 0 else { return nil }
        return Progress(logged: Int(logged), copied: Int(copied))
    }

    private func pause(_ wait: BusyWait, after tries: inout Int) -> Bool {
        guard !isStopped(), wait.pause(after: tries) else { return false }
        tries += 1
        return true
    }
}

/// A connection without GRDB.
private final class BareConnection {
    let handle: OpaquePointer

    /// A read that opens the file and the WAL: a connection does not notice the WAL before its first read.
    static let anyRead = "SELECT 1 FROM sqlite_master LIMIT 1"

    init(_ path: String) throws {
        var handle: OpaquePointer?
        // Without SQLITE_OPEN_CREATE: a store whose file is gone must not leave an empty one.
        var code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        // On Apple systems: pages must be as durable in the file as they were in the WAL before that is reset.
        let setup = "PRAGMA checkpoint_fullfsync = ON; \(Self.anyRead)"
        if code == SQLITE_OK {
            // Apple's SQLite would keep the WAL if this connection were the last to close.
            var persists: CInt = 0
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &persists)
            code = sqlite3_exec(handle, setup, nil, nil, nil)
        }
        guard let handle, code == SQLITE_OK else {
            let error = StoreError(sqlite: code, on: handle, at: path)
            sqlite3_close(handle)
            throw error
        }
        self.handle = handle
    }

    deinit { sqlite3_close(handle) }

    func run(_ sql: String) -> Bool {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            rollback()
            return false
        }
        return true
    }

    /// Rolls back a transaction in progress.
    func rollback() {
        if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    /// Runs work with a busy handler.
    ///
    /// - Parameters:
    ///   - isPatient: Whether to keep waiting for a lock; its argument is the number of previous calls.
    ///   - work: The work that may have to wait.
    /// - Returns: What the work returns.
    func withBusyHandler<Result>(
        _ isPatient: (CInt) -> Bool, while work: () -> Result
    ) -> Result {
        withoutActuallyEscaping(isPatient) { isPatient in
            let box = Box(isPatient)
            return withExtendedLifetime(box) {
                sqlite3_busy_handler(
                    handle,
                    { box, calls in
                        guard let box else { return 0 }
                        return Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().isPatient(calls) ? 1 : 0
                    }, Unmanaged.passUnretained(box).toOpaque())
                defer { sqlite3_busy_handler(handle, nil, nil) }
                return work()
            }
        }
    }

    private final class Box {
        let isPatient: (CInt) -> Bool
        init(_ isPatient: @escaping (CInt) -> Bool) { self.isPatient = isPatient }
    }
}
