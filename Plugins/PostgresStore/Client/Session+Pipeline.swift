internal import CLibPQ
internal import SwitchyardCore
internal import SwitchyardSQL

/// What may have to precede a statement in its round trip.
enum Step {
    /// The ROLLBACK of the last read.
    case endOfRead
    /// Alone, if the server must answer it before it sees the next step.
    case begin(isAlone: Bool)
    case lock
    case settings
    /// The wait for other writers.
    case queue
    case deallocate
    case prepare(StatementCache.Key, name: String)
    case prepareCommand(String, name: String)
    case firstQuery(FirstQuery)
    /// The statement that fails if the first query would have been refused.
    case requirement
    /// One row.
    case insert
    case notification
    case commit
}

extension Session {
    /// Sends one statement and whatever must precede it, in one round trip: the pending BEGIN, its settings, the
    /// deallocation of an old statement, the preparation.
    ///
    /// Afterwards, call `nextResult` until it returns nil, and then `finish`.
    ///
    /// - Throws: The error of the first step that failed.
    func start(_ sql: String, _ parameters: borrowing Parameters, isCached: Bool) throws {
        guard !isBroken else { throw clientFailure() }
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
        guard !isBroken else { throw clientFailure() }
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
        if !heldInserts.isEmpty {
            try inPipeline { try sendPending(&$0) }
            return finish()
        }
        guard let begin = pendingBegin else { return }
        let text = hasOpenRead ? "ROLLBACK; \(begin.sql)" : begin.sql
        hasOpenRead = false
        _ = isUntrusted ? try waitingBriefly { try simple(text) } : try simple(text)
        pendingBegin = nil
        if !preamble.isEmpty {
            do { try simple(preamble.joined(separator: "; ")) } catch let error as StoreError {
                throw lockFailure(error)
            }
        }
        if options.pooling == .transaction { try simple(settingsSQL(isLocal: true)) }
        if case .queued(let queue) = begin {
            try start(queue.text, try Parameters(queue), isCached: true)
            _ = try collect()
        }
        guard let first = firstQuery else { return }
        firstQuery = nil
        try start(first.sql, Parameters(), isCached: true)
        try first.take(try collect())
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
            case .insert, .requirement:
                let error = try endOfStep()
                if let error, holdsInserts { hasFailedLate = isErrorOfBody(error) }
                failed = error
            case .endOfRead, .begin, .settings, .queue, .deallocate, .prepare, .prepareCommand, .notification,
                .commit:
                failed = try endOfStep()
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
        case .begin: pendingBegin = nil
        case .firstQuery: firstQuery = nil
        case .prepare(let key, let name): statements.insert(key, name: name)
        case .prepareCommand(let text, let name): statements.insertCommand(text, name: name)
        case .endOfRead, .lock, .settings, .queue, .deallocate, .requirement, .insert, .notification,
            .commit:
            break
        }
    }

    /// Whether an error has its place in the body: it does not depend on others, or on a task that was cancelled.
    private func isErrorOfBody(_ error: StoreError) -> Bool {
        !isBroken && !error.isTransient && !canceller.isCancelled
    }

    private var hasPending: Bool { pendingBegin != nil || !heldInserts.isEmpty }

    /// Sends what precedes the next statement or, if it is the last, the COMMIT.
    func sendPending(_ steps: inout [Step], isLast: Bool = false) throws {
        try sendBegin(&steps, isLast: isLast)
        let inserts = heldInserts
        heldInserts = []
        for insert in inserts {
            try send(insert.sql, insert.rows, &steps)
            for _ in 0..<insert.rows.count { steps.append(.insert) }
        }
    }

    private func sendBegin(_ steps: inout [Step], isLast: Bool) throws {
        guard let begin = pendingBegin else { return }
        if hasOpenRead {
            hasOpenRead = false
            try sendCommand("ROLLBACK", &steps)
            steps.append(.endOfRead)
        }
        try sendCommand(begin.sql, &steps)
        let isAlone = isUntrusted
        if isAlone, pq_sendFlushRequest(handle) == 0 { throw clientFailure() }
        steps.append(.begin(isAlone: isAlone))
        // The lock must precede the first statement that takes a snapshot.
        for sql in preamble {
            try send(sql, .none)
            steps.append(.lock)
        }
        if options.pooling == .transaction {
            try send(settingsSQL(isLocal: true), .none)
            steps.append(.settings)
        }
        if case .queued(let queue) = begin {
            try send(queue.text, try Parameters(queue), &steps)
            steps.append(.queue)
        }
        guard let firstQuery else { return }
        if isLast {
            let requirement = firstQuery.requirement()
            try send(requirement.text, try Parameters(requirement), &steps)
            steps.append(.requirement)
        } else {
            try send(firstQuery.sql, Parameters(), &steps)
            steps.append(.firstQuery(firstQuery))
        }
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
            steps.append(.deallocate)
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

    private func send(_ sql: String, _ arrays: Parameters.Arrays) throws {
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
