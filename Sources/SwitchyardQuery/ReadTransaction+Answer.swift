public import SwitchyardCore

extension ReadTransaction {
    /// Answers a query that was read from text.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - bound: The most rows of the answer, those that it includes counted: a row that references lead to once, a row of a
    ///     list each time that the list is there.
    /// - Returns: The rows, or the groups, in the query's order.
    /// - Throws: `invalidArgument` if the answer has more rows than the bound, `unsupported` for a query that was read for
    ///   another schema or whose condition is too large, `arithmetic` if a sum overflows.
    /// - Complexity: One statement for the rows, and one for each relationship that is included or shown, all in this
    ///   transaction's snapshot. The answer is in memory.
    public func answer(_ query: StoredQuery, atMost bound: Int = 100_000) throws -> QueryAnswer {
        guard query.limit ?? 0 >= 0 else {
            throw StoreError(.invalidArgument, "A limit cannot be negative.", entity: query.entity)
        }
        if let figures = query.figures { return try answer(query, figures, atMost: bound) }
        return try perform {
            let shape = try AnswerShape(query, in: schema)
            var reader = AnswerReader(tx: self, bound: bound)
            let rows = try reader.rows(of: shape, query)
            _ = try reader.listed(rows, of: query.entity)
            return QueryAnswer(columns: shape.columns, rows: rows.map(\.cells))
        }
    }

    private func answer(
        _ query: StoredQuery, _ figures: Figures, atMost bound: Int
    ) throws -> QueryAnswer {
        let asked = figures.items.map(\.figure)
        let all = asked + figures.choice.figures.map { GroupFigure($0) }.filter { !asked.contains($0) }
        let groups = try aggregateRows(
            of: query.entity, where: query.condition, by: try figures.keys.map { try $0.grouping() },
            figures: all)
        let chosen = figures.choice.chosen(of: groups, figures: all, after: figures.keys.count)
        let rows = chosen.dropFirst(query.offset).prefix(query.limit ?? .max)
        guard rows.count <= bound else { throw StoreError.answerTooLarge(bound, of: query.entity) }
        return QueryAnswer(
            columns: figures.titles.map { AnswerColumn(name: $0, content: .value) },
            rows: rows.map { $0.prefix(figures.titles.count).map { .value($0) } })
    }
}

/// Reads the rows of an answer, and then what belongs to all of them at once.
private struct AnswerReader {
    let tx: ReadTransaction
    let bound: Int
    /// The rows that were read.
    private var count = 0

    /// A row that was found.
    struct Row {
        /// The key that led to it.
        let owner: RelatedKey
        var cells: [AnswerCell] = []
        /// The number of rows in the lists that it includes.
        var listed = 0
    }

    init(tx: ReadTransaction, bound: Int) { (self.tx, self.bound) = (tx, bound) }

    /// Reads rows of a shape: all of a query, or those whose attribute `owner` is one of some keys.
    ///
    /// The query's limit and offset are then those of each key.
    mutating func rows(
        of shape: AnswerShape, _ query: StoredQuery, by owner: String = "id", of keys: [RelatedKey]? = nil
    ) throws -> [Row] {
        let isOverScopes = tx.scopes.count > 1
        let names = shape.parts.map(\.local) + [owner] + (isOverScopes ? [StoreScope.attribute.name] : [])
        let types = names.map { shape.entity.attribute($0)?.type ?? .uuid }
        let selection = try selection(names, of: shape, query, by: owner, keys)
        let isLimited = selection.partition != nil
        var (found, owners, places): ([[StoredValue]], [RelatedKey], [RelatedKey: Int]) = ([], [], [:])
        try tx.decode(selection) { row in
            try types.map { try row.read($0) }
        } taking: { values in
            let key = RelatedKey(
                value: values[shape.parts.count], scope: isOverScopes ? values[shape.parts.count + 1] : .null)
            if keys != nil, !isLimited {
                let place = places[key, default: 0]
                places[key] = place + 1
                guard place >= query.offset, place - query.offset < query.limit ?? .max else { return }
            }
            count += 1
            guard count <= bound else { throw StoreError.answerTooLarge(bound, of: query.entity) }
            found.append(values)
            owners.append(key)
        }
        var rows = owners.map { Row(owner: $0) }
        for (position, part) in shape.parts.enumerated() {
            let locals = found.indices.map {
                RelatedKey(value: found[$0][position], scope: owners[$0].scope)
            }
            for (row, (cell, listed)) in try cells(part.content, of: shape.entity, locals).enumerated() {
                rows[row].cells.append(cell)
                rows[row].listed = try sum(rows[row].listed, listed, of: query.entity)
            }
        }
        return rows
    }

    /// The number of rows in a list, those of the lists in its rows counted.
    func listed(_ rows: [Row], of entity: String) throws -> Int {
        try rows.reduce(0) { try sum(sum($0, $1.listed, of: entity), 1, of: entity) }
    }

    /// A list stands in each row that includes it, so that lists in lists grow with every level.
    private func sum(_ count: Int, _ other: Int, of entity: String) throws -> Int {
        let (sum, overflows) = count.addingReportingOverflow(other)
        guard !overflows, sum <= bound else { throw StoreError.answerTooLarge(bound, of: entity) }
        return sum
    }

    /// The selection of some columns, ordered as the query says.
    private func selection(
        _ names: [String], of shape: AnswerShape, _ query: StoredQuery, by owner: String,
        _ keys: [RelatedKey]?
    ) throws -> Selection {
        let order = try query.order.map { try $0.validated(in: shape.entity, tx.schema).key }
        var selection = Selection(
            entity: shape.entity, columns: names.map { .attribute($0) },
            condition: try tx.validated(query.condition, in: shape.entity),
            order: tx.totalOrder(order), limit: query.limit, offset: query.offset)
        guard let keys else { return selection }
        if query.limit != nil || query.offset > 0, try tx.limitsPartitions(of: selection) {
            selection.partition = Selection.Partition(owner, keys.values)
        } else {
            selection.condition = selection.condition && .isIn(.attribute(owner), keys.values)
            (selection.limit, selection.offset) = (nil, 0)
        }
        return selection
    }

    /// What a part of a shape has for each of some rows, given the values that it begins with, and the rows of lists in it.
    private mutating func cells(
        _ content: AnswerShape.Content, of entity: Entity, _ locals: [RelatedKey]
    ) throws -> [(cell: AnswerCell, listed: Int)] {
        switch content {
        case .attribute: return locals.map { (.value($0.value), 0) }
        case .row(let shape):
            let found = try grouped(shape, StoredQuery(entity: shape.entity.name), by: "id", locals)
            return locals.map { Self.cell(found[$0]?.first) }
        case .related(let inclusion, let shape):
            guard let key = entity.association(inclusion.relationship)?.key else { return [] }
            var query = inclusion.query
            switch inclusion.kind {
            case .figure(let function):
                let condition = query.condition && .isIn(.attribute(key), locals.values)
                let rows = Selection.rows(
                    of: shape.entity, where: try tx.validated(condition, in: shape.entity))
                return try tx.figures(function, of: rows, by: key, locals).map { (.value($0), 0) }
            case .rows:
                let found = try grouped(shape, query, by: key, locals)
                return try locals.map {
                    let rows = found[$0] ?? []
                    return (.rows(rows.map(\.cells)), try listed(rows, of: query.entity))
                }
            case .row, .first:
                query.limit = 1
                let found = try grouped(shape, query, by: key, locals)
                return locals.map { Self.cell(found[$0]?.first) }
            }
        }
    }

    private static func cell(_ row: Row?) -> (cell: AnswerCell, listed: Int) {
        (.row(row?.cells), row?.listed ?? 0)
    }

    /// The rows that some keys lead to, by key.
    private mutating func grouped(
        _ shape: AnswerShape, _ query: StoredQuery, by key: String, _ locals: [RelatedKey]
    ) throws -> [RelatedKey: [Row]] {
        Dictionary(grouping: try rows(of: shape, query, by: key, of: locals), by: \.owner)
    }
}

extension StoreError {
    fileprivate static func answerTooLarge(_ bound: Int, of entity: String) -> StoreError {
        StoreError(
            .invalidArgument,
            "The answer has more than \(bound) rows, those that it includes counted. Add a condition or a limit.",
            entity: entity)
    }
}
