internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore
internal import SwitchyardSQL

extension SQLiteConnection {
    /// The number of rows that one statement inserts.
    ///
    /// SQLite opens the table and its indexes once for each statement, so a batch takes about two thirds of the time
    /// that its rows take one by one.
    private static var batchRows: Int { 64 }
    /// The maximum number of parameters of a statement (sqlite.org/limits.html).
    private static var parameters: Int { 32_766 }

    func batchSize(of insertion: SQLInsertion) -> Int {
        min(Self.batchRows, Self.parameters / insertion.plan.insertTypes.count)
    }

    /// Inserts each full batch with one statement, and the remaining rows one by one.
    func insert(
        _ batch: inout RowBatch, by insertion: SQLInsertion, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        let rowCount = batch.count
        let rows = rowCount == batchSize(of: insertion) ? rowCount : 1
        let text = try insertion.text(rows: rows)
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
                            let plan = insertion.plan
                            try forEachRow(of: cursor, columns: plan.types.count, plan.context) { row in
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
