public import SwitchyardCore

extension SQLGenerator {
    /// Returns the statement that sets attributes, and their folded copies, in all rows that fulfil a condition.
    ///
    /// It can return attributes of each row, as they are after the update.
    ///
    /// - Throws: `unsupported` if the folded copy of a value cannot be computed in SQL.
    public func update(
        _ entity: String, set assignments: [Assignment], where condition: Condition,
        returning content: ChangeReport.Content? = nil
    ) throws -> SQLStatement {
        let layout = try layout(entity)
        let source = SQLSource(layout)
        var writer = SQLWriter(self)
        writer.write("UPDATE \(layout.table) SET ")
        try writer.list(assignments) { writer, assignment in
            let column = try layout.column(assignment.attribute)
            let type = column.attribute.type
            writer.write("\(column.name) = ")
            try writer.assigned(assignment.value, as: type, in: source)
            if let searchName = column.searchName {
                writer.write(", \(searchName) = ")
                try writer.assigned(try assignment.value.folded(in: source), as: .text, in: source)
            }
        }
        var direct = writer
        try direct.whereClause(condition, in: source)
        if dialect.updatesBeforeItTests, direct.tablesOfConditions.contains(layout.table) {
            let id = try layout.column("id").name
            writer.write(" WHERE ")
            writer.scopeAnd()
            writer.write("\(id) IN (SELECT \(id) FROM \(layout.table)")
            try writer.whereClause(condition, in: source)
            writer.write(")")
        } else {
            writer = direct
        }
        if let content { writer.returning(content.attributes(of: layout.entity)) }
        return writer.statement
    }

    /// Returns the text of an update that sets all attributes of a row but its id.
    ///
    /// Its parameters are each attribute's value, followed by its folded copy if there is one, the scope, if there is one,
    /// and the id.
    ///
    /// - Throws: `schemaMismatch` if the schema lacks the entity.
    func updateRow(in entity: Entity) throws -> String {
        try (isScoped ? confined(to: [.unused]) : self).update(
            entity.name,
            set: entity.attributes.dropFirst().map { Assignment(attribute: $0.name, value: .value(.null)) },
            where: .compare(.attribute("id"), .equal, .value(.uuid(StoreScope.unused.uuid)))
        ).text
    }

    /// Returns the statement that deletes all rows that fulfil a condition.
    ///
    /// It can return attributes of each row.
    ///
    /// - Throws: `unsupported` if the condition names something that the entity lacks.
    public func delete(
        from entity: String, where condition: Condition, returning content: ChangeReport.Content? = nil
    ) throws -> SQLStatement {
        let layout = try layout(entity)
        var writer = SQLWriter(self)
        writer.write("DELETE FROM \(layout.table)")
        try writer.whereClause(condition, in: SQLSource(layout))
        if let content { writer.returning(content.attributes(of: layout.entity)) }
        return writer.statement
    }
}

extension SQLWriter {
    /// Writes an assigned operand.
    ///
    /// A null constant is bound as well, so that the text of an update does not depend on which values are
    /// nil.
    mutating func assigned(_ operand: Operand, as type: AttributeType, in source: SQLSource)
        throws
    {
        if case .value(let value) = operand {
            placeholder(.value(value, type))
        } else {
            prepare(for: operand)
            calculations = .assignment
            defer { calculations = .condition }
            try self.operand(operand, as: type, in: source)
        }
    }
}

extension Operand {
    /// The operand of the folded copy: constants are folded here, columns have a stored folded copy.
    fileprivate func folded(in source: SQLSource) throws -> Operand {
        switch self {
        case .value(.text(let text)): return .value(.text(SearchFolding.fold(text)))
        case .value(.null): return self
        case .attribute(let name) where try source.layout.column(name).searchName != nil:
            return .attribute(TableLayout.foldedName(of: name))
        case .coalesce(let first, let second):
            return .coalesce(try first.folded(in: source), try second.folded(in: source))
        case .conditional(let condition, let first, let second):
            return .conditional(condition, try first.folded(in: source), try second.folded(in: source))
        default:
            throw StoreError(
                .unsupported, "The folded copy of a value cannot be worked out in SQL.",
                entity: source.layout.entity.name)
        }
    }
}
