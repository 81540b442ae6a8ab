internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore
internal import SwitchyardSQL

extension SQLiteTransaction {
    /// The rows of a statement of the store's own, as text.
    func values(_ sql: SQLStatement) throws -> [[String]] {
        var rows: [[String]] = []
        try forEachRow(of: sql) { rows.append($0) }
        return rows
    }

    /// Hands over the rows of a statement of the store's own, as text, until there are none or an error.
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

    func marker(location: String) throws -> StoreMarker {
        let rows = try values(SQLStatement(text: SQLGenerator.selectMarker()))
        return try StoreMarker.decode(rows.first?.first, at: location)
    }

    /// Refuses a connection on which SQLite lets references point at nothing.
    func requireForeignKeys() throws {
        guard try values(SQLStatement(text: "PRAGMA foreign_keys")) == [["1"]] else {
            throw StoreError(
                .configuration,
                "The connection has foreign keys off; turn them on in its configuration, and leave them on.")
        }
    }

    /// Refuses a transaction that leaves a reference pointing at nothing, naming it; the commit would refuse
    /// it without a name.
    func requireReferences() throws {
        var (open, highest): (CInt, CInt) = (0, 0)
        let code = sqlite3_db_status(
            database.sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &open, &highest, 0)
        guard code == SQLITE_OK, open != 0 else { return }
        guard let fault = try danglingReferences(limit: 1).first else { return }
        throw fault.attribute.map { StoreError.danglingReference($0, of: fault.entity) }
            ?? StoreError(
                .foreignKey, "A reference points at a row of \(fault.target) that is not there.",
                entity: fault.entity.name)
    }

    /// The references that point at no row, as SQLite finds them.
    func danglingReferences(limit: Int) throws -> [(entity: Entity, attribute: Attribute?, target: String)] {
        let text = """
            SELECT c."table", c."parent", l."from" FROM pragma_foreign_key_check AS c
            JOIN pragma_foreign_key_list(c."table") AS l ON l."id" = c."fkid" LIMIT \(limit)
            """
        return try values(SQLStatement(text: text)).compactMap { row in
            guard let entity = plan.schema.entity(row[0]) else { return nil }
            return (entity, entity.attributes.first { $0.column == row[2] }, row[1])
        }
    }
}
