internal import CLibPQ
internal import SwitchyardCore

/// What may have to come before a statement in its round trip.
private enum Step {
    case begin
    case settings
    case deallocate
    case prepare(StatementCache.Key, name: String)
}

extension Session {
    /// Sends one statement, with whatever must come before it, in one round trip: the BEGIN that is pending, its
    /// settings, room in the statement cache, the preparation.
    ///
    /// Afterwards `PQgetResult` gives the statement's results up to nil; then `finish` is due.
    ///
    /// - Throws: The error of the first step that failed.
    func start(_ sql: String, _ parameters: borrowing Parameters, isCached: Bool) throws {
        guard !isBroken else { throw clientFailure() }
        guard isCached, options.pooling == .session else {
            if pendingBegin == nil { return try send(sql, parameters) }
            return try inPipeline { steps in
                try sendBegin(&steps)
                try send(sql, parameters)
            }
        }
        let key = StatementCache.Key(sql: sql, types: parameters.types)
        let known = statements.name(for: key)
        if let known, pendingBegin == nil { return try sendPrepared(known, parameters) }
        try inPipeline { steps in
            try sendBegin(&steps)
            let name = try known ?? sendPrepare(key, parameters, &steps)
            try sendPrepared(name, parameters)
        }
    }

    /// Sends the pending BEGIN by itself, before something that cannot be in a pipeline.
    func flushBegin() throws {
        guard let begin = pendingBegin else { return }
        try simple(options.pooling == .session ? begin.sql : "\(begin.sql); \(settingsSQL(isLocal: true))")
        pendingBegin = nil
    }

    /// Ends a statement whose results have been read, and leaves the pipeline if there is one.
    func finish() {
        guard PQpipelineStatus(handle) != PQ_PIPELINE_OFF else { return }
        while !isBroken, PQstatus(handle) == CONNECTION_OK {
            // A nil ends the results of one step; the last step is the sync.
            guard let pointer = PQgetResult(handle) else { continue }
            if QueryResult(pointer).status == PGRES_PIPELINE_SYNC { break }
        }
        if PQexitPipelineMode(handle) == 0 { markBroken() }
    }

    private func inPipeline(_ send: (inout [Step]) throws -> Void) throws {
        guard PQenterPipelineMode(handle) == 1 else { throw clientFailure() }
        var steps: [Step] = []
        do {
            try send(&steps)
            guard PQpipelineSync(handle) == 1 else { throw clientFailure() }
        } catch {
            // What has been queued cannot be taken back.
            markBroken()
            throw error
        }
        var failed: StoreError?
        for step in steps where failed == nil {
            failed = endOfStep()
            if failed == nil { complete(step) }
        }
        if let failed {
            finish()
            throw failed
        }
    }

    /// Reads the one result of a step and the nil after it.
    private func endOfStep() -> StoreError? {
        var failed: StoreError?
        while let pointer = PQgetResult(handle) {
            let result = QueryResult(pointer)
            if result.isFailure, failed == nil { failed = failure(result) }
            if isBroken { break }
        }
        return failed
    }

    private func complete(_ step: Step) {
        switch step {
        case .begin: pendingBegin = nil
        case .prepare(let key, let name): statements.insert(key, name: name)
        case .settings, .deallocate: break
        }
    }

    private func sendBegin(_ steps: inout [Step]) throws {
        guard let begin = pendingBegin else { return }
        try send(begin.sql, Parameters())
        steps.append(.begin)
        if options.pooling == .transaction {
            try send(settingsSQL(isLocal: true), Parameters())
            steps.append(.settings)
        }
    }

    private func sendPrepare(
        _ key: StatementCache.Key, _ parameters: borrowing Parameters, _ steps: inout [Step]
    ) throws -> String {
        if let victim = statements.evict() {
            try send("DEALLOCATE \(victim)", Parameters())
            steps.append(.deallocate)
        }
        let name = statements.newName()
        let isSent = parameters.withArrays { PQsendPrepare(handle, name, key.sql, $0.count, $0.types) }
        guard isSent == 1 else { throw clientFailure() }
        steps.append(.prepare(key, name: name))
        return name
    }

    private func send(_ sql: String, _ parameters: borrowing Parameters) throws {
        let isSent = parameters.withArrays {
            PQsendQueryParams(handle, sql, $0.count, $0.types, $0.values, $0.lengths, $0.formats, 1)
        }
        guard isSent == 1 else { throw clientFailure() }
    }

    private func sendPrepared(_ name: String, _ parameters: borrowing Parameters) throws {
        let isSent = parameters.withArrays {
            PQsendQueryPrepared(handle, name, $0.count, $0.values, $0.lengths, $0.formats, 1)
        }
        guard isSent == 1 else { throw clientFailure() }
    }
}
