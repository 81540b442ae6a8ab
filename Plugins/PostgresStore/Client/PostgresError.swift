internal import CLibPQ

/// An error as the PostgreSQL server or its client library reported it: the `underlying` of a `StoreError`.
///
/// Message and detail may contain stored values, so only `debugDescription` shows them.
public struct PostgresError: Error, Sendable {
    /// The SQLSTATE, five characters (PostgreSQL's manual, appendix A); empty for an error of the client library.
    public let sqlState: String
    /// The server's message.
    public let message: String
    /// The server's detail message.
    public let detail: String?
    /// The server's hint.
    public let hint: String?
    /// The table concerned.
    public let table: String?
    /// The column concerned.
    public let column: String?
    /// The constraint that was violated.
    public let constraint: String?
    /// The server's function that raised the error; unlike the message, it does not depend on the language.
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
    /// Whether a prepared statement is gone or no longer fits its tables, so that it must be prepared again.
    var isStalePlan: Bool {
        sqlState == "26000" || (sqlState == "0A000" && routine == "RevalidateCachedQuery")
    }

    /// Whether a transaction refused to write because it may only read.
    var meansReadOnlyTransaction: Bool { sqlState == "25006" }

    /// Whether a standby refused to begin a write, which it reports as an unsupported feature.
    ///
    /// The first two routines check the isolation and the access of a BEGIN.
    var meansStandby: Bool {
        let routines = ["call_enum_check_hook", "call_bool_check_hook", "GetSerializableTransactionSnapshot"]
        return sqlState == "0A000" && routines.contains(routine ?? "")
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The SQLSTATE, without stored values.
    public var description: String {
        sqlState.isEmpty ? "error of the PostgreSQL client library" : "SQLSTATE \(sqlState)"
    }

    /// The server's messages, which may contain stored values.
    public var debugDescription: String {
        [description, message, detail, hint].compactMap(\.self).joined(separator: " — ")
    }
}
