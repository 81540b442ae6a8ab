/// Something that a store's tables have, and the store's schema does not: a column, an index, a trigger, a view.
///
/// People and other programs add such parts by hand. A migration keeps them, or is refused before its first stage, with
/// `obstacle` as the reason. None is ever lost in silence.
public struct UnknownPart: Sendable, Hashable, Codable {
    /// The table of the store that it belongs to, or that it needs.
    public let table: String
    /// What it is.
    public let kind: Kind
    /// Its name.
    public let name: String
    /// Why it blocks a migration, and what to do; nil if it is kept.
    public var obstacle: String?

    /// Creates a part.
    public init(table: String, kind: Kind, name: String, obstacle: String? = nil) {
        self.table = table
        self.kind = kind
        self.name = name
        self.obstacle = obstacle
    }

    /// The kinds of parts, whose names stay the same.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A table or a view, under a name that the store needs.
        case table
        /// A column of the store's table.
        case column
        /// A constraint of the store's table.
        case constraint
        /// An index on the store's table.
        case index
        /// A trigger that watches or uses the store's table.
        case trigger
        /// A view of the store's table.
        case view
        /// A foreign key of another table that leads to the store's.
        case foreignKey
        /// Anything else that depends on the store's table, such as a policy.
        case other
    }
}

extension UnknownPart: CustomStringConvertible {
    /// The part in a sentence, with the obstacle if it is one.
    public var description: String { "\(difference)" + (obstacle.map { " \($0)" } ?? "") }

    /// The part in a sentence.
    private var difference: String {
        switch kind {
        case .table: "There is a table or view \(name) that is not the store's."
        case .column: "The table \(table) has a column \(name) that its version does not know."
        case .constraint: "The table \(table) has a constraint \(name) that its version does not know."
        case .index: "The table \(table) has an index \(name) that its version does not know."
        case .trigger: "The trigger \(name) concerns the table \(table), and is not the store's."
        case .view: "The view \(name) reads the table \(table), and is not the store's."
        case .foreignKey: "The foreign key \(name) leads to the table \(table), and is not the store's."
        case .other: "The table \(table) is used by something that its version does not know: \(name)."
        }
    }
}

/// One stage of a migration as a driver is asked about it: from one schema to the next.
public struct SchemaStep: Sendable {
    /// The schema before, and the schema afterwards.
    public let older: Schema, newer: Schema
    /// The change of each table that is not unchanged.
    public let changes: [TableChange]

    /// Creates a step.
    public init(from older: Schema, to newer: Schema, _ changes: [TableChange]) {
        (self.older, self.newer, self.changes) = (older, newer, changes)
    }
}

extension StoreError {
    /// The error of a store whose tables lack what its version has, found before a migration.
    package static func tablesUnlike(_ version: SchemaVersion, _ faults: [String]) -> StoreError {
        let shown = faults.prefix(5).joined(separator: "; ") + (faults.count > 5 ? "; …" : "")
        return StoreError(
            .corrupted,
            "The store's tables are not those of version \(version), which its marker names: \(shown). A "
                + "diagnosis shows the version of each table, and a repair corrects what can be corrected; "
                + "nothing was changed."
        )
    }

    /// The error of parts that a migration would lose, or that have the name of what it makes.
    package static func partsInTheWay(
        _ parts: [UnknownPart], from older: SchemaVersion, to newer: SchemaVersion
    )
        -> StoreError
    {
        let shown =
            parts.prefix(5).map(\.description).joined(separator: " ")
            + (parts.count > 5 ? " \(parts.count - 5) more are in the way." : "")
        return StoreError(
            .schemaMismatch,
            "The store cannot be migrated from \(older) to \(newer); nothing was changed. \(shown) A "
                + "diagnosis shows whether a table belongs to another version, which a repair corrects.")
    }
}
