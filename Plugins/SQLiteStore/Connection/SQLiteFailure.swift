internal import Foundation
internal import GRDBSQLite
internal import SwitchyardCore

/// The store's error code and message for an SQLite result code (sqlite.org/rescode.html).
struct SQLiteFailure {
    /// The extended result code.
    let code: CInt
    /// SQLite's message, which may contain names from the schema.
    let message: String
    /// The code and the sentence of the error.
    let storeCode: StoreError.Code
    let explanation: String

    /// Interprets a result code.
    ///
    /// - Parameters:
    ///   - code: The extended result code.
    ///   - message: SQLite's message.
    ///   - systemError: The connection's last `errno`; nil if the connection is gone, in which case it is guessed.
    ///   - path: The database file, if there is one.
    init(code: CInt, message: String, systemError: CInt?, path: String?) {
        self.code = code
        self.message = message
        let subject = path.map { "The store's file \($0)" } ?? "The store's file"
        (storeCode, explanation) =
            Self.ofMessage(message, code & 0xFF)
            ?? Self.ofSystem(code, systemError ?? SystemCondition.errorNumber(at: path), subject)
            ?? Self.ofExtendedCode(code, subject)
            ?? Self.ofCode(code, subject)
    }

    private typealias Meaning = (StoreError.Code, String)

    /// Interprets failures that only SQLite's message identifies.
    private static func ofMessage(_ message: String, _ code: CInt) -> Meaning? {
        switch message {
        case ArithmeticFunctions.overflowMessage: return (.arithmetic, StoreError.overflow.message)
        case ArithmeticFunctions.divisionMessage: return (.arithmetic, StoreError.divisionByZero.message)
        default: break
        }
        guard code == SQLITE_ERROR else { return nil }
        let isTooComplex = [
            "parser stack overflow", "Expression tree is too large", "too many SQL variables",
        ]
        .contains { message.contains($0) }
        if isTooComplex {
            return (.unsupported, "The query nests too deeply for SQLite; make it simpler.")
        }
        let lacksTableOrColumn =
            message.hasPrefix("no such table: ") || message.hasPrefix("no such column: ")
            || message.contains(" has no column named ")
        if lacksTableOrColumn {
            return (
                .schemaMismatch,
                "The store's tables differ from its schema; `check()` lists what is missing."
            )
        }
        return nil
    }

    /// Interprets the `errno` of a file that could not be opened, read, written or locked.
    private static func ofSystem(_ code: CInt, _ number: CInt, _ subject: String) -> Meaning? {
        guard [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF) else { return nil }
        // The shared memory of the WAL index takes up its disk space when it is created.
        if code == ResultCode.shmSize, ![EDQUOT, EFBIG, EIO].contains(number) { return full }
        switch number {
        case ENOSPC: return full
        case EDQUOT:
            return (
                .full,
                "This user's quota of the disk is used up; nothing was written. Make room or have it raised, and try again."
            )
        case EFBIG:
            return (
                .full,
                "\(subject) or its log has reached the limit on the size of files; nothing was written. Raise the limit "
                    + "(ulimit -f), or move the store to a file system for larger files."
            )
        case EMFILE:
            return (
                .inputOutput,
                "\(subject) cannot be opened, since this process has as many files open as it may; close some, or raise the limit."
            )
        case ENFILE:
            return (
                .inputOutput,
                "\(subject) cannot be opened, since this machine has as many files open as it can; close programs, or raise its limit."
            )
        case EROFS:
            return (.readOnly, "\(subject) is on a read-only file system.")
        case ENOLCK:
            return (
                .inputOutput,
                "\(subject) cannot be locked, as on some network volumes. Give a path on a disk of this machine."
            )
        case EIO, ESTALE, ENXIO, ENODEV:
            return (
                .inputOutput,
                "The disk of \(lowercased(subject)) failed (\(String(cString: strerror(number)))). Check the disk and its "
                    + "connection, then check the store."
            )
        default: return nil
        }
    }

    private static let full: Meaning = (
        .full, "The disk is full; nothing was written. Make room and try again."
    )

    private static func lowercased(_ subject: String) -> String { "t" + subject.dropFirst() }

    private static func ofExtendedCode(_ code: CInt, _ subject: String) -> Meaning? {
        switch code {
        case ResultCode.shortRead, ResultCode.corruptFileSystem, ResultCode.data:
            (.corrupted, "\(subject) or its log is cut short or damaged. Restore it from a backup.")
        case ResultCode.noMemoryInIO: ofCode(SQLITE_NOMEM, subject)
        case ResultCode.lock, ResultCode.unlock, ResultCode.readLock, ResultCode.checkReservedLock,
            ResultCode.shmLock:
            (
                .inputOutput,
                "\(subject) cannot be locked, as on some network volumes. Give a path on a disk of this machine."
            )
        case ResultCode.isDirectory:
            (.inputOutput, "\(subject) cannot be opened: there is a directory in its place.")
        case ResultCode.moved:
            (
                .replaced,
                "\(subject) was deleted, moved or replaced while the store was open. Close the store, put the file back if it "
                    + "belongs there, and open the store again."
            )
        case ResultCode.staleSnapshot:
            (.serialization, "Another transaction wrote after this one had begun to read; try again.")
        default: nil
        }
    }

    private static func ofCode(_ code: CInt, _ subject: String) -> Meaning {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            (.busy, StoreError.lockedByOthers.message)
        case SQLITE_PROTOCOL:
            (
                .busy,
                "Other processes kept changing the log of \(lowercased(subject)) for too long; try again."
            )
        case SQLITE_SCHEMA:
            (.serialization, "The store's tables were changed while a statement used them; try again.")
        case SQLITE_FULL: full
        case SQLITE_NOLFS:
            (
                .full,
                "\(subject) has reached the size of files that this system's SQLite can use; nothing was written. Use an SQLite "
                    + "that is built for large files."
            )
        case SQLITE_READONLY:
            (.readOnly, "\(subject) or its directory cannot be written; check its permissions.")
        case SQLITE_CANTOPEN, SQLITE_PERM:
            (.inputOutput, "\(subject) cannot be opened; check the path and its permissions.")
        case SQLITE_IOERR:
            (
                .inputOutput,
                "\(subject) or one beside it could not be read or written; check the disk and its permissions."
            )
        case SQLITE_CORRUPT: (.corrupted, "\(subject) is damaged. Restore it from a backup.")
        case SQLITE_NOTADB: (.notAStore, "\(subject) is not an SQLite database.")
        case SQLITE_INTERRUPT: (.cancelled, "The work was interrupted; nothing was written.")
        case SQLITE_ABORT:
            (.transactionAborted, "The transaction was rolled back before its end; nothing was written.")
        case SQLITE_TOOBIG:
            (.valueNotRepresentable, "A value or a query is too large for SQLite.")
        case SQLITE_CONSTRAINT: (.check, "A constraint that the schema does not declare refused the write.")
        case SQLITE_MISMATCH:
            (.check, "A value is of a type that its column does not take; nothing was written.")
        case SQLITE_NOMEM:
            (
                .backend,
                "SQLite got no memory from the system; nothing was written. Free memory and try again, with smaller "
                    + "transactions if need be."
            )
        case SQLITE_AUTH:
            (
                .configuration,
                "The connection's authorizer refused a statement of the store; let it pass what the store does in its tables."
            )
        default:
            (
                .backend,
                "SQLite refused a statement of the store with result code \(code), which should not happen. Check the store, "
                    + "and report this with the debug description of the error."
            )
        }
    }

    /// Extended result codes, which are C macros that Swift does not import.
    private enum ResultCode {
        static let shortRead = SQLITE_IOERR | 2 << 8
        static let unlock = SQLITE_IOERR | 8 << 8
        static let readLock = SQLITE_IOERR | 9 << 8
        static let noMemoryInIO = SQLITE_IOERR | 12 << 8
        static let checkReservedLock = SQLITE_IOERR | 14 << 8
        static let lock = SQLITE_IOERR | 15 << 8
        static let shmSize = SQLITE_IOERR | 19 << 8
        static let shmLock = SQLITE_IOERR | 20 << 8
        static let data = SQLITE_IOERR | 32 << 8
        static let corruptFileSystem = SQLITE_IOERR | 33 << 8
        static let isDirectory = SQLITE_CANTOPEN | 2 << 8
        static let moved = SQLITE_READONLY | 4 << 8
        static let staleSnapshot = SQLITE_BUSY | 2 << 8
    }
}

extension SQLiteFailure {
    /// The `errno` of a connection's last failure; 0 if there was none, nil without a connection.
    static func systemError(of connection: OpaquePointer?) -> CInt? {
        guard let connection else { return nil }
        var number = sqlite3_system_errno(connection)
        guard number == 0 else { return number }
        // SQLite does not record the errno of a failed commit on the connection; the WAL's file object does.
        var log: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
        // The journal of a database in memory has no such function.
        if let control = log?.pointee.pMethods?.pointee.xFileControl {
            _ = control(log, SQLITE_FCNTL_LAST_ERRNO, &number)
        }
        return number
    }
}

/// Guesses the cause of a failure when the failed connection, which knew it, is gone.
private enum SystemCondition {
    /// `EMFILE` or `ENFILE` if no more files can be opened, `ENOSPC` if the disk is full, otherwise 0.
    static func errorNumber(at path: String?) -> CInt {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        var status = statvfs()
        guard let path, statvfs(path, &status) == 0 else { return 0 }
        return status.f_bavail == 0 || status.f_files > 0 && status.f_favail == 0 ? ENOSPC : 0
    }
}
