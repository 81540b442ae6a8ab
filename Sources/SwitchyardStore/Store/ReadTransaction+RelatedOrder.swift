/// Sorting by what references lead to.
extension ReadTransaction {
    /// Runs a selection; where the driver cannot sort by what references lead to, the rows are sorted here.
    ///
    /// - Complexity: The keys of all rows that fulfil the condition are in memory then, and the rows of the result.
    package func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        guard selection.order.contains(where: { !$0.references.isEmpty }),
            driver.capability((any RelatedOrdering).self) == nil
        else {
            return try driver.select(selection, body)
        }
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

    /// The values of a sort key for some rows.
    ///
    /// - Parameters:
    ///   - key: The sort key.
    ///   - locals: The values of its first reference, or of the attribute if it has none.
    ///   - entity: The entity of the rows.
    /// - Returns: A value for each row, in their order; null behind a nil reference.
    /// - Throws: As the driver's `select`.
    func values(of key: SortKey, from locals: [RelatedKey], in entity: Entity) throws -> [StoredValue] {
        var (current, source) = (locals, entity)
        for (step, reference) in key.references.enumerated() {
            guard let target = source.attribute(reference)?.reference else { break }
            source = try schema.require(target)
            let next = step + 1 < key.references.count ? key.references[step + 1] : key.attribute
            let ids = Set(current.lazy.map(\.value).filter { !$0.isNull })
            var found: [RelatedKey: StoredValue] = [:]
            try selectKeyed(
                Selection(
                    entity: source, columns: [.attribute(next)],
                    condition: .isIn(.attribute("id"), Array(ids)))
            ) { found[$0] = $1[0] }
            current = current.map { RelatedKey(value: found[$0] ?? .null, scope: $0.scope) }
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
                return StoredValue.precedes(column[lhs], column[rhs]) == (key.direction == .ascending)
            }
            return StoredValue.precedes(rows[lhs].key.scope, rows[rhs].key.scope)
        }
        let limit = selection.limit ?? .max
        return positions.dropFirst(selection.offset).prefix(limit).map { rows[$0].key }[...]
    }

    /// Selects columns and the keys of their rows.
    private func selectKeyed(
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
    /// The attribute of the row itself that the value begins with.
    var first: String { references.first ?? attribute }
}

/// What a row and its related rows have in common: the id of one of them, in a scope.
package struct RelatedKey: Hashable {
    package let value: StoredValue
    /// The scope, where a transaction sees several; else null.
    package let scope: StoredValue

    package init(value: StoredValue, scope: StoredValue) { (self.value, self.scope) = (value, scope) }
}
