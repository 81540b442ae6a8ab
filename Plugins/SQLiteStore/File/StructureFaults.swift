internal import SwitchyardCore
internal import SwitchyardSQL

/// Compares the file's tables and indexes with those that a schema needs.
///
/// SQLite keeps the text that made each of them. Where it is the one that would make it today, which is
/// nearly always, there is nothing more to ask.
struct StructureFaults {
    /// What asks for the texts, in rows of name, text and kind; keys that have no text are left out.
    static let query = "SELECT name, sql, type FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"

    private let plan: SQLPlan
    private let found: [String: String]
    private let rows: (String) throws -> [[String]]

    /// Takes the answer to `query`, and what asks the same file something else.
    init(_ plan: SQLPlan, found: [[String]], rows: @escaping (String) throws -> [[String]]) {
        self.plan = plan
        self.found = Dictionary(found.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
        self.rows = rows
    }

    /// What is wrong with tables and columns, one phrase each.
    func ofColumns() throws -> [String] {
        try expected().filter(\.isTable).flatMap { table -> [String] in
            guard let text = found[table.name] else { return ["the table \(table.name) is missing"] }
            guard text != table.text, let entity = plan.schema.entity(inTable: table.name) else { return [] }
            return try columnFaults(of: entity)
        }
    }

    /// What is wrong with keys, checks and indexes, one phrase each.
    func ofConstraints() throws -> [String] {
        try expected().flatMap { made -> [String] in
            let text = found[made.name]
            guard text != made.text else { return [] }
            if made.isTable { return constraintFaults(in: text ?? "", of: made) }
            let kind = made.text.hasPrefix("CREATE UNIQUE") ? "unique index" : "index"
            return ["the \(kind) \(made.name) is \(text == nil ? "missing" : "not as it was made")"]
        }
    }

    /// A table or an index as the schema would make it.
    private struct Made {
        let name: String
        let text: String
        var isTable: Bool { text.hasPrefix("CREATE TABLE") }
    }

    private func expected() throws -> [Made] {
        try plan.sql.createStore().compactMap { text in
            // The first name in quotation marks is that of what is made; names hold none themselves.
            text.split(separator: "\"", maxSplits: 2).dropFirst().first.map {
                Made(name: String($0), text: text)
            }
        }
    }

    /// Looks at the columns of a table that somebody has made or changed in other words.
    private func columnFaults(of entity: Entity) throws -> [String] {
        let table = "'\(entity.table)'"
        let columns = try rows("SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(\(table))")
        let found = Dictionary(columns.map { ($0[0], Array($0[1...])) }, uniquingKeysWith: { $1 })
        var faults = entity.expectedColumns.compactMap { name, expected -> String? in
            guard let column = found[name] else { return "the column \(entity.table).\(name) is missing" }
            return column == expected ? nil : "the column \(entity.table).\(name) is not as it was made"
        }
        let kinds = try rows("SELECT strict, wr FROM pragma_table_list(\(table)) WHERE schema = 'main'")
        if kinds != [["1", "1"]] { faults.append("the table \(entity.table) is not as it was made") }
        return faults
    }

    /// The constraints that the text of a table does not name.
    private func constraintFaults(in text: String, of table: Made) -> [String] {
        func constraints(_ text: String) -> [String] {
            text.split(separator: "CONSTRAINT \"").dropFirst().compactMap { part in
                part.split(separator: "\"", maxSplits: 1).first.map(String.init)
            }
        }
        let found = Set(constraints(text))
        return constraints(table.text).filter { !found.contains($0) }.map {
            "the constraint \($0) is missing"
        }
    }
}

extension Entity {
    /// Name, and then type, whether nil is refused, and the place in the primary key, as SQLite tells them.
    fileprivate var expectedColumns: [(String, [String])] {
        attributes.flatMap { attribute -> [(String, [String])] in
            // What follows a type's name is its collation.
            let type = SQLDialect.sqlite.columnTypes[attribute.type]?.split(separator: " ").first ?? ""
            let column = [
                String(type), attribute.isOptional ? "0" : "1", attribute.name == "id" ? "1" : "0",
            ]
            return [(attribute.column, column)]
                + (attribute.isSearchable ? [(attribute.searchColumn, column)] : [])
        }
    }
}
