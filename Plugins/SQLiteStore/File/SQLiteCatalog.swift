internal import SwitchyardCore
internal import SwitchyardSQL

/// The tables and indexes of a database file.
///
/// SQLite keeps the SQL text that created each of them. If it equals the current one, as it nearly always does, no
/// further query is necessary.
struct SQLiteCatalog: SQLCatalog {
    /// The query for the texts: rows of name, text and kind.
    ///
    /// Automatic indexes, which have no text, are left out.
    static let query = "SELECT name, sql, type FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"

    /// The type, whether null is refused, and the position in the primary key, as SQLite reports them.
    typealias Column = [String]

    private let texts: [String: String]
    private let rows: (String) throws -> [[String]]

    /// Creates a catalog from the result of `query`, with a closure that runs further queries on the same file.
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
        // A collation may follow the type's name.
        let type = SQLDialect.sqlite.columnTypes[type]?.split(separator: " ").first ?? ""
        return [String(type), isOptional ? "0" : "1", String(keyPosition)]
    }

    func isTyped(_ table: String) throws -> Bool {
        let kinds = try rows("SELECT strict, wr FROM pragma_table_list('\(table)') WHERE schema = 'main'")
        return kinds == [["1", "1"]]
    }

    /// The names of the constraints in the text of a table.
    func constraints(of table: String) -> Set<String> {
        let parts = texts[table, default: ""].split(separator: "CONSTRAINT \"").dropFirst()
        return Set(parts.compactMap { $0.split(separator: "\"", maxSplits: 1).first.map(String.init) })
    }
}
