internal import CLibPQ
internal import SwitchyardCore

/// A result of libpq, which is freed when it is no longer used.
struct QueryResult: ~Copyable {
    let pointer: OpaquePointer

    /// Takes ownership of a result.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { pq_clear(pointer) }

    var status: ExecStatusType { pq_resultStatus(pointer) }

    var isFailure: Bool {
        status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE || status == PGRES_PIPELINE_ABORTED
    }

    /// The number of rows that were returned.
    var rowCount: Int { Int(pq_ntuples(pointer)) }

    /// The object id of a column's type; for a domain, of the type that it is made of.
    func columnType(_ column: Int) -> UInt32 { pq_ftype(pointer, Int32(truncatingIfNeeded: column)) }

    /// The number of rows that were inserted, updated, deleted or selected.
    var affectedRows: Int { pq_cmdTuples(pointer).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The completed command, such as `COMMIT`.
    var command: String { pq_cmdStatus(pointer).map { String(cString: $0) } ?? "" }

    /// Calls the body with each row.
    ///
    /// - Throws: `corrupted` for a value that no attribute can have; what `body` throws.
    /// - Complexity: O(rows).
    borrowing func forEachRow(
        types: [WireType]? = nil, _ body: (UnsafeBufferPointer<Cell>) throws -> Void
    ) throws {
        let decoder = RowDecoder(pointer, expecting: types)
        for row in 0..<pq_ntuples(pointer) {
            try body(decoder.decode(pointer, row: row))
        }
    }
}
