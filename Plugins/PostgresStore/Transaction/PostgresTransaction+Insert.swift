internal import SwitchyardCore
internal import SwitchyardSQL

extension PostgresTransaction {
    /// Up to how many rows go by single statements, all in one round trip.
    ///
    /// More rows go by COPY, which has a round trip more but does less for each row.
    private static var fewRows: Int { 32 }
    /// How many rows that may meet a conflict, which COPY cannot resolve, go in one round trip.
    private static var batchRows: Int { 256 }
    /// How many bytes of rows are collected at most.
    private static var batchBytes: Int { 1 << 20 }

    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution, next: (inout RowWriter) throws -> Bool
    ) throws -> Int {
        willChange(entity)
        let plan = try plan.entity(entity.name)
        var row = RowWriter(context: plan.context)
        var batch = RowBatch(types: plan.insertTypes)
        guard conflict == .fail else {
            let text = try self.plan.sql.insert(into: entity.name, onConflict: conflict).text
            var count = 0
            while try fill(&batch, upTo: Self.batchRows, &row, next) {
                count += try session.execute(text, batch)
                batch.removeAll()
            }
            return count
        }
        guard try fill(&batch, upTo: Self.fewRows, &row, next) else { return 0 }
        guard batch.count == Self.fewRows || batch.byteCount >= Self.batchBytes else {
            return try session.execute(plan.insert, batch)
        }
        let copy = try CopyIn(session, plan.copy, types: plan.insertTypes)
        do {
            try copy.write(batch)
            batch.removeAll()
            while try next(&row) { try row.withCells { try copy.write($0) } }
            return try copy.finish()
        } catch {
            copy.abandon()
            throw error
        }
    }

    /// Collects rows; false if there was none.
    private func fill(
        _ batch: inout RowBatch, upTo limit: Int, _ row: inout RowWriter,
        _ next: (inout RowWriter) throws -> Bool
    ) throws -> Bool {
        while batch.count < limit, batch.byteCount < Self.batchBytes, try next(&row) {
            try row.withCells { try batch.append($0) }
        }
        return batch.count > 0
    }
}
