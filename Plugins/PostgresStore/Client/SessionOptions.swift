internal import SwitchyardCore

/// How a session behaves, whatever the server's and the user's defaults are.
struct SessionOptions: Sendable {
    /// Who hands out the server's connections.
    enum Pooling: String, Sendable, CaseIterable {
        /// A connection is one session: it keeps its settings and its prepared statements.
        case session
        /// A pooler such as PgBouncer in transaction mode: the next transaction may meet another session.
        /// Settings travel with each transaction, and no statement is prepared under a name.
        case transaction
    }

    /// The schema that unqualified names mean.
    var schema = "public"
    /// Who hands out the server's connections.
    var pooling = Pooling.session
    /// How long one statement may run.
    var statementTimeout = Duration.seconds(600)
    /// How long a statement may wait for a lock.
    var lockTimeout = Duration.seconds(10)
    /// How long a transaction may do nothing.
    var idleInTransactionTimeout = Duration.seconds(60)
    /// How long the server may take for what it can do at once, such as a ROLLBACK, and how much longer than
    /// its own timeout says for a statement, before the connection is given up.
    var patience = Duration.seconds(5)
    /// After what pause the server must answer a BEGIN by itself, within `patience`: in the meantime it may
    /// have gone without a word, and the transaction can still run elsewhere.
    var trust = Duration.seconds(5)
    /// How many prepared statements a connection keeps.
    var statementCacheCapacity = 128
    /// The schema in whose words errors are; nil for the words of the database.
    var storeSchema: Schema?

    /// The settings that a session must have, by the server's name for them.
    var settings: [(name: String, value: String)] {
        let schema = "\"" + schema.replacingBytes(of: "\"", with: "\"\"") + "\""
        return [
            ("client_encoding", "UTF8"),
            ("TimeZone", "UTC"),
            ("standard_conforming_strings", "on"),
            // Temporary tables last, so that none can take the place of a table.
            ("search_path", schema + ", pg_temp"),
            ("default_transaction_isolation", "serializable"),
            ("statement_timeout", Self.milliseconds(statementTimeout)),
            ("lock_timeout", Self.milliseconds(lockTimeout)),
            ("idle_in_transaction_session_timeout", Self.milliseconds(idleInTransactionTimeout)),
        ]
    }

    /// A duration as the server takes it; 0 would mean no limit, so a shorter time than 1 ms is 1 ms.
    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = min(max(seconds, 0), 2_000_000) * 1_000 + attoseconds / 1_000_000_000_000_000
        return "\(max(1, milliseconds))ms"
    }
}
