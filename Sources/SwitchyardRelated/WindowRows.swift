/// The rows among which a row is the next or the third: those of a query, in its order, without its limit and offset.
struct WindowRows {
    let rows: Selection
    /// The attribute that divides them into those of one owner each, inside another row's include.
    let owner: String?

    init(_ rows: Selection, dividedBy owner: String? = nil) {
        var rows = rows
        (rows.limit, rows.offset) = (nil, 0)
        (self.rows, self.owner) = (rows, owner)
    }
}

extension ReadTransaction {
    /// Calculates a value for each row from the rows that it is among.
    ///
    /// - Parameters:
    ///   - window: The rows.
    ///   - partition: The attribute that divides them; nil for none.
    ///   - value: From what the values are calculated: an attribute, or what is calculated for each row.
    ///   - isRanking: Whether the values of the sort keys are needed.
    ///   - calculate: Returns a value for each row of one part, given in order.
    /// - Returns: The values by the keys of the rows.
    /// - Throws: As `select`.
    func windowValues(
        of window: WindowRows, per partition: String?, _ value: Operand?, isRanking: Bool = false,
        _ calculate: ([WindowRow]) throws -> [StoredValue]
    ) throws -> [RelatedKey: StoredValue] {
        let entity = window.rows.entity
        let isOverScopes = scopes.count > 1
        let attribute = value?.attribute
        let dividing = [window.owner, partition].compactMap(\.self)
        let order =
            isRanking
            ? window.rows.order.filter { !$0.isOwn("id") && !$0.isOwn(StoreScope.attribute.name) } : []
        // The rows of an owner, or of a reference, are those of one scope, where others have the same ids.
        let isByScope =
            window.owner != nil || partition.flatMap { entity.attribute($0)?.reference } != nil
        let scope = isOverScopes ? [StoreScope.attribute.name] : []
        let names = ["id"] + scope + dividing + [attribute].compactMap(\.self) + order.map(\.first)
        let types = names.map { name in
            name == StoreScope.attribute.name ? .uuid : entity.attribute(name)?.type ?? .text
        }
        var selection = window.rows
        selection.columns = names.map { .attribute($0) }
        var rows: [WindowRow] = []
        var parts: [[StoredValue]: [Int]] = [:]
        var locals: [[RelatedKey]] = order.map { _ in [] }
        try select(selection) { row in
            var values = try types.map { try row.read($0) }[...]
            let id = values.removeFirst()
            let scope = isOverScopes ? values.removeFirst() : .null
            let divided = values.prefix(dividing.count)
            let part = [isByScope && divided.contains { !$0.isNull } ? scope : .null] + divided
            values.removeFirst(dividing.count)
            parts[part, default: []].append(rows.count)
            rows.append(
                WindowRow(
                    key: RelatedKey(value: id, scope: scope),
                    value: attribute == nil ? .null : values.removeFirst()))
            for (column, local) in zip(locals.indices, values) {
                locals[column].append(RelatedKey(value: local, scope: scope))
            }
            return true
        }
        if let value, attribute == nil {
            let function = try AggregateFunction.calculated(.countOf("id"), of: value)
                .validated(in: entity, schema: schema)
            let calculated = try values(
                of: function.calculated ?? value, in: entity, where: window.rows.condition, for: .assignment)
            for row in rows.indices { rows[row].value = calculated[rows[row].key] ?? .null }
        }
        for (key, column) in zip(order, locals) {
            for (position, value) in try values(of: key, from: column, in: entity).enumerated() {
                rows[position].ranks.append(value)
            }
        }
        var found: [RelatedKey: StoredValue] = [:]
        for positions in parts.values {
            let part = positions.map { rows[$0] }
            for (row, value) in zip(part, try calculate(part)) { found[row.key] = value }
        }
        return found
    }
}

/// One of the rows that a row is among.
struct WindowRow {
    let key: RelatedKey
    /// That from which values are calculated.
    var value: StoredValue
    /// The values of the sort keys, by which rows share a rank.
    var ranks: [StoredValue] = []
}
