/// Calculates the figures of `aggregate`, in the backend or in Core.
extension ReadTransaction {
    /// Refuses a limit or an offset, which a figure cannot have.
    package func requireUnlimited<Element: Model>(_ query: Query<Element>) throws {
        guard query.limit == nil, query.offset == 0 else {
            throw StoreError(
                .invalidArgument,
                "Figures are calculated over all rows. Remove the query's limit and offset.",
                entity: Element.entityName)
        }
    }

    /// Calculates figures over the groups of the rows that fulfil a condition, without Swift types.
    ///
    /// - Returns: The keys and then the figures of each group.
    /// - Throws: As `aggregate(_:by:figures:)`.
    package func aggregateRows(
        of entityName: String, where condition: Condition, by groups: [GroupKey],
        figures: [AggregateFunction]
    ) throws -> [[StoredValue]] {
        try perform {
            let entity = try schema.require(entityName)
            return try aggregate(
                .rows(of: entity, where: try validated(condition, in: entity)), by: groups,
                figures: try figures.map { try validated($0, in: entity) })
        }
    }

    /// Returns rows of the keys, then the figures.
    package func aggregate(
        _ rows: Selection, by groups: [GroupKey], figures: [AggregateFunction]
    ) throws -> [[StoredValue]] {
        guard !groups.isEmpty || !figures.isEmpty else {
            throw StoreError(
                .invalidArgument, "There is nothing to calculate. Name at least one key or figure.",
                entity: rows.entity.name)
        }
        if figures.allSatisfy({ $0.isDrivers(in: rows.entity) }) {
            return try aggregateByDriver(rows, by: groups, figures)
        }
        return try aggregation(of: rows, by: groups, figures).rows()
    }

    package func aggregateByDriver(
        _ rows: Selection, by groups: [GroupKey], _ functions: [AggregateFunction]
    ) throws -> [[StoredValue]] {
        let entity = rows.entity
        let types = functions.map { $0.type(in: entity) }
        // A month and a weekday are found by one day. A database takes a key that it is given twice for two.
        var keys: [GroupKey] = []
        for group in groups where !keys.contains(group) { keys.append(group) }
        let places = groups.compactMap { keys.firstIndex(of: $0) }
        var answer: [[StoredValue]] = []
        var damage: StoreError?
        try driver.select(
            Selection(
                entity: entity, columns: keys.map { .group($0) } + functions.map { .aggregate($0) },
                condition: rows.condition, groups: keys)
        ) { row in
            do {
                let values = try keys.map { try row.read($0, of: entity) }
                answer.append(try places.map { values[$0] } + types.map { try row.read($0) })
                return true
            } catch let error as StoreError where error.code == .corrupted {
                damage = error
                return false
            }
        }
        guard let damage else { return answer }
        let attributes = (groups.map(\.attribute) + functions.compactMap(\.attribute)).compactMap(
            entity.attribute)
        try requireDecodable(
            Selection(
                entity: entity, columns: attributes.map { .attribute($0.name) }, condition: rows.condition)
        ) { row in
            for attribute in attributes { _ = try row.read(attribute.type) }
        }
        throw damage
    }

    /// Reads only the columns that are needed, and groups and sums here: the drivers' own sums of doubles and decimals
    /// depend on the backend and on the order of rows.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - groups: The keys of the groups.
    ///   - figures: What to calculate.
    ///   - isByScope: Whether the scope is another key, the last one.
    /// - Returns: The groups.
    /// - Throws: As `select`.
    package func aggregation(
        of rows: Selection, by groups: [GroupKey], _ figures: [AggregateFunction], isByScope: Bool = false
    ) throws -> Aggregation {
        let entity = rows.entity
        var names: [String] = []
        func column(_ name: String) -> Int {
            if let index = names.firstIndex(of: name) { return index }
            names.append(name)
            return names.count - 1
        }
        var keys = groups.map { key -> Aggregation.Key in
            switch key {
            case .attribute(let name): .column(column(name))
            case .period(let period, let name, let offsets): .period(period, of: column(name), offsets)
            }
        }
        if isByScope { keys.append(.column(column(StoreScope.attribute.name))) }
        for name in figures.compactMap(\.attribute) { _ = column(name) }
        let calculated = figures.compactMap(\.calculated)
        let wanted = figures.map { function in
            let place = function.calculated.flatMap { calculated.firstIndex(of: $0) }.map { names.count + $0 }
            return Aggregation.Figure(
                function: function, type: function.valueType(in: entity, of: schema),
                column: place ?? function.attribute.map(column) ?? 0)
        }
        var aggregation = Aggregation(
            keys: keys, figures: wanted,
            columns: groups.indices.map { .key($0) } + figures.indices.map { .figure($0) })
        guard calculated.isEmpty else {
            try calculate(calculated, besides: names, in: entity, where: rows.condition, for: .assignment) {
                try aggregation.add($1 + $2)
            }
            return aggregation
        }
        let types = names.map { name in
            name == StoreScope.attribute.name ? .uuid : entity.attribute(name)?.type ?? .text
        }
        try decode(
            Selection(entity: entity, columns: names.map { .attribute($0) }, condition: rows.condition)
        ) { row in
            try types.map { try row.read($0) }
        } taking: {
            try aggregation.add($0)
        }
        return aggregation
    }
}

extension RowReader {
    /// Reads the key of a group.
    ///
    /// - Throws: `corrupted`; `arithmetic` if the offset moves a time out of the years 1 to 9999, which is not damage.
    fileprivate mutating func read(_ key: GroupKey, of entity: Entity) throws -> StoredValue {
        switch key {
        case .attribute(let name): return try read(entity.attribute(name)?.type ?? .text)
        case .period(let period, _, _):
            guard let number = try Int64?(from: &self) else { return .null }
            guard period == .day else { return .int(number) }
            guard let day = CalendarDay(daysSince1970: Int(clamping: number)) else {
                throw StoreError.overflow
            }
            return .day(day)
        }
    }
}

extension AggregateFunction {
    /// Whether the driver calculates this figure, rather than Core from its rows.
    package func isDrivers(in entity: Entity) -> Bool {
        switch self {
        case .count, .countOf, .countDistinct, .minimum, .maximum: true
        case .sum(let name): entity.attribute(name)?.type == .int
        case .average, .percentile, .calculated: false
        }
    }

    fileprivate func type(in entity: Entity) -> AttributeType {
        switch self {
        case .count, .countOf, .countDistinct, .sum, .average, .percentile, .calculated: .int
        case .minimum(let name), .maximum(let name): entity.attribute(name)?.type ?? .text
        }
    }
}
