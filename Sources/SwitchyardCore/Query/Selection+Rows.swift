/// Answers for plugins that hold rows in memory.
///
/// Such a plugin hands over the rows that fulfil the selection's condition; what is made of them (order,
/// number, columns, groups, figures) is the same for all.
extension Selection {
    /// Answers from the rows that fulfil the condition.
    ///
    /// - Parameters:
    ///   - body: Takes each row of the answer, as `TransactionDriver.select` says, until it returns false.
    ///   - forEachRow: Hands over each row that fulfils the condition, ascending by id, until its closure
    ///     returns false. Rows have the layout in which drivers get them.
    /// - Throws: What the closures throw; `arithmetic` from a figure.
    /// - Complexity: O(n log n) for n rows that fulfil the condition; O(offset + limit) where they are asked
    ///   for in the order of their ids.
    public func answer(
        _ body: (inout RowReader) throws -> Bool,
        from forEachRow: @escaping (([StoredValue]) throws -> Bool) throws -> Void
    ) throws {
        let limit = limit ?? .max
        guard limit > 0 else { return }
        var output = Output(context: errorContext)
        if isAggregate {
            var aggregation = try Aggregation(self)
            try forEachRow { row in
                try aggregation.add(row)
                return true
            }
            for row in try aggregation.rows().dropFirst(offset).prefix(limit)
            where try !output.give(row, row.indices, body) { return }
            return
        }
        let columns = try columns.map { try entity.selectedColumn($0) }
        let order = try RowOrder(order, of: entity)
        if order.isByID {
            var (skipped, given) = (0, 0)
            try forEachRow { row in
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
        try forEachRow { row in
            rows.append(row)
            return true
        }
        rows.sort(by: order.precedes)
        for row in rows.dropFirst(offset).prefix(limit)
        where try !output.give(row, columns, body) { return }
    }
}

/// The order of a selection with its columns looked up.
private struct RowOrder {
    private let keys: [(column: Int, isDescending: Bool)]

    init(_ order: [SortKey], of entity: Entity) throws {
        keys = try order.map { key in
            (try entity.selectedColumn(.attribute(key.attribute)), key.direction == .descending)
        }
    }

    /// Whether rows come in this order by themselves.
    var isByID: Bool { keys.first.map { $0.column == 0 && !$0.isDescending } ?? true }

    func precedes(_ lhs: [StoredValue], _ rhs: [StoredValue]) -> Bool {
        for (column, isDescending) in keys where lhs[column] != rhs[column] {
            return StoredValue.precedes(lhs[column], rhs[column]) != isDescending
        }
        return false
    }
}

/// Turns the values of an answer into the cells that a reader reads, in one buffer for all rows.
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
    /// Lends a row in the layout in which drivers get it to what reads whole rows.
    public func withReader(
        of row: [StoredValue], _ body: (inout RowReader) throws -> Void
    ) throws {
        var writer = RowWriter(context: errorContext)
        for value in row.prefix(attributes.count) { try writer.write(value) }
        try writer.withReader(body)
    }

    fileprivate func selectedColumn(_ selected: SelectedColumn) throws -> Int {
        guard case .attribute(let name) = selected, let column = column(name) else {
            throw StoreError(.unsupported, "A plain row can give attributes only.", entity: self.name)
        }
        return column
    }
}
