internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore
internal import SwitchyardSQL

extension SQLiteTransaction {
    /// How many rows one statement inserts.
    ///
    /// SQLite opens the table and each of its indexes once for a statement, so that many rows together take
    /// about two thirds of the time that they take one by one.
    private static var batchRows: Int { 64 }
    /// How many parameters a statement may have (sqlite.org/limits.html).
    private static var parameters: Int { 32_766 }
    /// How many bytes of rows are collected at most.
    private static var batchBytes: Int { 1 << 20 }

    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        try noteChange(of: entity)
        let entityPlan = try plan.entity(entity.name)
        func text(_ rows: Int) throws -> String {
            if conflict == .fail, rows == 1, stored == nil { return entityPlan.insert }
            return try plan.sql.insert(
                into: entity.name, onConflict: conflict, rows: rows, givesRows: stored != nil
            ).text
        }
        let single = try text(1)
        var whole: String?
        var row = RowWriter(context: entityPlan.context)
        var batch = RowBatch()
        var count = 0
        while try next(&row) {
            row.withCells { batch.append($0) }
            let limit: Int = min(Self.batchRows, Self.parameters / row.count)
            if batch.count == limit {
                let text = try whole ?? text(limit)
                whole = text
                count += try flush(&batch, by: text, rows: limit, entityPlan, stored)
            } else if batch.byteCount >= Self.batchBytes {
                count += try flush(&batch, by: single, rows: 1, entityPlan, stored)
            }
        }
        return try count + flush(&batch, by: single, rows: 1, entityPlan, stored)
    }

    /// Empties the batch by a statement that inserts so many rows at a time.
    ///
    /// - Returns: The number of rows inserted or updated.
    private func flush(
        _ batch: inout RowBatch, by text: String, rows: Int, _ plan: EntityPlan,
        _ stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        guard batch.count > 0 else { return 0 }
        defer { batch.removeAll() }
        let rowCount = batch.count
        return try translating {
            try statements.withStatement(text, on: database) { cursor in
                let statement = cursor._statement.sqliteStatement
                return try batch.withCells { (cells: UnsafeBufferPointer<Cell>) in
                    let step = cells.count / rowCount * rows
                    var count = 0
                    for first in stride(from: 0, to: cells.count, by: step) {
                        let part = UnsafeBufferPointer(rebasing: cells[first..<first + step])
                        try require(SQLiteBinding.bind(part, to: statement, from: 1))
                        if let stored {
                            cursor._isDone = false
                            try forEachRow(of: cursor, columns: plan.columns, plan.context) { row in
                                try stored(&row)
                                return true
                            }
                        } else {
                            try cursor.run()
                        }
                        sqlite3_reset(statement)
                        count += Int(sqlite3_changes64(sqlite3_db_handle(statement)))
                    }
                    return count
                }
            }
        }
    }
}
