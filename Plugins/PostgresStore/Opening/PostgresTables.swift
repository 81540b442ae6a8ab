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
    /// The validated constraints, by the names of their tables and their own.
    let constraints: [String: [String: Constraint]]
    /// The valid indexes, and whether each is unique.
    let indexes: [String: Bool]
    /// Behaviour of tables that a store would not expect, a phrase each.
    let conflicts: [String: [String]]
    /// The names of the constraints and unique indexes of each table.
    let restrictions: [String: [String]]
    /// The names of tables, views, indexes and sequences.
    let takenNames: Set<String>
    /// The dependents of the tables, once for each column that they need.
    let dependents: [Dependent]

    /// Something that depends on a table.
    struct Dependent {
        let table: String
        /// The column; empty if it needs the table as a whole.
        let column: String
        /// The kind of `UnknownPart`.
        let kind: String
        let name: String
        /// The table of a constraint; empty for anything else.
        let source: String
    }

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

    func constraints(of table: String) -> Set<String> { Set(constraints[table, default: [:]].keys) }

    var tables: Set<String> { Set(columns.keys) }

    func references(of table: String) -> [String: String] {
        let keys = constraints[table, default: [:]].values.compactMap { key in
            key.target.map { (key.column, $0) }
        }
        return Dictionary(keys, uniquingKeysWith: { $1 })
    }

    /// Compares the literals of a check: the server writes everything else in its own way.
    ///
    /// A foreign key is compared by its target. The server prints the numbers of a single-precision check
    /// differently as well, but these cannot differ.
    func has(constraint: String, _ definition: String, of table: String) -> Bool {
        guard definition.contains(" CHECK "), !definition.contains("::real"),
            let found = constraints[table]?[constraint]
        else { return true }
        return Self.literals(of: found.definition) == Self.literals(of: definition)
    }

    /// The texts between quotation marks, without those that are doubled: every other part of the text.
    private static func literals(of text: String) -> [Substring] {
        text.split(separator: "'", omittingEmptySubsequences: false).enumerated().filter {
            $0.offset % 2 == 1
        }
        .map(\.element)
    }

    func parts(of tables: Set<String>) -> [SQLPart] {
        let concerned = dependents.filter { dependent in
            tables.contains(dependent.table)
                && (dependent.kind != UnknownPart.Kind.foreignKey.rawValue
                    || !tables.contains(dependent.source))
        }
        let groups = Dictionary(grouping: concerned) { [$0.table, $0.kind, $0.name] }
        return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, parts in
            SQLPart(
                table: key[0], kind: UnknownPart.Kind(rawValue: key[1]) ?? .other, name: key[2],
                columns: Set(parts.map(\.column).filter { !$0.isEmpty }))
        }
    }

    var looseForeignKeys: [String: Set<String>] {
        constraints.mapValues { Set($0.filter { $0.value.target != nil }.keys) }
    }

    /// A constraint as the server describes it.
    struct Constraint {
        /// Its definition, in the server's words.
        let definition: String
        /// The first of its columns; empty if it has none.
        let column: String
        /// The table that it refers to; nil if it is not a foreign key.
        let target: String?
    }
}

extension PostgresTables: ForeignCatalog {
    func relations() -> [String] { Array(columns.keys) }

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
