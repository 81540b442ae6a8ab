internal import CLibPQ
internal import SwitchyardCore
internal import SwitchyardSQL

/// Reads large results by `COPY … TO STDOUT (FORMAT binary)`.
///
/// For each row of a query, libpq creates a result of its own, with the names and types of its columns, which costs
/// more than decoding the row; a row of a COPY is just a piece of memory. For 1,000,000 rows of eight columns the
/// client needs half the time. But a COPY takes no parameters, is planned anew each time and cannot be part of a
/// pipeline, so small results are faster as queries.
///
/// Format: PostgreSQL's manual, "COPY", "Binary Format".
extension Session {
    /// The number of rows from which a COPY is faster than a query.
    private static var manyRows: Int { 10_000 }
    /// The number of rows to read to no purpose, after a failure, before the query is cancelled.
    private static var patience: Int { 1_000 }
    /// The length of the header: the signature, the flags and the length of its extension, which is empty.
    private static var headerLength: Int { 19 }

    /// Whether a query without parameters returned so many rows the last time that a COPY is faster.
    ///
    /// A COPY halves the client's work, and a whole table comes in up to a quarter less time. To ask the planner for its
    /// estimate would cost a round trip for each new query, so only what this session has seen decides.
    func gaveManyRows(_ sql: String) -> Bool {
        rowCounts.value(for: sql).map { $0 >= Self.manyRows } ?? false
    }

    /// Stores the number of rows that a query returned.
    func noteRows(_ count: Int, of sql: String) {
        rowCounts.evict()
        rowCounts.insert(count, for: sql)
    }

    /// Runs a query without parameters by a COPY, and calls the body with each row as it arrives, as `forEachRow` does.
    ///
    /// - Throws: As `forEachRow`.
    func forEachCopiedRow(
        _ sql: String, types: [WireType]?, _ body: (UnsafeBufferPointer<Cell>) throws -> Bool
    ) throws {
        try enter()
        defer { leave() }
        try flushPending()
        // A COPY does not report its types, but the same query without rows does, and no table can change in between.
        let text = "SELECT * FROM (\(sql)) AS \"shape\" LIMIT 0; COPY (\(sql)) TO STDOUT (FORMAT binary)"
        guard !isBroken, pq_sendQuery(handle, text) == 1 else { throw clientFailure() }
        var failed: (any Error)?
        var shape: QueryResult?
        while let pointer = try nextResult() {
            let result = QueryResult(pointer)
            if result.isFailure {
                let error = failure(result)
                failed = failed ?? error
            }
            if isBroken { break }
            let status = result.status
            switch status {
            case PGRES_TUPLES_OK: shape = consume result
            case PGRES_COPY_OUT:
                guard let columns = shape.take() else { throw clientFailure() }
                do { try readCopy(columns, types: types, body) } catch { failed = failed ?? error }
            default: break
            }
        }
        if let failed { throw failed }
    }

    /// Reads a COPY to its end, even if `body` throws or stops early.
    private func readCopy(
        _ shape: borrowing QueryResult, types: [WireType]?,
        _ body: (UnsafeBufferPointer<Cell>) throws -> Bool
    ) throws {
        let decoder = RowDecoder(shape.pointer, expecting: types, isBinary: true)
        var failed: (any Error)?
        var isWanted = true
        var (wanted, unwanted) = (0, 0)
        var start = Self.headerLength
        var row: UnsafeMutablePointer<CChar>?
        while true {
            var length = pq_getCopyData(handle, &row, 1)
            if length == 0 {
                try wait {
                    length = pq_getCopyData(handle, &row, 1)
                    return length != 0
                }
            }
            // The end, or an error, which the next result contains.
            guard length > 0, let memory = row else { break }
            defer {
                pq_freemem(memory)
                row = nil
                start = 0
            }
            guard isWanted else {
                unwanted += 1
                if failed != nil, unwanted == Self.patience { canceller.interrupt() }
                continue
            }
            do {
                wanted += 1
                try requireUse(afterRows: wanted)
                var rows = WireRows(UnsafeRawBufferPointer(start: memory, count: Int(length)), from: start)
                while isWanted, let count = try rows.next() {
                    isWanted = try body(decoder.decode(&rows, columns: count, of: shape.pointer))
                }
            } catch {
                failed = error
                isWanted = false
            }
        }
        if let failed { throw failed }
    }
}
