internal import CLibPQ
internal import SwitchyardCore

extension Session {
    /// Runs one statement and collects its result.
    ///
    /// - Parameters:
    ///   - sql: The statement, with `$1`, `$2`, … for its parameters.
    ///   - parameters: Their values.
    ///   - isCached: Whether the statement is likely to come again and worth preparing.
    /// - Returns: Its rows and the number of rows that it touched.
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
        return try QueryResult(collect())
    }

    /// Runs one statement and passes its rows on as they come, in constant memory, until `body` returns false.
    ///
    /// When `body` throws, the statement may be cancelled on the server and with it the transaction.
    ///
    /// - Throws: As `execute`, and what `body` throws.
    func forEachRow(
        _ sql: String, _ parameters: borrowing Parameters = Parameters(), types: [WireType]? = nil,
        isCached: Bool = true, _ body: (UnsafeBufferPointer<Cell>) throws -> Bool
    ) throws {
        let stream = try RowStream(self, sql, parameters, types: types, isCached: isCached)
        do {
            while let cells = try stream.next() {
                guard try body(cells) else { break }
            }
            stream.close()
        } catch {
            stream.close(isFailed: true)
            throw error
        }
    }

    /// Runs a command without parameters that is not worth preparing, such as `SAVEPOINT s1`.
    func command(_ sql: String) throws {
        try flushBegin()
        try simple(sql)
    }

    /// Runs SQL that may hold several statements and may change the session's settings, such as DDL.
    func script(_ sql: String) throws {
        mayHaveChangedSettings = true
        try enter()
        defer { leave() }
        try command(sql)
    }

    /// Sends text in the simple protocol and collects what comes back.
    @discardableResult
    func simple(_ sql: String) throws -> String {
        try vacate()
        guard !isBroken, PQsendQuery(handle, sql) == 1 else { throw clientFailure() }
        return try QueryResult(collect()).command
    }

    /// Forgets the statements that no longer fit the schema.
    func deallocateAll() throws {
        hasStalePlans = false
        statements.removeAll()
        try simple("DEALLOCATE ALL")
    }

    /// Frees the connection for another statement.
    func vacate() throws {
        guard let occupant else { return }
        self.occupant = nil
        try occupant.vacate()
    }

    /// Announces a statement that may be cancelled.
    func enter() throws {
        try vacate()
        guard canceller.enter() else { throw StoreError.taskCancelled }
    }

    /// Ends what `enter` began.
    func leave() {
        if !canceller.leave() { markBroken() }
    }

    private func canRetryStalePlan(_ error: StoreError) -> Bool {
        guard let underlying = error.underlying as? PostgresError, underlying.isStalePlan else {
            return false
        }
        // Inside a transaction the failure has ended it, and the whole transaction must run again.
        return !isBroken && PQtransactionStatus(handle) == PQTRANS_IDLE
    }

    /// Reads results until the statement has ended; the last one counts, or the first failure.
    func collect() throws -> OpaquePointer {
        var last: OpaquePointer?
        var failed: StoreError?
        while let pointer = PQgetResult(handle) {
            let result = QueryResult(pointer)
            switch result.status {
            case PGRES_COPY_IN:
                // A COPY that nobody feeds would wait for ever.
                _ = PQputCopyEnd(handle, "COPY is not possible here")
            case PGRES_COPY_OUT:
                var row: UnsafeMutablePointer<CChar>?
                while PQgetCopyData(handle, &row, 0) > 0 { PQfreemem(row) }
            default: break
            }
            if result.isFailure {
                let error = failure(result)
                failed = failed ?? error
            }
            if let last { PQclear(last) }
            last = result.take()
            if isBroken { break }
        }
        finish()
        if let failed {
            PQclear(last)
            throw failed
        }
        guard let last else { throw clientFailure() }
        return last
    }
}
