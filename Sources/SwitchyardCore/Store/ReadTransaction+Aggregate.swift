extension ReadTransaction {
    /// Works out figures over the groups of a query's rows.
    ///
    /// ```swift
    /// // Feeds per day per baby, a day beginning at 07:00 UTC.
    /// let days = try tx.aggregate(
    ///     FeedSession.where(#Predicate { $0.endTime != nil }),
    ///     by: .day(of: \.startTime, offset: -7 * 3600), .attribute(\.profile),
    ///     figures: .count, .sum(\.amountValue))
    /// for day in days { print(day.key.0, day.key.1, day.figures.0, day.figures.1) }
    /// ```
    ///
    /// - Parameters:
    ///   - query: The rows. A limit or an offset is refused; its order has no meaning here.
    ///   - keys: What the rows of one group have in common.
    ///   - figures: What is worked out for each group.
    /// - Returns: One tuple of keys and one of figures for each group, in the order of the keys, nil first.
    /// - Throws: `unsupported` or `invalidArgument` if the query makes no sense, `arithmetic` if a sum leaves
    ///   its type.
    /// - Complexity: Sums and averages of doubles and decimals, and averages, read the rows' keys and values;
    ///   other figures are worked out by the backend.
    public func aggregate<Element: Model, each Key, each Value>(
        _ query: Query<Element>, by keys: repeat Grouping<Element, each Key>,
        figures: repeat Aggregate<Element, each Value>
    ) throws -> [(key: (repeat each Key), figures: (repeat each Value))] {
        try perform {
            var groups: [GroupKey] = []
            for key in repeat each keys { groups.append(try key.key.get()) }
            var wanted: [(Figure, String?)] = []
            for figure in repeat each figures { wanted.append((figure.figure, try figure.attribute?.get())) }
            let selection = try aggregated(query)
            let rows = try aggregate(selection, by: groups, figures: wanted)
            return try rows.map { row in
                var values = AggregateRow(values: row, entity: selection.entity.name)
                return (
                    key: (repeat try values.next((each Key).self)),
                    figures: (repeat try values.next((each Value).self))
                )
            }
        }
    }

    /// Works out figures over all rows of a query.
    ///
    /// ```swift
    /// let (feeds, last) = try tx.aggregate(FeedSession.all, .count, .maximum(\.startTime))
    /// ```
    ///
    /// - Parameters:
    ///   - query: The rows. A limit or an offset is refused; its order has no meaning here.
    ///   - figures: What is worked out.
    /// - Returns: The figures; those of no rows where none fulfils the query.
    /// - Throws: As `aggregate(_:by:figures:)`.
    public func aggregate<Element: Model, each Value>(
        _ query: Query<Element>, _ figures: repeat Aggregate<Element, each Value>
    ) throws -> (repeat each Value) {
        try perform {
            var wanted: [(Figure, String?)] = []
            for figure in repeat each figures { wanted.append((figure.figure, try figure.attribute?.get())) }
            let selection = try aggregated(query)
            let rows = try aggregate(selection, by: [], figures: wanted)
            var values = AggregateRow(values: rows.first ?? [], entity: selection.entity.name)
            return (repeat try values.next((each Value).self))
        }
    }

    /// Works out figures over the groups of the rows that fulfil a condition, without Swift types.
    ///
    /// - Returns: For each group its keys, then its figures.
    /// - Throws: As `aggregate(_:by:figures:)`.
    package func aggregateRows(
        of entityName: String, where condition: Condition, by groups: [GroupKey],
        figures: [(Figure, String?)]
    ) throws -> [[StoredValue]] {
        try perform {
            let entity = try schema.require(entityName)
            return try aggregate(
                .rows(of: entity, where: try condition.validated(in: entity, schema: schema)), by: groups,
                figures: figures)
        }
    }

    private func aggregated<Element: Model>(_ query: Query<Element>) throws -> Selection {
        guard query.limit == nil, query.offset == 0 else {
            throw StoreError(
                .invalidArgument, "Figures are over all rows of a query; take its limit and offset away.",
                entity: Element.entityName)
        }
        return try selection(query)
    }

    /// Rows of the keys, then the figures.
    private func aggregate(
        _ rows: Selection, by groups: [GroupKey], figures: [(Figure, String?)]
    ) throws -> [[StoredValue]] {
        let functions = figures.compactMap { $0.driverFunction(of: $1) }
        if functions.count == figures.count {
            return try aggregateByDriver(rows, by: groups, functions)
        }
        return try aggregateInCore(rows, by: groups, figures: figures)
    }

    private func aggregateByDriver(
        _ rows: Selection, by groups: [GroupKey], _ functions: [AggregateFunction]
    ) throws -> [[StoredValue]] {
        let entity = rows.entity
        let types = functions.map { $0.type(in: entity) }
        var answer: [[StoredValue]] = []
        try driver.select(
            Selection(
                entity: entity, columns: groups.map { .group($0) } + functions.map { .aggregate($0) },
                condition: rows.condition, groups: groups)
        ) { row in
            let keys = try groups.map { try row.read($0, of: entity) }
            answer.append(try keys + types.map { try row.read($0) })
            return true
        }
        return answer
    }

    /// Reads only the columns that are needed, and groups and sums here: drivers' own sums of doubles and
    /// decimals depend on the backend and on the order of rows.
    private func aggregateInCore(
        _ rows: Selection, by groups: [GroupKey], figures: [(Figure, String?)]
    ) throws -> [[StoredValue]] {
        let entity = rows.entity
        var names: [String] = []
        func column(_ name: String) -> Int {
            if let index = names.firstIndex(of: name) { return index }
            names.append(name)
            return names.count - 1
        }
        let keys = groups.map { key -> Aggregation.Key in
            switch key {
            case .attribute(let name): .column(column(name))
            case .day(let name, let offset): .day(of: column(name), offset: offset)
            }
        }
        let wanted = figures.map { (figure: $0, column: $1.map(column) ?? 0) }
        var aggregation = Aggregation(
            keys: keys, figures: wanted,
            columns: groups.indices.map { .key($0) } + figures.indices.map { .figure($0) })
        let types = names.map { name in entity.attribute(name)?.type ?? .text }
        try driver.select(
            Selection(entity: entity, columns: names.map { .attribute($0) }, condition: rows.condition)
        ) { row in
            try aggregation.add(try types.map { try row.read($0) })
            return true
        }
        return try aggregation.rows()
    }
}

extension Figure {
    /// What a driver is asked for this figure; nil where Core works it out.
    fileprivate func driverFunction(of attribute: String?) -> AggregateFunction? {
        guard let attribute else { return self == .count ? .count : nil }
        return switch self {
        case .countOf: .countOf(attribute)
        case .sum(.int): .sum(attribute)
        case .minimum: .minimum(attribute)
        case .maximum: .maximum(attribute)
        default: nil
        }
    }
}

extension RowReader {
    /// Reads the key of a group.
    ///
    /// - Throws: `corrupted`; `arithmetic` for the day of a time that an offset moves out of the years 1 to
    ///   9999, which is no damage.
    fileprivate mutating func read(_ key: GroupKey, of entity: Entity) throws -> StoredValue {
        switch key {
        case .attribute(let name): return try read(entity.attribute(name)?.type ?? .text)
        case .day:
            guard let days = try Int?(from: &self) else { return .null }
            guard let day = CalendarDay(daysSince1970: days) else { throw StoreError.overflow }
            return .day(day)
        }
    }
}

extension AggregateFunction {
    fileprivate func type(in entity: Entity) -> AttributeType {
        switch self {
        case .count, .countOf, .sum: .int
        case .minimum(let name), .maximum(let name): entity.attribute(name)?.type ?? .text
        }
    }
}

/// Hands out the values of a row one by one, as their Swift types.
private struct AggregateRow {
    private var values: ArraySlice<StoredValue>
    private let entity: String

    init(values: [StoredValue], entity: String) {
        self.values = values[...]
        self.entity = entity
    }

    mutating func next<Value>(_: Value.Type) throws -> Value {
        guard let value = values.popFirst()?.value(as: Value.self) else {
            throw StoreError.unfit(Value.self, entity: entity, attribute: nil)
        }
        return value
    }
}
