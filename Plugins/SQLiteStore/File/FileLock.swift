internal import Foundation
internal import GRDBSQLite
internal import SwitchyardCore

/// SQLite's SHARED lock on a database file, taken without a transaction.
///
/// A commit without a WAL and the removal of a WAL both need the EXCLUSIVE lock. So while the SHARED lock is held, only
/// checkpoints change the file, and a WAL that appears stays (pager.c, and `sqlite3WalClose` in wal.c). Writers that
/// use a WAL do not wait for it.
final class FileLock: @unchecked Sendable {
    // Sendable because the pointers never change, no statement runs on the connection, and SQLite protects the locks of
    // a file with a mutex of its own.
    private let connection: OpaquePointer?
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let path: String

    private var methods: sqlite3_io_methods { file.pointee.pMethods.pointee }

    /// Takes the lock; waits for a commit without a WAL, and for the removal of a WAL.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - busyTimeout: How many seconds to wait.
    /// - Throws: `busy`; `inputOutput` if the file cannot be opened or locked.
    init(path: String, busyTimeout: Double) throws {
        var connection: OpaquePointer?
        var file: UnsafeMutablePointer<sqlite3_file>?
        var code = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        if code == SQLITE_OK {
            code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        }
        if code == SQLITE_OK, let file {
            let wait = BusyWait(seconds: busyTimeout)
            var tries = 0
            repeat {
                code = file.pointee.pMethods.pointee.xLock(file, SQLITE_LOCK_SHARED)
                tries += 1
            } while code == SQLITE_BUSY && wait.pause(after: tries - 1)
        }
        guard code == SQLITE_OK, let file else {
            defer { sqlite3_close(connection) }
            throw StoreError(sqlite: code, on: connection, at: path)
        }
        self.connection = connection
        self.file = file
        self.path = path
    }

    deinit {
        // Closing the connection releases the lock.
        sqlite3_close(connection)
    }

    /// Whether a connection without a WAL has begun to write.
    ///
    /// - Throws: `inputOutput` if that cannot be determined.
    func isReserved() throws -> Bool {
        var isReserved: CInt = 0
        try require(methods.xCheckReservedLock(file, &isReserved))
        return isReserved != 0
    }

    /// The bytes of the file.
    ///
    /// - Throws: `inputOutput`.
    func bytes() throws -> FileBytes { try FileBytes(of: connection, at: path) }

    private func require(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw StoreError(sqlite: code, on: connection, at: path) }
    }
}
