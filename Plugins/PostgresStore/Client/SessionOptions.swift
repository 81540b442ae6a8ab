internal import SwitchyardCore

/// The settings of a session, which override the defaults of the server and the user.
struct SessionOptions: Sendable {
    /// Whether a pooler hands out the server's sessions.
    enum Pooling: String, Sendable, CaseIterable {
        /// A connection is one session: it keeps its settings and its prepared statements.
        case session
        /// A pooler such as PgBouncer in transaction mode: each transaction may get another session.
        ///
        /// Settings travel with each transaction, and no named statement is prepared.
        case transaction
    }

    /// The schema of unqualified names.
    var schema = "public"
    /// Whether a pooler hands out the server's sessions.
    var pooling = Pooling.session
    /// How long one statement may run.
    var statementTimeout = Duration.seconds(600)
    /// How long a statement may wait for a lock.
    var lockTimeout = Duration.seconds(10)
    /// How long a transaction may be idle.
    var idleInTransactionTimeout = Duration.seconds(60)
    /// How long the server may take for what it can do at once, such as a ROLLBACK, and for a statement beyond the
    /// statement timeout, before the connection is given up.
    var patience = Duration.seconds(5)
    /// The pause after which a BEGIN is sent alone and must be answered within `patience`: the server may have vanished
    /// in the meantime, and the transaction can still run on another connection.
    var trust = Duration.seconds(5)
    /// The maximum number of prepared statements per connection.
    var statementCacheCapacity = 128
    /// The schema whose names errors use; nil for the names of the database.
    var storeSchema: Schema?

    /// The settings of the session, by the server's names for them.
    var settings: [(name: String, value: String)] {
        let schema = "\"" + schema.replacingBytes(of: "\"", with: "\"\"") + "\""
        return [
            ("client_encoding", "UTF8"),
            ("TimeZone", "UTC"),
            ("standard_conforming_strings", "on"),
            // Temporary tables come last, so that none can hide a table of the store.
            ("search_path", schema + ", pg_temp"),
            ("default_transaction_isolation", "serializable"),
            ("statement_timeout", Self.milliseconds(statementTimeout)),
            ("lock_timeout", Self.milliseconds(lockTimeout)),
            ("idle_in_transaction_session_timeout", Self.milliseconds(idleInTransactionTimeout)),
        ]
    }

    /// A duration in milliseconds for the server, at least 1 because 0 would mean no limit.
    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let perMillisecond: Int64 = 1_000_000_000_000_000
        let milliseconds = min(max(seconds, 0), 2_000_000) * 1_000 + attoseconds / perMillisecond
        return "\(max(1, milliseconds))ms"
    }
}
