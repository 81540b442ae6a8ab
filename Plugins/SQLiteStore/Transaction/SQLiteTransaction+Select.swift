internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore
internal import SwitchyardSQL

extension SQLiteTransaction {
    func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        let sql = try plan.sql.select(selection)
        try translating {
            try statements.withStatement(sql.text, on: database) { cursor in
                try require(SQLiteBinding.bind(sql.parameters, to: cursor._statement.sqliteStatement))
                try forEachRow(of: cursor, columns: selection.columns.count, selection.rowContext, body)
            }
        }
    }

    func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        let plan = try plan.entity(entity.name)
        try translating {
            try statements.withStatement(plan.find, on: database) { cursor in
                let statement = cursor._statement.sqliteStatement
                try withUnsafeBytes(of: id.uuid) { bytes in
                    // Not copied: the statement has run before the bytes go.
                    try require(sqlite3_bind_blob64(statement, 1, bytes.baseAddress, 16, nil))
                    try forEachRow(of: cursor, columns: plan.columns, plan.context) { row in
                        try body(&row)
                        return true
                    }
                }
            }
        }
    }

    /// Hands over the rows of a statement until there are no more or the body returns false.
    func forEachRow(
        of cursor: CellCursor, columns: Int, _ context: RowContext, _ body: (inout RowReader) throws -> Bool
    ) throws {
        try withUnsafeTemporaryAllocation(of: Cell.self, capacity: columns) { cells in
            cells.initialize(repeating: Cell())
            guard let start = cells.baseAddress else { return }
            do {
                try cursor.forEach { statement in
                    cells.fill(from: statement)
                    var reader = RowReader(cells: start, count: columns, context: context)
                    guard try BodyError.marking({ try body(&reader) }) else { throw EndOfInterest() }
                }
            } catch is EndOfInterest {}
        }
    }
}
