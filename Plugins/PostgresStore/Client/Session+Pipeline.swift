internal import CLibPQ
internal import SwitchyardCore
internal import SwitchyardSQL

/// What may have to precede a statement in its round trip, as far as its answer has consequences.
enum Step {
    /// Alone, if the server must answer it before it sees the next step.
    case begin(isAlone: Bool)
    case lock
    case prepare(StatementCache.Key, name: String)
    case prepareCommand(String, name: String)
    case firstQuery(FirstQuery)
    /// One row, or the statement that fails if the first query would have been refused.
    case insert
    case other
}

extension Session {
    /// Sends one statement and whatever must precede it, in one round trip: the pending BEGIN, its settings, the
    /// deallocation of an old statement, the preparation.
    ///
    /// Afterwards, call `nextResult` until it returns nil, and then `finish`.
    ///
    /// - Throws: The error of the first step that failed.
    func start(_ sql: String, _ parameters: borrowing Parameters, isCached: Bool) throws {
        guard isCached, options.pooling == .session else {
            if !hasPending { return try parameters.withArrays { try send(sql, $0) } }
            return try inPipeline { steps in
                try sendPending(&steps)
                try parameters.withArrays { try send(sql, $0) }
            }
        }
        let key = StatementCache.Key(sql: sql, types: parameters.types)
        let known = statements.name(for: key)
        if let known, !hasPending { return try parameters.withArrays { try sendPrepared(known, $0) } }
        try inPipeline { steps in
            try sendPending(&steps)
            let name = try known ?? sendPrepare(key, &steps)
            try parameters.withArrays { try sendPrepared(name, $0) }
        }
    }

    /// Sends a statement once for each row of a batch.
    private func send(_ sql: String, _ batch: borrowing WireBatch, _ steps: inout [Step]) throws {
        guard options.pooling == .session else { return try batch.forEachRow { try send(sql, $0) } }
        let key = StatementCache.Key(sql: sql, types: batch.types.map(\.oid))
        let name = try statements.name(for: key) ?? sendPrepare(key, &steps)
        try batch.forEachRow { try sendPrepared(name, $0) }
    }

    /// Runs one statement for each of several batches, whose columns it takes as arrays.
    ///
    /// A batch is sent before the previous one has been answered, so that the server and the client do not wait for
    /// each other.
    ///
    /// - Parameters:
    ///   - sql: The statement.
    ///   - batch: The first batch.
    ///   - next: Adds the rows of the next batch to an empty one; none at the end. It must not use the session.
    ///   - take: Receives the result of each batch, in order. It must not use the session.
    /// - Throws: The error of the first batch that the server refuses; what the closures throw. The transaction must
    ///   then be rolled back.
    func executeAhead(
        _ sql: String, _ batch: consuming WireBatch, next: (inout WireBatch) throws -> Void,
        _ take: (borrowing QueryResult) throws -> Void
    ) throws {
        try enter()
        defer { leave() }
        var name: String?
        let first = try Parameters(columnsOf: batch)
        try inPipeline { steps in
            try sendPending(&steps)
            if options.pooling == .session {
                let key = StatementCache.Key(sql: sql, types: first.types)
                name = try statements.name(for: key) ?? sendPrepare(key, &steps)
            }
            try first.withArrays { try sendPrepared(name, orText: sql, $0) }
        }
        var unanswered = 1
        var failed: (any Error)?
        do {
            while true {
                batch.removeAll()
                try next(&batch)
                guard batch.count > 0 else { break }
                guard !canceller.isCancelled else { throw StoreError.taskCancelled }
                try Parameters(columnsOf: batch).withArrays { try sendPrepared(name, orText: sql, $0) }
                guard pq_pipelineSync(handle) == 1 else { throw clientFailure() }
                unanswered += 1
                try endOfBatch(&unanswered, take)
            }
            try endOfBatch(&unanswered, take)
        } catch { failed = error }
        finish(syncs: unanswered)
        if let failed { throw failed }
    }

    /// Sends the pending BEGIN and the held inserts by themselves, before something that cannot be part of a pipeline.
    func flushPending() throws {
        guard hasPending else { return }
        try inPipeline { try sendPending(&$0) }
        finish()
    }

    /// Ends a statement whose results have been read, and leaves the pipeline if there is one.
    ///
    /// - Parameter syncs: The number of syncs of the pipeline that have not been answered.
    func finish(syncs: Int = 1) {
        guard pq_pipelineStatus(handle) != PQ_PIPELINE_OFF else { return }
        do {
            var missing = syncs
            while missing > 0, !isBroken, pq_status(handle) == CONNECTION_OK {
                // The results of each step end with nil; the last step is the sync.
                guard let pointer = try nextResult() else { continue }
                if QueryResult(pointer).status == PGRES_PIPELINE_SYNC { missing -= 1 }
            }
        } catch { markBroken() }
        if pq_exitPipelineMode(handle) == 0 { markBroken() }
    }

    func inPipeline(_ send: (inout [Step]) throws -> Void) throws {
        guard pq_enterPipelineMode(handle) == 1 else { throw clientFailure() }
        var steps: [Step] = []
        // As many as a small transaction has.
        steps.reserveCapacity(8)
        do {
            try send(&steps)
            guard pq_pipelineSync(handle) == 1 else { throw clientFailure() }
        } catch {
            // Queued commands cannot be withdrawn.
            markBroken()
            throw error
        }
        var failed: (any Error)?
        for step in steps where failed == nil {
            switch step {
            case .begin(isAlone: true): failed = try waitingBriefly { try endOfStep() }
            case .lock: failed = try endOfStep().map(lockFailure)
            case .firstQuery(let query):
                var refused: (any Error)?
                failed = try endOfStep { result in
                    guard !result.isFailure else { return }
                    do { try query.take(result) } catch { refused = error }
                }
                failed = failed ?? refused
            case .insert:
                let error = try endOfStep()
                if let error, let transaction, transaction.holdsInserts, isErrorOfBody(error) {
                    transaction.refusal = .insert
                }
                failed = error
            case .begin, .prepare, .prepareCommand, .other: failed = try endOfStep()
            }
            if failed == nil { complete(step) }
        }
        if let failed {
            finish()
            throw failed
        }
    }

    /// Whether the session has been unused for so long that the server may have vanished unnoticed.
    ///
    /// Not with a pooler, which may delay a BEGIN for good reasons.
    var isUntrusted: Bool {
        options.pooling == .session && ContinuousClock.now - lastUse >= options.trust
    }

    /// Reads the result of a batch and the sync that follows.
    private func endOfBatch(
        _ unanswered: inout Int, _ take: (borrowing QueryResult) throws -> Void
    ) throws {
        var refused: (any Error)?
        let failed = try endOfStep { result in
            guard !result.isFailure, refused == nil else { return }
            do { try take(result) } catch { refused = error }
        }
        if let error = failed ?? refused { throw error }
        guard let pointer = try nextResult(), QueryResult(pointer).status == PGRES_PIPELINE_SYNC else {
            markBroken()
            throw clientFailure()
        }
        unanswered -= 1
    }

    /// Reads the single result of a step and the nil that follows.
    private func endOfStep(_ body: (borrowing QueryResult) -> Void = { _ in }) throws -> StoreError? {
        var failed: StoreError?
        while let pointer = try nextResult() {
            let result = QueryResult(pointer)
            if result.isFailure, failed == nil { failed = failure(result) }
            if isBroken { break }
            body(result)
        }
        return failed
    }

    private func complete(_ step: Step) {
        switch step {
        case .begin: if case .pending(let transaction, _) = state { state = .open(transaction) }
        case .firstQuery: transaction?.firstQuery = nil
        case .prepare(let key, let name): statements.insert(key, name: name)
        case .prepareCommand(let text, let name): statements.insertCommand(text, name: name)
        case .lock, .insert, .other: break
        }
    }

    /// Whether an error has its place in the body: it does not depend on others, or on a task that was cancelled.
    private func isErrorOfBody(_ error: StoreError) -> Bool {
        !isBroken && !error.isTransient && !canceller.isCancelled
    }

    /// Whether a BEGIN or inserts wait for the next statement.
    var hasPending: Bool { isPending || transaction?.heldInserts.isEmpty == false }

    /// Sends what precedes the next statement or, if it is the last, the COMMIT.
    func sendPending(_ steps: inout [Step], isLast: Bool = false) throws {
        guard let transaction else { return }
        if case .pending(_, let endsRead) = state {
            if endsRead {
                state = .pending(transaction, endsRead: false)
                try sendCommand("ROLLBACK", &steps)
                steps.append(.other)
            }
            try sendBegin(of: transaction, &steps, isLast: isLast)
        }
        let inserts = transaction.heldInserts
        transaction.heldInserts = []
        for insert in inserts {
            try send(insert.sql, insert.rows, &steps)
            for _ in 0..<insert.rows.count { steps.append(.insert) }
        }
    }

    private func sendBegin(of transaction: Transaction, _ steps: inout [Step], isLast: Bool) throws {
        try sendCommand(transaction.begin.sql, &steps)
        let isAlone = isUntrusted
        if isAlone, pq_sendFlushRequest(handle) == 0 { throw clientFailure() }
        steps.append(.begin(isAlone: isAlone))
        // The lock must precede the first statement that takes a snapshot.
        for sql in preamble(of: transaction) {
            try send(sql, .none)
            steps.append(.lock)
        }
        if options.pooling == .transaction {
            try send(settingsSQL(isLocal: true), .none)
            steps.append(.other)
        }
        if let identity = transaction.identity {
            let settings = Self.settings(of: identity)
            try send(settings.text, try Parameters(settings), &steps)
            steps.append(.other)
        }
        if case .queued(let queue) = transaction.begin {
            try send(queue.text, try Parameters(queue), &steps)
            steps.append(.other)
        }
        guard let firstQuery = transaction.firstQuery else { return }
        if isLast {
            let requirement = firstQuery.requirement()
            try send(requirement.text, try Parameters(requirement), &steps)
            steps.append(.insert)
        } else {
            try send(firstQuery.sql, Parameters(), &steps)
            steps.append(.firstQuery(firstQuery))
        }
    }

    /// Translates an error of the LOCK statement into one after which the transaction is retried without a lock, if the
    /// server does not support it, does not permit it to this user, or does not grant it in time.
    private func lockFailure(_ error: StoreError) -> StoreError {
        let sqlState = (error.underlying as? PostgresError)?.sqlState.prefix(2) ?? ""
        guard !isBroken, let transaction, transaction.mayGoUnlocked, ["0A", "42", "55"].contains(sqlState)
        else { return error }
        transaction.refusal = .lock
        return StoreError(.serialization, error.message, underlying: error.underlying)
    }

    /// Sends a statement that is likely to be repeated.
    func send(_ sql: String, _ parameters: borrowing Parameters, _ steps: inout [Step]) throws {
        var name: String?
        if options.pooling == .session {
            let key = StatementCache.Key(sql: sql, types: parameters.types)
            name = try statements.name(for: key) ?? sendPrepare(key, &steps)
        }
        try parameters.withArrays { try sendPrepared(name, orText: sql, $0) }
    }

    private func sendPrepare(_ key: StatementCache.Key, _ steps: inout [Step]) throws -> String {
        if let victim = statements.evict() {
            try send("DEALLOCATE \(victim)", .none)
            steps.append(.other)
        }
        let name = statements.newName()
        guard pq_sendPrepare(handle, name, key.sql, Int32(key.types.count), key.types) == 1 else {
            throw clientFailure()
        }
        steps.append(.prepare(key, name: name))
        return name
    }

    /// Sends a command that every transaction needs; if the session keeps prepared statements, it is prepared once.
    func sendCommand(_ sql: String, _ steps: inout [Step]) throws {
        guard options.pooling == .session else { return try send(sql, .none) }
        if let name = statements.commandName(of: sql) { return try sendPrepared(name, .none) }
        let name = statements.newName()
        guard pq_sendPrepare(handle, name, sql, 0, nil) == 1 else { throw clientFailure() }
        steps.append(.prepareCommand(sql, name: name))
        try sendPrepared(name, .none)
    }

    private func sendPrepared(
        _ name: String?, orText sql: String, _ arrays: Parameters.Arrays
    ) throws {
        if let name { try sendPrepared(name, arrays) } else { try send(sql, arrays) }
    }

    func send(_ sql: String, _ arrays: Parameters.Arrays) throws {
        guard
            pq_sendQueryParams(
                handle, sql, arrays.count, arrays.types, arrays.values, arrays.lengths, arrays.formats, 1)
                == 1
        else { throw clientFailure() }
    }

    private func sendPrepared(_ name: String, _ arrays: Parameters.Arrays) throws {
        let isSent = name.withCString { name in
            pq_sendQueryPrepared(handle, name, arrays.count, arrays.values, arrays.lengths, arrays.formats, 1)
                == 1
        }
        guard isSent else { throw clientFailure() }
    }
}
