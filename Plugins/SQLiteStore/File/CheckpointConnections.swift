internal import GRDBSQLite
internal import SwitchyardCore
internal import Synchronization

/// Copies the log into the database file and empties it, on connections of its own.
///
/// In SQLite before 3.51.3 a checkpoint can begin with a log that is copied whole, while another connection
/// restarts that log, and then takes the new pages for copied, too: they are lost (sqlite.org/wal.html, "The
/// WAL-reset bug"). So each checkpoint here runs beside a read transaction. While that uses the log, nobody
/// can restart it; while it uses the database file alone, nobody can copy pages into that, and so none are
/// taken for copied. This holds in every mode of a checkpoint, and whatever other processes do.
final class CheckpointConnections: @unchecked Sendable {
    // Sendable because the one checkpoint that is under way uses it, from one thread at a time; only
    // `interrupt` comes from elsewhere, which SQLite allows while the connection is open.

    /// How much of the log there is, in pages.
    struct Progress {
        let logged: Int
        let copied: Int
        var isComplete: Bool { logged == copied }
    }

    private let path: String
    private let checkpointer: BareConnection
    private let reader: BareConnection
    private let isStopped: @Sendable () -> Bool

    /// Opens a file that is there.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - isStopped: Whether to take no lock any more, and to wait for none.
    /// - Throws: A `StoreError` if the file cannot be opened and read.
    init(path: String, isStopped: @escaping @Sendable () -> Bool) throws {
        self.path = path
        self.isStopped = isStopped
        checkpointer = try BareConnection(path)
        reader = try BareConnection(path)
    }

    /// Ends a checkpoint in progress, from any thread.
    func interrupt() { sqlite3_interrupt(checkpointer.handle) }

    /// Copies what no reader still needs from the log, beside readers and writers.
    ///
    /// - Returns: Nil if another process is at it, or it was stopped.
    func copy() -> Progress? { checkpoint(SQLITE_CHECKPOINT_PASSIVE) }

    /// Empties the log, which writers wait for, and new readers do not.
    ///
    /// It keeps writers out, waits for readers that need the log, copies the rest and cuts the file to length 0.
    ///
    /// - Parameter wait: The longest wait for a writer, and the longest one for readers.
    /// - Returns: Whether the log is empty.
    func truncate(waiting wait: BusyWait) -> Bool {
        guard let writer = try? BareConnection(path) else { return false }
        var tries = 0
        while !writer.run("BEGIN IMMEDIATE") {
            guard pause(wait, after: &tries) else { return false }
        }
        defer { writer.rollback() }
        // The mode that empties the log takes the write lock by itself. So all is copied first, while another
        // connection keeps writers out; the busy handler's first call is for that lock, and hands it over.
        tries = 0
        while copy()?.isComplete != true {
            guard pause(wait, after: &tries) else { return false }
        }
        return checkpointer.withBusyHandler { [self] calls in
            if calls > 0 { return pause(wait, after: &tries) }
            writer.rollback()
            return true
        } while: {
            checkpoint(SQLITE_CHECKPOINT_TRUNCATE) != nil
        }
    }

    /// Runs a checkpoint beside a read transaction; nil if it could not be done or not be finished.
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

    /// A read that touches file and log: a connection does not know of the log before it has read something.
    static let anyRead = "SELECT 1 FROM sqlite_master LIMIT 1"

    init(_ path: String) throws {
        var handle: OpaquePointer?
        // A missing file is not made: a store whose file is gone must not leave an empty one.
        var code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        // On Apple systems, a copy that a loss of power can undo must not replace a log that it cannot.
        let setup = "PRAGMA checkpoint_fullfsync = ON; \(Self.anyRead)"
        if code == SQLITE_OK {
            // Apple's SQLite would keep the log if this connection were the last to close.
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

    /// Ends a transaction in progress.
    func rollback() {
        if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    /// Runs work during which a closure is asked whether to go on waiting for a lock.
    ///
    /// - Parameters:
    ///   - isPatient: Takes how often it was called before.
    ///   - work: What may have to wait.
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
