internal import CLibPQ

/// An error as the PostgreSQL server or its client library reported it: the `underlying` of a `StoreError`.
///
/// Message and detail may hold stored values, so only `debugDescription` shows them.
public struct PostgresError: Error, Sendable {
    /// The five characters of the error's class and kind, as in PostgreSQL's manual, appendix A; empty for an
    /// error of the client library.
    public let sqlState: String
    /// The error in the server's words.
    public let message: String
    /// More about the error.
    public let detail: String?
    /// What the server suggests.
    public let hint: String?
    /// The table concerned.
    public let table: String?
    /// The column concerned.
    public let column: String?
    /// The constraint that refused a write.
    public let constraint: String?
    /// The server's function that raised the error; unlike the message it is the same in every language.
    let routine: String?
    /// Whether the server has ended the session.
    let isFatal: Bool

    init(_ result: borrowing QueryResult) {
        let pointer = result.pointer
        sqlState = ErrorField.sqlState.text(of: pointer) ?? ""
        message =
            ErrorField.message.text(of: pointer)
            ?? pq_resultErrorMessage(pointer).map { String(cString: $0) } ?? ""
        detail = ErrorField.detail.text(of: pointer)
        hint = ErrorField.hint.text(of: pointer)
        table = ErrorField.table.text(of: pointer)
        column = ErrorField.column.text(of: pointer)
        constraint = ErrorField.constraint.text(of: pointer)
        routine = ErrorField.routine.text(of: pointer)
        let severity = ErrorField.severity.text(of: pointer)
        isFatal = severity == "FATAL" || severity == "PANIC"
    }

    init(sqlState: String = "", message: String) {
        self.sqlState = sqlState
        self.message = message
        detail = nil
        hint = nil
        table = nil
        column = nil
        constraint = nil
        routine = nil
        isFatal = true
    }
}

extension PostgresError {
    /// Whether a prepared statement is gone or no longer fits its tables: a fresh one will do.
    var isStalePlan: Bool {
        sqlState == "26000" || (sqlState == "0A000" && routine == "RevalidateCachedQuery")
    }

    /// Whether a standby refused to begin a write: to it that is a feature that it lacks.
    ///
    /// The first two routines check the isolation and the access of a BEGIN.
    var meansStandby: Bool {
        let routines = ["call_enum_check_hook", "call_bool_check_hook", "GetSerializableTransactionSnapshot"]
        return sqlState == "0A000" && routines.contains(routine ?? "")
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The error by its code, without stored values.
    public var description: String {
        sqlState.isEmpty ? "error of the PostgreSQL client library" : "SQLSTATE \(sqlState)"
    }

    /// The error in the server's words, which may hold stored values.
    public var debugDescription: String {
        [description, message, detail, hint].compactMap(\.self).joined(separator: " — ")
    }
}
