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
    ///   - schema: The schema whose names the message contains.
    ///   - path: The file, for messages that are about it; the connection's, unless given.
    init(sqlite code: CInt, on connection: OpaquePointer?, in schema: Schema? = nil, at path: String? = nil) {
        let message = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
        self = Self.sqlite(
            SQLiteFailure(
                code: code, message: message ?? "", systemError: SQLiteFailure.systemError(of: connection),
                path: path ?? Self.file(of: connection)),
            in: schema)
    }

    /// The path of a connection's file; nil for one in memory.
    static func file(of connection: OpaquePointer?) -> String? {
        guard let connection, let name = sqlite3_db_filename(connection, "main") else { return nil }
        return name.pointee == 0 ? nil : String(cString: name)
    }

    /// Translates an error for the store's callers: GRDB's and Swift's own errors become `StoreError`s; errors of the
    /// caller's closures are unchanged.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - schema: The schema whose names the message contains.
    ///   - database: The connection that failed, if available: it knows the operating system's error.
    ///   - path: The file, for messages that are about it.
    /// - Returns: The error to throw.
    static func translating(
        _ error: any Error, in schema: Schema?, on database: Database? = nil, at path: String? = nil
    ) -> any Error {
        switch error {
        case let error as DatabaseError:
            if database?.isSuspended(by: error) == true { return StoreError.storeSuspended }
            let failure = SQLiteFailure(
                code: error.extendedResultCode.rawValue, message: error.message ?? "",
                systemError: SQLiteFailure.systemError(of: database?.sqliteConnection), path: path)
            return sqlite(failure, in: schema)
        case let error as BodyError: return error.error
        case is CancellationError: return StoreError.taskCancelled
        default: return error
        }
    }

    private static func sqlite(_ failure: SQLiteFailure, in schema: Schema?) -> StoreError {
        var error =
            constraint(failure.code, failure.message, in: schema)
            ?? StoreError(failure.storeCode, failure.explanation)
        error.detail = "SQLite \(failure.code): \(failure.message)"
        return error
    }

    /// The error of a lock that another connection or process holds.
    static var lockedByOthers: StoreError {
        StoreError(
            .busy, "Another connection or process kept the store locked for too long; try again.")
    }
}
