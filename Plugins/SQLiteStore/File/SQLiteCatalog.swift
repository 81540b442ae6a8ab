internal import SwitchyardCore
internal import SwitchyardSQL

/// What a file tells of its tables and indexes.
///
/// SQLite keeps the text that made each of them. Where it is the one that would make it today, which is
/// nearly always, there is nothing more to ask.
struct SQLiteCatalog: SQLCatalog {
    /// What asks for the texts, in rows of name, text and kind; keys that have no text are left out.
    static let query = "SELECT name, sql, type FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"

    /// Type, whether nil is refused, and the place in the primary key, as SQLite tells them.
    typealias Column = [String]

    private let texts: [String: String]
    private let rows: (String) throws -> [[String]]

    /// Takes the answer to `query`, and what asks the same file something else.
    init(texts: [[String]], rows: @escaping (String) throws -> [[String]]) {
        self.texts = Dictionary(texts.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
        self.rows = rows
    }

    func find(_ made: SQLMade) -> SQLFinding {
        guard let text = texts[made.name] else { return .missing }
        return text == made.statement ? .same : .unlike
    }

    func columns(of table: String) throws -> [String: Column] {
        let columns = try rows("SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo('\(table)')")
        return Dictionary(columns.map { ($0[0], Array($0[1...])) }, uniquingKeysWith: { $1 })
    }

    func column(_ type: AttributeType, isOptional: Bool, keyPosition: Int) -> Column {
        // What follows a type's name is its collation.
        let type = SQLDialect.sqlite.columnTypes[type]?.split(separator: " ").first ?? ""
        return [String(type), isOptional ? "0" : "1", String(keyPosition)]
    }

    func isTyped(_ table: String) throws -> Bool {
        let kinds = try rows("SELECT strict, wr FROM pragma_table_list('\(table)') WHERE schema = 'main'")
        return kinds == [["1", "1"]]
    }

    /// The constraints that the text of a table names.
    func constraints(of table: String) -> Set<String> {
        let parts = texts[table, default: ""].split(separator: "CONSTRAINT \"").dropFirst()
        return Set(parts.compactMap { $0.split(separator: "\"", maxSplits: 1).first.map(String.init) })
    }
}
