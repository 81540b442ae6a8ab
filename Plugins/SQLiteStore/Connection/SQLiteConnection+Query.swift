internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore
internal import SwitchyardSQL

extension SQLiteConnection {
    func query(
        _ sql: SQLStatement, types: [AttributeType], context: ErrorContext,
        _ body: (inout RowReader) throws -> Bool
    ) throws {
        try translating {
            try statements.withStatement(sql.text, on: database) { cursor in
                try require(SQLiteBinding.bind(sql.parameters, to: cursor._statement.sqliteStatement))
                try forEachRow(of: cursor, columns: types.count, context, body)
            }
        }
    }

    func queryWithoutChanges(
        _ sql: SQLStatement, columns: Int, context: ErrorContext, _ body: (inout RowReader) throws -> Void
    ) throws {
        try translating {
            try statements.withStatement(sql.text, on: database) { cursor in
                let statement = cursor._statement.sqliteStatement
                guard sqlite3_stmt_readonly(statement) != 0 else {
                    throw StoreError(.unsupported, "A query cannot change the store.")
                }
                let found = Int(sqlite3_column_count(statement))
                guard found == columns else {
                    throw StoreError.columns(found, expected: columns, of: context.entity)
                }
                try require(SQLiteBinding.bind(sql.parameters, to: statement))
                try forEachRow(of: cursor, columns: columns, context) { row in
                    try body(&row)
                    return true
                }
            }
        }
    }

    func find(
        _ id: UUID, in scope: StoreScope?, by plan: SQLEntityPlan,
        _ body: (inout RowReader) throws -> Void
    ) throws {
        try translating {
            try statements.withStatement(plan.find, on: database) { cursor in
                let statement = cursor._statement.sqliteStatement
                if let scope { try require(SQLiteBinding.bind(.uuid(scope.uuid), to: statement, at: 1)) }
                try withUnsafeBytes(of: id.uuid) { bytes in
                    // Not copied: the statement runs while the bytes are valid. A reset can tell a tracer the parameters.
                    defer { sqlite3_reset(statement) }
                    try require(
                        sqlite3_bind_blob64(statement, scope == nil ? 1 : 2, bytes.baseAddress, 16, nil))
                    try forEachRow(of: cursor, columns: plan.types.count, plan.context) { row in
                        try body(&row)
                        return true
                    }
                }
            }
        }
    }

    /// Returns the rows of one of the store's internal statements, as text.
    func values(_ sql: SQLStatement) throws -> [[String]] {
        var rows: [[String]] = []
        try forEachRow(of: sql) { rows.append($0) }
        return rows
    }

    /// Calls the body with each row of one of the store's internal statements, as text.
    func forEachRow(of sql: SQLStatement, _ body: ([String]) -> Void) throws {
        try translating {
            try statements.withStatement(sql.text, on: database) { cursor in
                try require(SQLiteBinding.bind(sql.parameters, to: cursor._statement.sqliteStatement))
                try cursor.forEach { statement in
                    body(
                        try (0..<sqlite3_column_count(statement)).map {
                            try StoredText.read($0, of: statement)
                        })
                }
            }
        }
    }

    /// Calls the body with each row of a statement until it returns false.
    func forEachRow(
        of cursor: CellCursor, columns: Int, _ context: ErrorContext, _ body: (inout RowReader) throws -> Bool
    ) throws {
        try withUnsafeTemporaryAllocation(of: Cell.self, capacity: columns) { cells in
            cells.initialize(repeating: Cell())
            guard let start = cells.baseAddress else { return }
            do {
                try cursor.forEach { statement in
                    cells.fill(from: statement)
                    var reader = RowReader(cells: start, count: columns, context: context)
                    guard try BodyError.wrapping({ try body(&reader) }) else { throw StopIteration() }
                }
            } catch is StopIteration {}
        }
    }
}
