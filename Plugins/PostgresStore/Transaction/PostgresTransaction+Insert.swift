internal import SwitchyardCore
internal import SwitchyardSQL

extension PostgresTransaction {
    /// Up to how many rows go by single statements, all in one round trip.
    ///
    /// More rows go by COPY, which has a round trip more but does less for each row.
    private static var fewRows: Int { 32 }
    /// How many rows that may meet a conflict, which COPY cannot resolve, go in one statement.
    private static var batchRows: Int { 1_024 }
    /// How many bytes of rows are collected at most.
    private static var batchBytes: Int { 1 << 20 }

    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        willChange(entity)
        let plan = try plan.entity(entity.name)
        var row = RowWriter(context: plan.context)
        var batch = RowBatch(types: plan.insertTypes)
        guard conflict == .fail, stored == nil else {
            let text = try self.plan.sql.insertArrays(
                into: entity.name, onConflict: conflict, givesRows: stored != nil
            ).text
            var count = 0
            while try fill(&batch, upTo: Self.batchRows, &row, next) {
                count += try insert(batch, by: text, plan, stored)
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

    /// Inserts the rows of a batch by one statement.
    private func insert(
        _ batch: borrowing RowBatch, by text: String, _ plan: EntityPlan,
        _ stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        let result = try session.execute(text, try Parameters(columnsOf: batch))
        if let stored {
            try naming(plan.context.entity) {
                try result.forEachRow(plan.types, plan.context, stored)
            }
        }
        return result.affectedRows
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
