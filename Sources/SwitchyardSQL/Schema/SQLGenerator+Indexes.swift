public import SwitchyardCore

extension SQLGenerator {
    /// The statements that make an entity's indexes: of its unique constraints, its references and the
    /// declared ones.
    ///
    /// Unique constraints are unique indexes, because only those can have a filter, and so that each has its
    /// name on every backend. A reference that another index begins with gets none of its own.
    ///
    /// - Throws: `schemaInvalid` if a filter cannot be printed.
    public func indexes(of entity: Entity) throws -> [String] {
        let layout = try layout(entity.name)
        let unique = try entity.uniqueConstraints.map { constraint in
            try index(
                constraint.name(in: entity), isUnique: true, on: layout,
                columns: uniqueColumns(constraint, in: layout, isOrdered: true), filter: constraint.filter,
                suffix: constraint.nilsAreDistinct || dialect.equalNils != .keyword
                    ? "" : " NULLS NOT DISTINCT")
        }
        let declared = try entity.indexes.map { index in
            try self.index(
                index.name(in: entity), isUnique: false, on: layout,
                columns: orderedColumns(index.attributes, in: layout), filter: index.filter)
        }
        let first = Set(
            entity.indexes.filter { $0.filter == nil }.compactMap(\.attributes.first)
                + entity.uniqueConstraints.filter { $0.filter == nil && $0.nilsAreDistinct }
                .compactMap(\.attributes.first))
        let references = try entity.attributes.filter { $0.reference != nil && !first.contains($0.name) }.map
        {
            try index(
                ConstraintName.reference($0, of: entity), isUnique: false, on: layout,
                columns: orderedColumns([$0.name], in: layout), filter: nil)
        }
        return unique + declared + references
    }

    /// The columns or expressions of a unique constraint's index, without the scope.
    ///
    /// An index says where NULL sorts; the target of a conflict must not.
    func uniqueColumns(
        _ constraint: UniqueConstraint, in layout: TableLayout, isOrdered: Bool = false
    ) throws -> [String] {
        try constraint.attributes.flatMap { name in
            let column = try layout.column(name)
            guard !constraint.nilsAreDistinct, column.attribute.isOptional, dialect.equalNils == .expressions
            else {
                return [isOrdered ? ordered(column) : column.name]
            }
            let collation = dialect.collations[column.attribute.type].map {
                " COLLATE \(SQLDialect.quoted($0))"
            }
            return ["(\(column.name) IS NULL)", "ifnull(\(column.name), 0)\(collation ?? "")"]
        }
    }

    /// The columns of an index that serves the orders of `select(_:)`, NULL before all values.
    private func orderedColumns(_ attributes: [String], in layout: TableLayout) throws -> [String] {
        try attributes.map { name in
            ordered(try layout.column(name))
        }
    }

    private func ordered(_ column: TableLayout.Column) -> String {
        column.name + (dialect.spellsNullOrder && column.attribute.isOptional ? " NULLS FIRST" : "")
    }

    private func index(
        _ name: String, isUnique: Bool, on layout: TableLayout, columns: [String], filter: Condition?,
        suffix: String = ""
    ) throws -> String {
        var writer = SQLWriter(self, writesLiterals: true)
        // An index lives in the namespace of its table and is named without it.
        writer.write("CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLDialect.quoted(name)) ")
        writer.write("ON \(layout.table) (\(key(columns)))\(suffix)")
        if let filter {
            writer.write(" WHERE ")
            writer.prepare(for: filter)
            try writer.condition(filter, negated: false, in: SQLSource(layout))
        }
        return writer.text
    }
}
