public import SwitchyardCore

extension SQLGenerator {
    /// Returns the statements that create an entity's indexes: those of its unique constraints, the declared ones, and
    /// those of its references.
    ///
    /// Unique constraints are unique indexes, because only indexes can have a filter, and so that each has
    /// the same name on every backend. If a row violates several, the database names the one that it checks
    /// first, so they are created in the order in which that is the first one in the schema. A reference gets
    /// no index of its own if another index begins with it.
    ///
    /// - Throws: `schemaInvalid` if a filter cannot be written.
    public func indexes(of entity: Entity) throws -> [String] {
        let layout = try layout(entity.name)
        let constraints =
            dialect.checksIndexesAsMade ? entity.uniqueConstraints : entity.uniqueConstraints.reversed()
        let unique = try constraints.flatMap { try indexes(of: $0, on: layout) }
        let declared = try entity.indexes.flatMap { try indexes(of: $0, on: layout) }
        let first = Set(
            entity.indexes.filter { $0.filter == nil }.compactMap(\.attributes.first)
                + entity.uniqueConstraints.filter { $0.filter == nil }.compactMap(\.attributes.first))
        let references = try entity.attributes.filter { $0.reference != nil && !first.contains($0.name) }
            .map { try self.index(ConstraintName.reference($0, of: entity), over: [$0.name], on: layout) }
        return unique + declared + references
    }

    /// Returns the index of a unique constraint and, if the dialect needs it, a second one for rows with a nil.
    private func indexes(of constraint: UniqueConstraint, on layout: TableLayout) throws -> [String] {
        let entity = layout.entity
        let filter = try constraint.filter?.validated(in: entity, schema: schema, isKept: true)
        let nilsAreEqual = !constraint.nilsAreDistinct
        let plain = try index(
            constraint.name(in: entity), isUnique: true, on: layout,
            columns: constraint.attributes.map { ordered(try layout.column($0)) }, filter: filter,
            suffix: nilsAreEqual && dialect.equalNils == .keyword ? " NULLS NOT DISTINCT" : "")
        guard let rows = try nilRows(of: constraint, in: layout) else { return [plain] }
        return [
            plain,
            try index(
                constraint.nameForNils(in: entity), isUnique: true, on: layout, columns: rows.columns,
                filter: filter.map { $0 && rows.condition } ?? rows.condition),
        ]
    }

    /// Returns the declared index, and a second one over the folded copies if one of its attributes is searchable.
    private func indexes(of index: Index, on layout: TableLayout) throws -> [String] {
        let entity = layout.entity
        let filter = try index.filter?.validated(in: entity, schema: schema, isKept: true)
        let plain = try self.index(
            index.name(in: entity), over: index.attributes, on: layout, filter: filter)
        guard index.hasFoldedCopies(in: entity) else { return [plain] }
        let folded = index.attributes.map {
            entity.attribute($0)?.isSearchable == true ? TableLayout.foldedName(of: $0) : $0
        }
        return [
            plain,
            try self.index(index.foldedName(in: entity), over: folded, on: layout, filter: filter),
        ]
    }

    /// The columns and rows of a second index that treats nils as equal, in a dialect whose unique indexes do not.
    ///
    /// Nil unless the constraint needs it.
    ///
    /// A single index over these expressions for all rows would enforce the constraint as well, but serve no query,
    /// since queries compare columns.
    func nilRows(
        of constraint: UniqueConstraint, in layout: TableLayout
    ) throws -> (columns: [String], condition: Condition)? {
        guard !constraint.nilsAreDistinct, dialect.equalNils == .expressions else { return nil }
        let columns = try constraint.attributes.map(layout.column)
        let optional = columns.filter(\.attribute.isOptional)
        guard !optional.isEmpty else { return nil }
        let expressions = columns.flatMap { column in
            guard column.attribute.isOptional else { return [column.name] }
            let collation = dialect.collations[column.attribute.type].map {
                " COLLATE \(SQLDialect.quoted($0))"
            }
            return ["(\(column.name) IS NULL)", "ifnull(\(column.name), 0)\(collation ?? "")"]
        }
        return (
            expressions,
            .any(optional.map { .compare(.attribute($0.attribute.name), .equal, .value(.null)) })
        )
    }

    /// Returns an index that serves the orders of `select(_:)`: NULL before all values, and the id last, as a
    /// tie-breaker.
    private func index(
        _ name: String, over attributes: [String], on layout: TableLayout, filter: Condition? = nil
    ) throws -> String {
        var columns = try attributes.map { ordered(try layout.column($0)) }
        if !dialect.indexesHoldPrimaryKey, !attributes.contains("id") {
            columns.append(try layout.column("id").name)
        }
        return try index(name, isUnique: false, on: layout, columns: columns, filter: filter)
    }

    private func ordered(_ column: TableLayout.Column) -> String {
        column.name + (dialect.spellsNullOrder && column.attribute.isOptional ? " NULLS FIRST" : "")
    }

    private func index(
        _ name: String, isUnique: Bool, on layout: TableLayout, columns: [String], filter: Condition?,
        suffix: String = ""
    ) throws -> String {
        var writer = SQLWriter(self, writesLiterals: true)
        // An index belongs to the namespace of its table, so its name is not qualified.
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
