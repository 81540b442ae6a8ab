internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore

extension StoreError {
    /// The error of a failed call of SQLite's C interface.
    init(sqlite code: CInt, on connection: OpaquePointer?, in schema: Schema? = nil) {
        let message = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
        let isFull = code & 0xFF == SQLITE_IOERR && connection.map { sqlite3_system_errno($0) } == EFBIG
        self = Self.sqlite(isFull ? SQLITE_FULL : code, message ?? "", in: schema)
    }

    /// An error as the store's callers see it: GRDB's and Swift's own become `StoreError`s, what a closure of
    /// the caller threw stays what it is.
    static func translating(_ error: any Error, in schema: Schema) -> any Error {
        switch error {
        case let error as DatabaseError:
            return sqlite(error.extendedResultCode.rawValue, error.message ?? "", in: schema)
        case is CancellationError: return StoreError.taskCancelled
        default: return error
        }
    }

    private static func sqlite(_ code: CInt, _ message: String, in schema: Schema?) -> StoreError {
        var error =
            constraint(code, message, in: schema)
            ?? StoreError(Self.code(of: code, message), explanation(of: code, message))
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
        default: .backend
        }
    }

    private static func isTooComplex(_ message: String) -> Bool {
        message.contains("parser stack overflow") || message.contains("Expression tree is too large")
            || message.contains("too many SQL variables")
    }

    private static func explanation(of code: CInt, _ message: String) -> String {
        if message == ArithmeticFunctions.overflowMessage { return StoreError.overflow.message }
        if message == ArithmeticFunctions.divisionMessage { return StoreError.divisionByZero.message }
        return switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            "Another connection or process kept the store locked for too long; try again."
        case SQLITE_FULL: "The disk is full; nothing was written. Make room and try again."
        case SQLITE_READONLY: "The store's file or directory cannot be written; check its permissions."
        case SQLITE_CANTOPEN, SQLITE_PERM:
            "The store's file cannot be opened; check the path and its permissions."
        case SQLITE_IOERR:
            "A file of the store could not be read or written; check the disk, and any limit on the size of files."
        case SQLITE_CORRUPT: "The store's file is damaged. Restore it from a backup."
        case SQLITE_NOTADB: "The file is not an SQLite database."
        case SQLITE_INTERRUPT: "The work was interrupted; nothing was written."
        case SQLITE_TOOBIG: "A value or a query is too large for SQLite."
        case SQLITE_ERROR where isTooComplex(message):
            "The query nests too deeply for SQLite; make it simpler."
        default: "SQLite failed."
        }
    }
}
