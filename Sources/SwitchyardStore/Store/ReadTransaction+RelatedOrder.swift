/// Sorting by what references lead to, and by what is calculated for each row.
extension ReadTransaction {
    /// Runs a selection; where the driver cannot sort by its keys, the rows are sorted here.
    ///
    /// - Complexity: The keys of all rows that fulfil the condition are in memory then, and the rows of the result.
    package func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        if try isOrderedByDriver(selection) { return try driver.select(selection, body) }
        let keys = try keysInOrder(of: selection)
        var rest = selection
        rest.condition = .isIn(.attribute("id"), Array(Set(keys.map(\.value))))
        (rest.order, rest.limit, rest.offset) = ([], nil, 0)
        var rows: [RelatedKey: [StoredValue]] = [:]
        try selectKeyed(rest) { rows[$0] = $1 }
        var writer = RowWriter(context: selection.errorContext)
        for key in keys {
            // Another scope can have a row with the id.
            guard let row = rows[key] else { continue }
            writer.reset()
            for value in row { try writer.write(value) }
            guard try writer.withReader(body) else { return }
        }
    }

    /// Whether the driver sorts by all keys of a selection.
    package func isOrderedByDriver(_ selection: Selection) throws -> Bool {
        try selection.order.allSatisfy(\.isPlain)
            || driver.capability((any RelatedOrdering).self) != nil
                && selection.order.allSatisfy { try isDrivers($0, in: selection.entity) }
    }

    /// The values of a sort key for some rows.
    ///
    /// - Parameters:
    ///   - key: The sort key.
    ///   - locals: The values of the attribute that it begins with.
    ///   - entity: The entity of the rows.
    /// - Returns: A value for each row, in their order; null behind a nil reference.
    /// - Throws: As the driver's `select`.
    package func values(of key: SortKey, from locals: [RelatedKey], in entity: Entity) throws -> [StoredValue]
    {
        if key.isPlain { return locals.map(\.value) }
        var (current, source) = (locals, entity)
        func follow(to value: Operand) throws {
            let ids = Set(current.lazy.map(\.value).filter { !$0.isNull })
            let found = try values(of: value, in: source, where: .isIn(.attribute("id"), Array(ids)))
            current = current.map { RelatedKey(value: found[$0] ?? .null, scope: $0.scope) }
        }
        if key.references.isEmpty { try follow(to: key.value) }
        for (step, reference) in key.references.enumerated() {
            guard let target = source.attribute(reference)?.reference else { break }
            source = try schema.require(target)
            try follow(
                to: step + 1 < key.references.count ? .attribute(key.references[step + 1]) : key.value)
        }
        return current.map(\.value)
    }

    /// The ids of a selection's rows, in its order, with its limit and offset applied.
    private func keysInOrder(of selection: Selection) throws -> ArraySlice<RelatedKey> {
        let order = selection.order.filter { !$0.isOwn(StoreScope.attribute.name) }
        var rows: [(key: RelatedKey, locals: [StoredValue])] = []
        try selectKeyed(
            Selection(
                entity: selection.entity, columns: order.map { .attribute($0.first) },
                condition: selection.condition)
        ) { rows.append(($0, $1)) }
        let columns = try order.enumerated().map { position, key in
            try values(
                of: key, from: rows.map { RelatedKey(value: $0.locals[position], scope: $0.key.scope) },
                in: selection.entity)
        }
        let positions = rows.indices.sorted { lhs, rhs in
            for (column, key) in zip(columns, order) where column[lhs] != column[rhs] {
                return key.precedes(column[lhs], column[rhs])
            }
            return StoredValue.precedes(rows[lhs].key.scope, rows[rhs].key.scope)
        }
        let limit = selection.limit ?? .max
        return positions.dropFirst(selection.offset).prefix(limit).map { rows[$0].key }[...]
    }

    /// Selects columns and the keys of their rows.
    func selectKeyed(
        _ selection: Selection, _ take: (RelatedKey, [StoredValue]) throws -> Void
    ) throws {
        var keyed = selection
        let isOverScopes = scopes.count > 1
        keyed.columns.append(.attribute("id"))
        if isOverScopes { keyed.columns.append(.attribute(StoreScope.attribute.name)) }
        keyed.order = totalOrder([])
        let types = selection.columns.map { column -> AttributeType in
            guard case .attribute(let name) = column else { return .int }
            return name == StoreScope.attribute.name ? .uuid : selection.entity.attribute(name)?.type ?? .text
        }
        try driver.select(keyed) { row in
            let values = try types.map { try row.read($0) }
            let id = try row.read(.uuid)
            try take(RelatedKey(value: id, scope: isOverScopes ? try row.read(.uuid) : .null), values)
            return true
        }
    }
}

extension SortKey {
    /// The attribute of the row itself that the value begins with: the id of what is calculated.
    package var first: String { references.first ?? attribute ?? "id" }
}

/// What a row and its related rows have in common: the id of one of them, in a scope.
package struct RelatedKey: Hashable {
    package let value: StoredValue
    /// The scope, where a transaction sees several; else null.
    package let scope: StoredValue

    package init(value: StoredValue, scope: StoredValue) { (self.value, self.scope) = (value, scope) }
}
