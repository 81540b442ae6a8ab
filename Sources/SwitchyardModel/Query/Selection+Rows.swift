/// Evaluates selections for plugins that keep rows in memory.
///
/// Such a plugin supplies the rows that fulfil the selection's condition; order, limit, columns, groups and figures are
/// the same for all plugins.
extension Selection {
    /// Evaluates the selection on the rows that fulfil its whole condition.
    ///
    /// - Parameters:
    ///   - body: Receives each row of the result, as `TransactionDriver.select` says, until it returns false.
    ///   - forEachRow: Calls its closure with each row that fulfils `wholeCondition`, ascending or descending by id, until
    ///     the closure returns false. Rows have the layout that drivers receive, followed by the scope where a transaction
    ///     sees several.
    /// - Throws: What the closures throw; `arithmetic` from a figure.
    /// - Complexity: O(n log n) for n rows that fulfil the condition; O(offset + limit) for the order of their ids, in
    ///   either direction.
    public func answer(
        _ body: (inout RowReader) throws -> Bool,
        from forEachRow: @escaping (SortDirection, ([StoredValue]) throws -> Bool) throws -> Void
    ) throws {
        let limit = limit ?? .max
        guard limit > 0 else { return }
        var output = Output(context: errorContext)
        if isAggregate {
            var aggregation = try Aggregation(self)
            try forEachRow(.ascending) { row in
                try aggregation.add(row)
                return true
            }
            for row in try aggregation.rows().dropFirst(offset).prefix(limit)
            where try !output.give(row, row.indices, body) { return }
            return
        }
        let columns = try columns.map { try entity.selectedColumn($0) }
        let order = try RowOrder(order, of: entity)
        if partition == nil, let direction = order.directionOfIDs {
            var (skipped, given) = (0, 0)
            try forEachRow(direction) { row in
                if skipped < offset {
                    skipped += 1
                    return true
                }
                given += 1
                return try output.give(row, columns, body) && given < limit
            }
            return
        }
        var rows: [[StoredValue]] = []
        try forEachRow(.ascending) { row in
            rows.append(row)
            return true
        }
        rows.sort(by: order.precedes)
        guard let partition else {
            for row in rows.dropFirst(offset).prefix(limit)
            where try !output.give(row, columns, body) { return }
            return
        }
        let key = try entity.selectedColumn(.attribute(partition.attribute))
        var counts: [StoredValue: Int] = [:]
        for row in rows {
            let place = counts[row[key], default: 0]
            counts[row[key]] = place + 1
            guard place >= offset, place - offset < limit else { continue }
            guard try output.give(row, columns, body) else { return }
        }
    }

    /// The condition of the rows, whether or not they are limited for each value of an attribute.
    public var wholeCondition: Condition {
        partition.map { condition && .isIn(.attribute($0.attribute), $0.values) } ?? condition
    }
}

/// The order of a selection, with its columns looked up.
private struct RowOrder {
    private let keys: [(column: Int, key: SortKey)]
    private let scopeColumn: Int

    init(_ order: [SortKey], of entity: Entity) throws {
        scopeColumn = entity.scopeColumn
        keys = try order.map { key in
            guard key.references.isEmpty, let attribute = key.attribute else {
                throw StoreError(
                    .unsupported, "Rows alone can only be sorted by their own attributes.",
                    entity: entity.name)
            }
            return (try entity.selectedColumn(.attribute(attribute)), key)
        }
    }

    /// The direction in which the rows arrive in this order already; nil if they must be sorted.
    ///
    /// No key after the id matters, but for the scope: rows of several scopes may have the same id.
    var directionOfIDs: SortDirection? {
        guard let first = keys.first else { return .ascending }
        guard first.column == 0, !keys.contains(where: { $0.column == scopeColumn }) else { return nil }
        return first.key.direction
    }

    func precedes(_ lhs: [StoredValue], _ rhs: [StoredValue]) -> Bool {
        for (column, key) in keys where lhs[column] != rhs[column] {
            return key.precedes(lhs[column], rhs[column])
        }
        return false
    }
}

/// Converts the values of a result to cells, in one buffer for all rows.
private struct Output: ~Copyable {
    private var writer: RowWriter

    init(context: ErrorContext) { writer = RowWriter(context: context) }

    mutating func give(
        _ row: [StoredValue], _ columns: some Sequence<Int>, _ body: (inout RowReader) throws -> Bool
    ) throws -> Bool {
        writer.reset()
        for column in columns { try writer.write(row[column]) }
        return try writer.withReader(body)
    }
}

extension Entity {
    /// Calls the body with a reader of a whole row in the layout that drivers receive.
    public func withReader(
        of row: [StoredValue], _ body: (inout RowReader) throws -> Void
    ) throws {
        var writer = RowWriter(context: errorContext)
        for value in row.prefix(attributes.count) { try writer.write(value) }
        try writer.withReader(body)
    }

    /// The column after those of the layout that drivers receive.
    fileprivate var scopeColumn: Int { attributes.count + attributes.count(where: \.isSearchable) }

    fileprivate func selectedColumn(_ selected: SelectedColumn) throws -> Int {
        guard case .attribute(let name) = selected else {
            throw StoreError(.unsupported, "A plain row only has attributes to select.", entity: self.name)
        }
        if let column = column(name) { return column }
        guard name == StoreScope.attribute.name else {
            throw StoreError(
                .unsupported, "A plain row has no attribute \(name) to select.", entity: self.name)
        }
        return scopeColumn
    }
}
