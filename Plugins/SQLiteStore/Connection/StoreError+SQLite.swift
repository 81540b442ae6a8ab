internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore

extension StoreError {
    /// The error of a failed call of SQLite's C interface.
    ///
    /// - Parameters:
    ///   - code: SQLite's extended result code.
    ///   - connection: The connection, for its message.
    ///   - schema: What names in the message mean.
    ///   - path: The file, for messages that are about it; the connection's, unless given.
    init(sqlite code: CInt, on connection: OpaquePointer?, in schema: Schema? = nil, at path: String? = nil) {
        let message = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
        let isFull = code & 0xFF == SQLITE_IOERR && connection.map { sqlite3_system_errno($0) } == EFBIG
        self = Self.sqlite(
            isFull ? SQLITE_FULL : code, message ?? "", in: schema, at: path ?? Self.file(of: connection))
    }

    /// The path of a connection's file; nil for one in memory.
    static func file(of connection: OpaquePointer?) -> String? {
        guard let connection, let name = sqlite3_db_filename(connection, "main") else { return nil }
        return name.pointee == 0 ? nil : String(cString: name)
    }

    /// An error as the store's callers see it: GRDB's and Swift's own become `StoreError`s, what a closure of
    /// the caller threw stays what it is.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - schema: What names in the message mean.
    ///   - path: The file, for messages that are about it.
    /// - Returns: The error to throw.
    static func translating(_ error: any Error, in schema: Schema, at path: String? = nil) -> any Error {
        switch error {
        case let error as DatabaseError:
            return sqlite(error.extendedResultCode.rawValue, error.message ?? "", in: schema, at: path)
        case let error as BodyError: return error.error
        case is CancellationError: return StoreError.taskCancelled
        default: return error
        }
    }

    private static func sqlite(
        _ code: CInt, _ message: String, in schema: Schema?, at path: String?
    ) -> StoreError {
        var error =
            constraint(code, message, in: schema)
            ?? StoreError(Self.code(of: code, message), explanation(of: code, message, at: path))
        error.detail = "SQLite \(code): \(message)"
        return error
    }

    private static func code(of code: CInt, _ message: String) -> Code {
        if message == ArithmeticFunctions.overflowMessage || message == ArithmeticFunctions.divisionMessage {
            return .arithmetic
        }
        return switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_FULL: .full
        case SQLITE_READONLY: .readOnly
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM: .inputOutput
        case SQLITE_CORRUPT: .corrupted
        case SQLITE_NOTADB: .notAStore
        case SQLITE_INTERRUPT: .cancelled
        case SQLITE_TOOBIG: .valueNotRepresentable
        case SQLITE_CONSTRAINT: .check
        case SQLITE_ERROR where isTooComplex(message): .unsupported
        case SQLITE_ERROR where lacksTableOrColumn(message): .schemaMismatch
        default: .backend
        }
    }

    private static func isTooComplex(_ message: String) -> Bool {
        message.contains("parser stack overflow") || message.contains("Expression tree is too large")
            || message.contains("too many SQL variables")
    }

    private static func lacksTableOrColumn(_ message: String) -> Bool {
        message.hasPrefix("no such table: ") || message.hasPrefix("no such column: ")
            || message.contains(" has no column named ")
    }

    /// Whether the process can open no further file: SQLite does not tell that from other reasons, and the
    /// connection that would know is gone.
    private static var hasTooManyFiles: Bool {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return false
        }
        return errno == EMFILE
    }

    private static func explanation(of code: CInt, _ message: String, at path: String?) -> String {
        if message == ArithmeticFunctions.overflowMessage { return StoreError.overflow.message }
        if message == ArithmeticFunctions.divisionMessage { return StoreError.divisionByZero.message }
        let file = path.map { "The store's file \($0)" } ?? "The store's file"
        return switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            "Another connection or process kept the store locked for too long; try again."
        case SQLITE_FULL: "The disk is full; nothing was written. Make room and try again."
        case SQLITE_READONLY: "\(file) or its directory cannot be written; check its permissions."
        case SQLITE_CANTOPEN where hasTooManyFiles:
            "\(file) cannot be opened, since this process has as many files open as it may; close some, or raise the limit."
        case SQLITE_CANTOPEN, SQLITE_PERM:
            "\(file) cannot be opened; check the path and its permissions."
        case SQLITE_IOERR:
            "\(file) or one beside it could not be read or written; check the disk, and any limit on the size of files."
        case SQLITE_CORRUPT: "\(file) is damaged. Restore it from a backup."
        case SQLITE_NOTADB: "\(file) is not an SQLite database."
        case SQLITE_INTERRUPT: "The work was interrupted; nothing was written."
        case SQLITE_TOOBIG: "A value or a query is too large for SQLite."
        case SQLITE_ERROR where isTooComplex(message):
            "The query nests too deeply for SQLite; make it simpler."
        case SQLITE_ERROR where lacksTableOrColumn(message):
            "The store's tables are not those that the schema declares; a check of the store tells what is missing."
        default: "SQLite failed."
        }
    }
}
