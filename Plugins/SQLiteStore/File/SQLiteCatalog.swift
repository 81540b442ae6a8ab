internal import SwitchyardCore
internal import SwitchyardSQL

/// The tables and indexes of a database file.
///
/// SQLite keeps the SQL text that created each of them. If it equals the current one, as it nearly always does, no
/// further query is necessary.
struct SQLiteCatalog: SQLCatalog {
    /// The query for the texts: rows of name, text, kind and table.
    ///
    /// Automatic indexes, which have no text, are left out.
    static let query =
        "SELECT name, sql, type, tbl_name FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"

    /// The type, whether null is refused, and the position in the primary key, as SQLite reports them.
    typealias Column = [String]

    /// The names of the tables.
    let tables: Set<String>
    private let texts: [String: String]
    /// The rows of the query.
    let objects: [[String]]
    let rows: (String) throws -> [[String]]

    /// Creates a catalog from the result of `query`, with a closure that runs further queries on the same file.
    init(texts: [[String]], rows: @escaping (String) throws -> [[String]]) {
        tables = Set(texts.filter { $0[2] == "table" }.map { $0[0] })
        objects = texts
        // A trigger can have the name of a table.
        self.texts = Dictionary(
            texts.filter { $0[2] != "trigger" }.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
        self.rows = rows
    }

    func find(_ made: SQLMade) -> SQLFinding {
        guard let text = texts[made.name] else { return .missing }
        return text == made.statement ? .same : .unlike
    }

    func columns(of table: String) throws -> [String: Column] {
        let columns = try rows(
            "SELECT name, upper(type), \"notnull\", pk FROM pragma_table_xinfo('\(table)')")
        return Dictionary(columns.map { ($0[0], Array($0[1...])) }, uniquingKeysWith: { $1 })
    }

    func column(_ type: AttributeType, isOptional: Bool, keyPosition: Int) -> Column {
        // A collation may follow the type's name.
        let type = SQLDialect.sqlite.columnTypes[type]?.split(separator: " ").first ?? ""
        return [String(type), isOptional ? "0" : "1", String(keyPosition)]
    }

    func isTyped(_ table: String) throws -> Bool {
        let kinds = try rows("SELECT strict, wr FROM pragma_table_list('\(table)') WHERE schema = 'main'")
        // A numeric id is the rowid.
        return try kinds == [["1", "1"]]
            || kinds == [["1", "0"]] && columns(of: table)["id"]?.first == "INTEGER"
    }

    /// The names of the constraints in the text of a table.
    func constraints(of table: String) -> Set<String> {
        let parts = texts[table, default: ""].split(separator: "CONSTRAINT \"").dropFirst()
        return Set(parts.compactMap { $0.split(separator: "\"", maxSplits: 1).first.map(String.init) })
    }

    func references(of table: String) throws -> [String: String] {
        let keys = try rows("SELECT \"from\", \"table\" FROM pragma_foreign_key_list('\(table)')")
        return Dictionary(keys.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
    }

    func has(constraint: String, _ definition: String, of table: String) -> Bool {
        texts[table, default: ""].contains(definition)
    }

    /// SQLite keeps the text of a column as it was created or added.
    func has(column definition: String, of table: String) -> Bool {
        texts[table, default: ""].contains(definition)
    }
}

extension SQLiteCatalog: ForeignCatalog {
    func relations() throws -> [String] {
        try rows(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )
        .map { $0[0] }
    }

    func words(for column: Column) -> String {
        let type = column[0].isEmpty ? "of no type" : column[0]
        return type + (column[1] == "1" ? " NOT NULL" : "")
            + (column[2] == "0" ? "" : ", part \(column[2]) of the primary key")
    }

    /// Triggers, and foreign keys that act or are not checked at the commit; only the table's text shows
    /// those.
    func conflicts(of table: String) throws -> [String] {
        let triggers = try rows(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND lower(tbl_name) = lower('\(table)')")
        let keys = try rows(
            "SELECT DISTINCT id, on_delete <> 'NO ACTION' OR on_update <> 'NO ACTION' "
                + "FROM pragma_foreign_key_list('\(table)')")
        let words = texts[table, default: ""].uppercased().split(whereSeparator: \.isWhitespace)
        let deferred =
            words.joined(separator: " ").split(
                separator: "DEFERRABLE INITIALLY DEFERRED", omittingEmptySubsequences: false
            ).count - 1
        return triggers.map { "the table \(table) has the trigger \($0[0])" }
            + (keys.contains { $0[1] == "1" } ? ["a foreign key of the table \(table) has an action"] : [])
            + (deferred < keys.count ? ["a foreign key of the table \(table) is not deferred"] : [])
    }

    /// Named constraints, and unique indexes, including those of unnamed constraints.
    func restrictions(of table: String) throws -> [String] {
        let indexes = try rows(
            "SELECT name FROM pragma_index_list('\(table)') WHERE \"unique\" AND origin <> 'pk' ORDER BY name"
        )
        return constraints(of: table).sorted() + indexes.map { $0[0] }
    }
}
