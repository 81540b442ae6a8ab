internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore
internal import SwitchyardSQL

extension SQLiteTransaction {
    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution, next: (inout RowWriter) throws -> Bool
    ) throws -> Int {
        try noteChange(of: entity)
        let entityPlan = try plan.entity(entity.name)
        let text =
            conflict == .fail
            ? entityPlan.insert : try plan.sql.insert(into: entity.name, onConflict: conflict).text
        return try translating {
            try statements.withStatement(text, on: database) { cursor in
                let statement = cursor._statement.sqliteStatement
                let connection = sqlite3_db_handle(statement)
                var row = RowWriter(context: entityPlan.context)
                var count = 0
                while try next(&row) {
                    try row.withCells { cells in
                        try require(SQLiteBinding.bind(cells, to: statement, from: 1))
                        try cursor.run()
                        sqlite3_reset(statement)
                    }
                    count += Int(sqlite3_changes64(connection))
                }
                return count
            }
        }
    }
}
