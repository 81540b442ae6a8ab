internal import CLibPQ
internal import SwitchyardCore

extension Session {
    /// Runs one statement and collects its result.
    ///
    /// - Parameters:
    ///   - sql: The statement, with `$1`, `$2`, … for its parameters.
    ///   - parameters: Their values.
    ///   - isCached: Whether the statement is likely to be repeated, and worth preparing.
    /// - Returns: The rows, and the number of affected rows.
    /// - Throws: The translation of the server's error; `connectionLost`; `cancelled`.
    func execute(
        _ sql: String, _ parameters: borrowing Parameters = Parameters(), isCached: Bool = true
    ) throws -> QueryResult {
        do {
            return try executeOnce(sql, parameters, isCached: isCached)
        } catch let error as StoreError where canRetryStalePlan(error) {
            try deallocateAll()
            return try executeOnce(sql, parameters, isCached: isCached)
        }
    }

    private func executeOnce(
        _ sql: String, _ parameters: borrowing Parameters, isCached: Bool
    ) throws -> QueryResult {
        try enter()
        defer { leave() }
        try start(sql, parameters, isCached: isCached)
        return try collect()
    }

    /// Runs one statement and calls the body with each row as it arrives, in constant memory, until the body returns
    /// false.
    ///
    /// `body` must not use the session. If it throws, the statement may be cancelled on the server, and with it the
    /// transaction.
    ///
    /// Each row is a result of its own. For 1,000,000 rows of eight columns that is as fast as collecting them in one
    /// result, because server and client work in parallel; `forEachCopiedRow` is faster.
    ///
    /// - Throws: As `execute`; `corrupted` for a value that no attribute can have; what `body` throws.
    func forEachRow(
        _ sql: String, _ parameters: borrowing Parameters = Parameters(), types: [WireType]? = nil,
        isCached: Bool = true, _ body: (UnsafeBufferPointer<Cell>) throws -> Bool
    ) throws {
        try enter()
        defer { leave() }
        try start(sql, parameters, isCached: isCached)
        _ = pq_setSingleRowMode(handle)
        var decoder: RowDecoder?
        var isWanted = true
        var failed: (any Error)?
        var (wanted, unwanted) = (0, 0)
        do {
            while let pointer = try nextResult() {
                let result = QueryResult(pointer)
                if result.status == PGRES_SINGLE_TUPLE {
                    guard isWanted else {
                        unwanted += 1
                        if failed != nil, unwanted == Self.patience { canceller.interrupt() }
                        continue
                    }
                    do {
                        wanted += 1
                        try requireUse(afterRows: wanted)
                        if decoder == nil { decoder = RowDecoder(pointer, expecting: types) }
                        switch decoder {
                        case .some(let decoder): isWanted = try body(decoder.decode(pointer, row: 0))
                        case .none: isWanted = false
                        }
                    } catch {
                        failed = error
                        isWanted = false
                    }
                } else if result.isFailure {
                    let error = failure(result)
                    failed = failed ?? error
                }
                if isBroken { break }
            }
        } catch { failed = failed ?? error }
        finish()
        if let failed { throw failed }
    }

    /// Looks from time to time whether anyone still waits for the rows: many can arrive before a request to cancel the
    /// statement has reached the server.
    ///
    /// - Throws: `cancelled`.
    func requireUse(afterRows count: Int) throws {
        if count.isMultiple(of: 64), canceller.isCancelled { throw StoreError.taskCancelled }
    }

    /// The number of rows to read to no purpose, after a failure, before the statement is cancelled.
    private static var patience: Int { 1_000 }

    /// Runs a command without parameters that is not worth preparing, such as `SAVEPOINT s1`.
    ///
    /// A single one takes one round trip with what is pending; several in one text, separated by `;`, take their own.
    func command(_ sql: String) throws {
        try enter()
        defer { leave() }
        guard hasPending, !sql.contains(";") else {
            try flushPending()
            try simple(sql)
            return
        }
        try inPipeline { steps in
            try sendPending(&steps)
            try send(sql, .none)
            steps.append(.other)
        }
        finish()
    }

    /// Runs SQL that may contain several statements and may change the session's settings, such as DDL.
    func script(_ sql: String) throws {
        upkeep.insert(.settings)
        try command(sql)
    }

    /// Sends SQL by the simple query protocol and collects the result.
    @discardableResult
    func simple(_ sql: String) throws -> String {
        guard !isBroken, pq_sendQuery(handle, sql) == 1 else { throw clientFailure() }
        return try collect().command
    }

    /// Deallocates the prepared statements, which no longer fit the schema.
    func deallocateAll() throws {
        upkeep.remove(.statements)
        statements.removeAll()
        try simple("DEALLOCATE ALL")
    }

    private func canRetryStalePlan(_ error: StoreError) -> Bool {
        guard let underlying = error.underlying as? PostgresError, underlying.isStalePlan else {
            return false
        }
        // Within a transaction, the failure has aborted it, and the whole transaction must be retried.
        return !isBroken && pq_transactionStatus(handle) == PQTRANS_IDLE
    }

    /// Reads all results of the statement; returns the last one, or the first failure.
    func collect() throws -> QueryResult {
        var last: QueryResult?
        var failed: StoreError?
        while let pointer = try nextResult() {
            let result = QueryResult(pointer)
            switch result.status {
            case PGRES_COPY_IN:
                // Without an end, the server would wait for the rows of this COPY for ever.
                _ = pq_putCopyEnd(handle, "COPY is not possible here")
            case PGRES_COPY_OUT: try discardCopy()
            default: break
            }
            if result.isFailure {
                let error = failure(result)
                failed = failed ?? error
            }
            last = consume result
            if isBroken { break }
        }
        finish()
        if let failed { throw failed }
        guard let last else { throw clientFailure() }
        return last
    }

    /// Reads and discards the rows of an unexpected COPY.
    private func discardCopy() throws {
        var row: UnsafeMutablePointer<CChar>?
        var length: Int32 = 0
        repeat {
            try wait {
                length = pq_getCopyData(handle, &row, 1)
                return length != 0
            }
            pq_freemem(row)
            row = nil
        } while length > 0
    }
}
