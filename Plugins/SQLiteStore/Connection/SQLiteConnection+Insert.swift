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
        let width = insertion.plan.insertTypes.count
        let rows = batch.count == batchSize(of: insertion) ? batch.count : 1
        let text = try insertion.text(rows: rows)
        return try batch.withCells { cells in
            var rest = cells[...]
            do {
                return try insert(&rest, rows * width, by: text, insertion.plan, stored)
            } catch let error as StoreError where error.code == .unique {
                throw try refusal(of: rest, by: insertion, because: error)
            }
        }
    }

    /// Inserts rows by a statement for a number of cells, and takes them from the rest.
    private func insert(
        _ rest: inout Slice<UnsafeBufferPointer<Cell>>, _ step: Int, by text: String, _ plan: SQLEntityPlan,
        _ stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        try translating {
            try statements.withStatement(text, on: database) { cursor in
                let statement = cursor._statement.sqliteStatement
                var count = 0
                while !rest.isEmpty {
                    let part = UnsafeBufferPointer(rebasing: rest.prefix(step))
                    try require(SQLiteBinding.bind(part, to: statement, from: 1))
                    if let stored {
                        cursor._isDone = false
                        try forEachRow(of: cursor, columns: plan.types.count, plan.context) { row in
                            try stored(&row)
                            return true
                        }
                    } else {
                        try cursor.run()
                    }
                    sqlite3_reset(statement)
                    count += Int(sqlite3_changes64(sqlite3_db_handle(statement)))
                    rest = rest.dropFirst(step)
                }
                return count
            }
        }
    }

    /// Returns the error of the first constraint in the order of the schema that a refused row violates.
    ///
    /// SQLite looks at the primary key last and, in a file of an earlier release, at the constraints in the opposite order.
    /// An insert that resolves conflicts on one key looks at that key first.
    ///
    /// - Parameters:
    ///   - rows: The rows; SQLite refused the first that violates a constraint.
    ///   - insertion: How they are inserted.
    ///   - error: The error that SQLite has reported.
    /// - Returns: The error to throw.
    /// - Throws: Any other error than `unique`.
    private func refusal(
        of rows: Slice<UnsafeBufferPointer<Cell>>, by insertion: SQLInsertion, because error: StoreError
    ) throws -> StoreError {
        let width = insertion.plan.insertTypes.count
        for start in stride(from: rows.startIndex, to: rows.endIndex, by: width) {
            let row = rows[start..<start + width]
            if let error = try refusal(ofRow: row, by: insertion, because: error) { return error }
        }
        return error
    }

    /// Inserts a row, or returns the error of the first constraint that it violates.
    private func refusal(
        ofRow row: Slice<UnsafeBufferPointer<Cell>>, by insertion: SQLInsertion, because error: StoreError
    ) throws -> StoreError? {
        if let key = insertion.resolvedKey {
            switch try add(row, by: insertion.text(unlessTaken: key), insertion.plan) {
            case .success(0):
                // An update of the row that has the key leaves the id alone.
                if case .failure(let error) = try add(row, by: insertion.text(rows: 1), insertion.plan) {
                    return error
                }
                return nil
            case .success: return nil
            case .failure: break
            }
        }
        for (key, refusal) in try insertion.refusals() {
            if refusal.constraint == error.constraint { return error }
            switch try add(row, by: insertion.text(unlessTaken: key), insertion.plan) {
            case .success(0): return refusal
            case .success: return nil
            case .failure: continue
            }
        }
        return error
    }

    /// Inserts a row.
    ///
    /// - Returns: The number of rows inserted or updated; the error if the row violates a unique constraint.
    private func add(
        _ row: Slice<UnsafeBufferPointer<Cell>>, by text: String, _ plan: SQLEntityPlan
    ) throws -> Result<Int, StoreError> {
        var row = row
        do {
            return .success(try insert(&row, row.count, by: text, plan, nil))
        } catch let error as StoreError where error.code == .unique {
            return .failure(error)
        }
    }
}
