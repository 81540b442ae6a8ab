/// Everything that is in the database of a depot, read by SQL alone.
struct DepotPicture: Equatable, Sendable {
    /// What `RawDatabase.structure()` tells.
    let structure: [[String?]]
    /// The rows of each table that is there, in the order of their ids; of an id, its digits.
    let rows: [String: [[String?]]]

    init(structure: [[String?]], rows: [String: [[String?]]]) {
        (self.structure, self.rows) = (structure, rows)
    }

    init(of database: RawDatabase) async throws {
        structure = try await database.structure()
        let names = Set(structure.filter { $0[0] == "table" }.map { $0[1] })
        let hasHeight = structure.contains { part in part.contains { $0?.contains("height") == true } }
        var columns = [
            "Pallet": [Self.digits("id", database), "\"label\""],
            "Crate": Self.crate("name", database),
            "Box": Self.crate("title", database),
        ]
        if hasHeight { columns["Pallet"]?.append("CAST(\"height\" AS TEXT)") }
        var rows: [String: [[String?]]] = [:]
        for (table, list) in columns where names.contains(table) {
            rows[table] = try await database.rows(
                of: "SELECT \(list.joined(separator: ", ")) FROM \"\(table)\" ORDER BY 1")
        }
        self.rows = rows
    }

    /// How another picture differs from this one, without values.
    func difference(from other: DepotPicture) -> String {
        let parts = Set(structure).symmetricDifference(other.structure).map { part in
            part.prefix(2).compactMap(\.self).joined(separator: " ")
        }
        let tables = Set(rows.keys).union(other.rows.keys).filter { rows[$0] != other.rows[$0] }.map {
            "\(rows[$0]?.count ?? 0) rows of \($0) instead of \(other.rows[$0]?.count ?? 0), or with other values"
        }
        return (parts + tables).sorted().joined(separator: "; ")
    }

    private static func crate(_ name: String, _ database: RawDatabase) -> [String] {
        [
            digits("id", database), "\"\(name)\"", "CAST(\"grams\" AS TEXT)", "\"note\"",
            digits("pallet", database),
        ]
    }

    private static func digits(_ column: String, _ database: RawDatabase) -> String {
        switch database.backend {
        case .sqlite: "CASE WHEN \"\(column)\" IS NOT NULL THEN lower(hex(\"\(column)\")) END"
        case .postgres: "replace(\"\(column)\"::text, '-', '')"
        }
    }
}
