public import SwitchyardCore
internal import SwitchyardSQL

/// A store in a schema of a PostgreSQL database, for any number of clients at once.
///
/// `PostgresPlugin` opens it. Each transaction has a connection, and that connection's thread, to itself. Writes are
/// serializable and are run again after a serialization failure; those of a store that keeps a history queue, scope by
/// scope. Reads see one snapshot.
public final class PostgresStore: Store, CommitCounting {
    /// The schema of the rows.
    public let schema: Schema
    /// The server and database, and the server's version.
    public let info: StoreInfo
    /// The store's commits.
    public let commits: CommitFeed
    let plan: SQLPlan
    let pool: ConnectionPool
    private let channel: CommitChannel
    private let isReadOnly: Bool
    private let scope: StoreScope?
    private let session: WriteSession
    private let telemetry: StoreTelemetry
    private let retry = RetryPolicy()

    init(
        plan: SQLPlan, pool: ConnectionPool, info: StoreInfo, options: OpenOptions,
        marker: StoreMarker, telemetry: StoreTelemetry
    ) {
        schema = plan.schema
        self.plan = plan
        self.pool = pool
        self.info = info
        self.telemetry = telemetry
        isReadOnly = options.access == .readOnly
        scope = options.scope
        let scopes = options.scope.map { [$0] } ?? []
        let channel = CommitChannel(storeID: marker.storeID)
        self.channel = channel
        let servesScopes = plan.sql.isScoped && pool.keepsSessions && !plan.sql.isDistributed
        commits = CommitFeed(
            watchingOthers: { [plan, pool] body in
                if scopes.isEmpty, pool.keepsSessions {
                    // A standby, for example, does not allow LISTEN.
                    do {
                        return try await CommitListener(channel.listening, pool) { senders in
                            if senders?.contains(where: channel.isNews) ?? true { body() }
                        }
                    } catch is StoreError {}
                }
                do { return try await HeadPoll(pool, plan: plan, scopes: scopes, body) } catch {
                    throw error.asThrown
                }
            },
            tellingBy: servesScopes ? ScopeNotifications(storeID: marker.storeID, pool) : nil)
        session = WriteSession(schema: plan.schema, options: options, history: marker.history)
    }

    /// Reads from one snapshot.
    ///
    /// - Returns: What the body returns.
    /// - Throws: As `Store` says; `busy` if no connection became free in time.
    public func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await inTransaction(
            .snapshot, of: try options.scopes(inStoreOf: scope), identity: options.identity
        ) { [schema] driver in
            try ReadTransaction.run(
                schema: schema, driver: driver, options: options, telemetry: driver.telemetry, body)
        }
    }

    /// Writes in one serializable transaction.
    ///
    /// - Returns: What the body returns.
    /// - Throws: As `Store` says; `busy` if no connection became free in time or another transaction held a lock for
    ///   too long.
    public func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        guard !isReadOnly else { throw StoreError.openedReadOnly }
        let scopes = try scopes(of: options.scope)
        let begin: Begin = options.excludesWriters ? .exclusive : .serializable
        do {
            return try await inTransaction(
                begin, of: scopes, identity: options.identity, author: options.author
            ) { [schema, session] driver in
                try WriteTransaction.run(
                    schema: schema, driver: driver, session: session, options: options,
                    telemetry: driver.telemetry, body)
            }
        } catch var error as StoreError where error.code == .outcomeUnknown {
            channel.noteUnknownOutcome()
            commits.announce(schema.entities.map(\.name), in: scopes.first)
            error.operation = options.operation
            throw error
        }
    }

    /// Returns whether the write with an operation id was committed.
    ///
    /// On a server that takes writes, the answer is final: it waits for a commit that is still in progress. A server
    /// that takes none, such as a standby, answers by what it has replayed so far.
    ///
    /// - Returns: True if it was committed. False also if it was committed more than seven days ago, by the server's
    ///   clock.
    /// - Throws: `busy` if the commit stays in progress for too long; a `StoreError` if the store cannot be queried.
    public func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        let scopes = try scopes(of: scope)
        if isReadOnly { return try await hasSeen(operation, scopes) }
        do {
            // Only one transaction can record the id: a second one waits for the first, and then fails.
            try await inTransaction(.serializable, of: scopes) { driver in
                try driver.record(operation)
                throw NotCommitted()
            }
            return true
        } catch is NotCommitted {
            return false
        } catch let error as StoreError where error.code == .duplicateOperation {
            // The write did not learn of its commit, so it was not announced then.
            commits.announce(schema.entities.map(\.name), in: scopes.first)
            return true
        } catch let error as StoreError where error.code == .readOnly {
            return try await hasSeen(operation, scopes)
        }
    }

    private func hasSeen(_ operation: OperationID, _ scopes: [StoreScope]) async throws -> Bool {
        try await inTransaction(.snapshot, of: scopes) { driver in try driver.hasRecorded(operation) }
    }

    /// Looks for damage: tables, columns, keys and indexes that are missing or wrong, rows that cannot be decoded and
    /// dangling references.
    ///
    /// - Returns: The faults found, one sentence each.
    /// - Throws: A `StoreError` if the store cannot be queried.
    /// - Complexity: O(rows); it reads every one.
    public func check() async throws -> [String] {
        try await inTransaction(.snapshot, of: try scopes(of: nil)) { driver in try driver.faults() }
    }

    /// The id after that of the server's last transaction that has ended, of those that write; nil while one with an earlier
    /// id is under way, and where others may write without an id of this server's, or a trigger with that of another write.
    ///
    /// What two snapshots see is the same if they give the same number; if the second gives one more, it differs by one
    /// transaction.
    public func commitCount() async -> Int? {
        guard !plan.sql.isScoped else { return nil }
        return try? await pool.run { [namespace = plan.sql.namespace] session in
            var count: Int?
            try session.begin(.snapshot)
            try session.query(
                SQLStatement(
                    text: """
                        SELECT CASE WHEN txid_snapshot_xmin(now) = txid_snapshot_xmax(now) AND NOT EXISTS (
                            SELECT FROM pg_catalog.pg_class AS c
                            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                            LEFT JOIN pg_catalog.pg_trigger AS t ON t.tgrelid = c.oid AND NOT t.tgisinternal
                            WHERE n.nspname = $1 AND (t.oid IS NOT NULL OR c.relkind IN ('f', 'p', 'v')))
                            AND NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'citus')
                        THEN txid_snapshot_xmax(now) END FROM txid_current_snapshot() AS now
                        """, parameters: [.value(.text(namespace ?? "public"), .text)]), types: [.int],
                context: ErrorContext(entity: "txid_current_snapshot", attributes: ["xmax"])
            ) { row in
                if case .int(let id) = try row.read(.int) { count = Int(id) }
                return false
            }
            try session.endRead()
            return count
        }
    }

    /// Waits for the transactions in progress and closes all connections.
    public func close() async throws {
        commits.close()
        await pool.close()
    }

    /// The scope of a write, by default the store's own, as drivers take it: a list of one or none.
    private func scopes(of given: StoreScope?) throws -> [StoreScope] {
        try WriteOptions(scope: given).scope(inStoreOf: scope).map { [$0] } ?? []
    }

    /// Runs work in one transaction, and again after a serialization failure.
    private func inTransaction<Result: Sendable>(
        _ begin: Begin, of scopes: [StoreScope], identity: ScopeIdentity? = nil, author: String? = nil,
        _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws -> Result {
        try await telemetry.transaction(begin.kind, author: author) {
            try await inTransaction(begin, of: scopes, identity, telemetry: $0, body)
        }
    }

    private func inTransaction<Result: Sendable>(
        _ begin: Begin, of scopes: [StoreScope], _ identity: ScopeIdentity?,
        telemetry: TransactionTelemetry?,
        _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws -> Result {
        let locked: Set<String> = if case .exclusive = begin { [SQLGenerator.queueTable] } else { [] }
        let contention = Contention(namespace: plan.sql.namespace, locking: locked)
        do {
            return try await retry.run(telemetry) { [pool, plan, commits, channel] _ in
                do {
                    return try await pool.run { session in
                        func run(holdsInserts: Bool) throws -> Result {
                            try session.begin(
                                begin, of: identity, lock: contention.lock,
                                isDistributed: plan.sql.isDistributed, holdsInserts: holdsInserts)
                            let transaction = PostgresTransaction(
                                session, plan: plan, scopes: scopes, telemetry: telemetry)
                            var changed: [String] { plan.schema.names(ofTables: transaction.writtenTables) }
                            do {
                                let result = try body(transaction)
                                switch begin {
                                case .serializable, .queued, .exclusive:
                                    try transaction.requireReferences()
                                    // Of the marker, because the data may be elsewhere from now on.
                                    let isOfMarker = if case .exclusive = begin { true } else { false }
                                    let isQueued = session.transaction?.isQueued == true
                                    let isNews = isOfMarker || isQueued && !changed.isEmpty
                                    let isTold = scopes.isEmpty && isNews
                                    try session.commit(with: isTold ? channel.notification : nil)
                                    if commits.isFollowed { commits.announce(changed, in: scopes.first) }
                                case .snapshot: try session.endRead()
                                }
                                return result
                            } catch {
                                contention.note(transaction)
                                throw error
                            }
                        }
                        do { return try run(holdsInserts: true) } catch {
                            guard session.transaction?.refusal == .insert else { throw error }
                            session.rollback()
                            return try run(holdsInserts: false)
                        }
                    }
                } catch let error as StoreError {
                    // If the pool is closed in between, the error is that of the lost run: the pool only kept it from
                    // being repeated.
                    if error.code == .closed, pool.isClosed, let loss = contention.lastError {
                        throw FinalError(loss)
                    }
                    contention.lose(error)
                    throw FinalError(lockTimeout: error) ?? error
                }
            }
        } catch let error as FinalError {
            throw error.storeError
        } catch let error as StoreError where error.code == .serialization {
            throw error.afterAttempts(retry.attempts)
        }
    }
}

extension Begin {
    fileprivate var kind: TransactionTelemetry.Kind {
        switch self {
        case .serializable, .queued, .exclusive: .write
        case .snapshot: .read
        }
    }
}

/// Rolls back the record of an operation that had not been committed.
private struct NotCommitted: Error {}
