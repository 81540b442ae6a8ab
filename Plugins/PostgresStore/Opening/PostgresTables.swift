internal import SwitchyardCore
internal import SwitchyardSQL

/// The tables, constraints and indexes of a database schema.
struct PostgresTables: SQLCatalog {
    struct Column: Equatable {
        /// The object id of the column's type.
        let type: Int64
        let isRequired: Bool
        /// The collation; nil for types that have none.
        let collation: String?
    }

    let columns: [String: [String: Column]]
    /// The validated constraints.
    let constraints: Set<String>
    /// The valid indexes, and whether each is unique.
    let indexes: [String: Bool]
    /// What tables do that a store would not know of, a phrase each.
    let conflicts: [String: [String]]
    /// The names of the constraints and unique indexes of each table.
    let restrictions: [String: [String]]

    func find(_ made: SQLMade) -> SQLFinding {
        switch made.kind {
        case .table: columns[made.name] == nil ? .missing : .unlike
        case .index: indexes[made.name] == nil ? .missing : .same
        case .uniqueIndex: indexes[made.name].map { $0 ? .same : .unlike } ?? .missing
        }
    }

    func columns(of table: String) -> [String: Column] { columns[table, default: [:]] }

    func column(_ type: AttributeType, isOptional: Bool, keyPosition: Int) -> Column {
        Column(
            type: Int64(WireType(type).oid), isRequired: !isOptional,
            collation: type == .text || type == .json ? "C" : nil)
    }

    func constraints(of table: String) -> Set<String> { constraints }
}

extension PostgresTables: ForeignCatalog {
    func tables() -> [String] { Array(columns.keys) }

    func words(for column: Column) -> String {
        let type =
            UInt32(exactly: column.type).flatMap { WireType(rawValue: $0) }.map { "\($0)" }
            ?? "of another type (object id \(column.type))"
        return type + (column.collation.map { " COLLATE \($0)" } ?? "")
            + (column.isRequired ? " NOT NULL" : "")
    }

    func conflicts(of table: String) -> [String] { conflicts[table, default: []] }

    func restrictions(of table: String) -> [String] { restrictions[table, default: []] }
}
