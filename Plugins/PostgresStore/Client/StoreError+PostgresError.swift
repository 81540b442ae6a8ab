internal import SwitchyardCore

extension StoreError {
    /// Translates an error of the server.
    ///
    /// The server's messages may contain stored values, so they only go to `detail` and `underlying`. Table and column,
    /// by their names in the database, stand in for entity and attribute.
    init(_ error: PostgresError) {
        let (code, message) = Self.meaning(of: error)
        self.init(
            code, message, entity: error.table, attribute: error.column, constraint: error.constraint,
            detail: [error.message, error.detail].compactMap(\.self).joined(separator: " — "),
            underlying: error)
    }

    /// The error of a write where an operator has set the database or the role to take none.
    static func frozen(by error: PostgresError) -> StoreError {
        StoreError(
            .readOnly,
            "The database or its user is frozen by default_transaction_read_only; the transaction was not "
                + "carried out. Reset the default with ALTER DATABASE or ALTER ROLE, or wait until the "
                + "operator has, then run the transaction again.", detail: error.message,
            underlying: error)
    }

    /// What it means that the session has a prepared statement of another client, or lacks one of this client.
    static let otherSession = (
        code: Code.configuration,
        message:
            "The server session has changed: a pooler, such as PgBouncer in transaction mode, gives each "
            + "transaction another one. Set store.postgres.pooling to transaction; the transaction was not "
            + "carried out."
    )

    private static let readOnly =
        "The server is read-only, for instance because it is a standby. Connect to the primary; among "
        + "several hosts, target_session_attrs=read-write finds it."

    private static func meaning(of error: PostgresError) -> (Code, String) {
        if error.isStalePlan {
            return (
                .serialization,
                "The schema changed while a statement was prepared; run the transaction again."
            )
        }
        if error.meansStandby {
            return (.readOnly, readOnly)
        }
        if error.sqlState == "42501" {
            // The server's message for this error contains only names: the refused action and its object.
            return (
                .configuration,
                "The database user lacks a privilege: \(error.message). Grant it, or give another user or "
                    + "schema."
            )
        }
        return exact(error.sqlState) ?? family(error.sqlState)
    }

    /// Translates the SQLSTATEs with a meaning of their own.
    ///
    /// Source: PostgreSQL's manual, appendix A.
    private static func exact(_ sqlState: String) -> (Code, String)? {
        switch sqlState {
        case "23505": (.unique, "Another row has the same value of a unique constraint.")
        case "23503", "23001": (.foreignKey, "A reference would point to a row that does not exist.")
        case "23502": (.notNull, "A required attribute has no value.")
        case "23514": (.check, "A value is outside what its attribute allows.")
        case "40001": (.serialization, "Another transaction got in between; run this one again.")
        case "40P01": (.serialization, "Two transactions waited for each other; run this one again.")
        case "40003":
            (
                .outcomeUnknown,
                "The server cannot say whether the transaction was committed; look before you repeat it."
            )
        case "55P03":
            (.busy, "A row or table was locked by another transaction for longer than the lock timeout.")
        case "55006": (.busy, "The object is in use by another session.")
        case "42P05": otherSession
        case "53300": (.busy, "The server has no connection free; try again, or raise its max_connections.")
        case "57014":
            (
                .timedOut,
                "The server stopped a statement that ran longer than the setting statementTimeout, or an administrator did; the "
                    + "transaction was not carried out. Do less in one statement, or raise the setting."
            )
        case "28P01", "28000":
            (
                .authentication,
                "The server refused the user or the password; check both, and the server's pg_hba.conf."
            )
        case "22003": (.arithmetic, "A number is too large for its type.")
        case "22012": (.arithmetic, "A division by zero.")
        case "22001", "22021", "22P05": (.valueNotRepresentable, "A value cannot be stored unchanged.")
        case "54000":
            (
                .valueNotRepresentable,
                "A value is too large for the database, for instance for one of its indexes."
            )
        case "54001": (.unsupported, "The query is too deep for the server.")
        case "53100": (.full, "The server's disk is full. Make room on it, then run the transaction again.")
        case "25006": (.readOnly, readOnly)
        case "25P02": (.transactionAborted, "An earlier error has ended the transaction.")
        case "25P03":
            (
                .transactionAborted,
                "The transaction was idle for longer than its timeout, and the server ended it."
            )
        case "3D000": (.configuration, "The database does not exist; create it or correct its name.")
        case "3F000": (.configuration, "The schema does not exist.")
        case "57P04": (.configuration, "The database has been dropped.")
        case "42P01", "42703", "42704", "42P07", "42701":
            (.schemaMismatch, "The database's tables are not those that the schema declares.")
        case "XX001", "XX002": (.corrupted, "The server found its own files damaged.")
        default: nil
        }
    }

    /// Translates all other SQLSTATEs by their class, the first two characters.
    private static func family(_ sqlState: String) -> (Code, String) {
        switch sqlState.prefix(2) {
        case "08", "57": (.connectionLost, "The server closed the connection or is not ready for one.")
        case "0A": (.unsupported, "The server does not support what was asked.")
        case "28": (.authentication, "The server refused the user.")
        case "53": (.backend, "The server is short of memory or another resource.")
        case "58": (.inputOutput, "The server could not read or write its files.")
        default: (.backend, "The server refused a statement (SQLSTATE \(sqlState)).")
        }
    }
}
