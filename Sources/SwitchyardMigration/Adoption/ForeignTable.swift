/// A table or a view, as the database describes it.
public struct ForeignTable: Sendable, Hashable {
    /// The name.
    public let name: String
    /// Whether it is a table with rows of its own: not a view, a virtual table, or a table that holds the
    /// rows of one.
    public let isTable: Bool
    /// The columns, in order.
    public let columns: [Column]
    /// The names of the primary key's columns, in its order; empty without one.
    public let primaryKey: [String]
    /// The references to other tables.
    public let foreignKeys: [Reference]
    /// The names of the columns that are unique together, besides the primary key, as far as the database tells.
    public let uniqueConstraints: [[String]]
    /// What the database's own software keeps in it; nil for the rows of an app.
    ///
    /// An adoption leaves such a table out, unless the plan names it.
    public let purpose: String?
    /// Whether columns may hold keys of its rows without a foreign key that says so.
    ///
    /// A scaffold then keeps the key, without which such a column means nothing.
    public let hasUndeclaredReferences: Bool

    /// Describes a table.
    public init(
        name: String, isTable: Bool, columns: [Column], primaryKey: [String], foreignKeys: [Reference],
        uniqueConstraints: [[String]] = [], purpose: String? = nil, hasUndeclaredReferences: Bool = false
    ) {
        (self.name, self.isTable, self.columns) = (name, isTable, columns)
        (self.primaryKey, self.foreignKeys) = (primaryKey, foreignKeys)
        (self.uniqueConstraints, self.purpose) = (uniqueConstraints, purpose)
        self.hasUndeclaredReferences = hasUndeclaredReferences
    }

    /// A column.
    public struct Column: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The type in the database's own words; empty without one.
        public let type: String
        /// Whether it takes null.
        public let isOptional: Bool
        /// The value of a row that is not given one, as far as the database tells.
        public let defaultValue: ForeignValue?
        /// What the database's own software keeps in it; nil for a value of an app.
        ///
        /// An adoption leaves such a column out, unless the plan names it.
        public let purpose: String?

        /// Describes a column.
        public init(
            name: String, type: String, isOptional: Bool, defaultValue: ForeignValue? = nil,
            purpose: String? = nil
        ) {
            (self.name, self.type, self.isOptional) = (name, type, isOptional)
            (self.defaultValue, self.purpose) = (defaultValue, purpose)
        }
    }

    /// A foreign key.
    public struct Reference: Sendable, Hashable {
        /// The names of the columns that refer.
        public let columns: [String]
        /// The table that they refer to.
        public let table: String
        /// The names of that table's columns; empty for its primary key.
        public let targets: [String]
        /// The name of the relationship back, where the database's software has one.
        public let inverse: String?
        /// What happens to the rows that refer when the other one is deleted, as far as the database tells.
        public let deleteRule: DeleteRule?

        /// Describes a foreign key.
        public init(
            columns: [String], table: String, targets: [String], inverse: String? = nil,
            deleteRule: DeleteRule? = nil
        ) {
            (self.columns, self.table, self.targets) = (columns, table, targets)
            (self.inverse, self.deleteRule) = (inverse, deleteRule)
        }
    }
}

extension DeleteRule {
    /// The rule that a foreign key's `ON DELETE` means.
    ///
    /// Nil for `NO ACTION`, which a reference without a relationship has as well, and for `SET DEFAULT`, which no rule is.
    package init?(action: String) {
        switch action {
        case "CASCADE": self = .cascade
        case "SET NULL": self = .nullify
        case "RESTRICT": self = .deny
        default: return nil
        }
    }
}
