internal import CLibPQ
internal import SwitchyardCore

extension Session {
    /// Sends rows by `COPY … FROM STDIN (FORMAT binary)`, the fastest way in.
    ///
    /// - Parameters:
    ///   - target: Table and columns, quoted: `"feeds" ("id", "start_time")`.
    ///   - types: The type of each column.
    ///   - body: Writes the rows. It must not use the session. When it throws, the server takes back all rows.
    /// - Returns: The number of rows.
    /// - Throws: The translation of the server's error, which may come before the last row; what `body` throws.
    @discardableResult
    func copyIn(
        _ target: String, types: [WireType], _ body: (inout CopyWriter) throws -> Void
    ) throws -> Int {
        try flushBegin()
        try enter()
        defer { leave() }
        guard !isBroken, PQsendQuery(handle, "COPY \(target) FROM STDIN (FORMAT binary)") == 1 else {
            throw clientFailure()
        }
        guard let pointer = PQgetResult(handle) else { throw clientFailure() }
        let beginning = QueryResult(pointer)
        guard beginning.status == PGRES_COPY_IN else {
            let error = failure(beginning)
            while let rest = PQgetResult(handle) { PQclear(rest) }
            throw error
        }
        var failed: (any Error)?
        do {
            var writer = CopyWriter(handle: handle, types: types)
            try body(&writer)
            try writer.finish()
        } catch {
            failed = error
        }
        _ = PQputCopyEnd(handle, failed == nil ? nil : "the rows could not be written")
        let answer = Result { try collect() }
        // The server only repeats that we gave up; but where it had refused first, it says why.
        if let failed, !(failed is CopyRefusal) {
            if case .success(let pointer) = answer { PQclear(pointer) }
            throw failed
        }
        return try QueryResult(answer.get()).affectedRows
    }
}

/// The server has ended a COPY before its last row; its result says why.
struct CopyRefusal: Error {}
