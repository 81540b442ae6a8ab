/// What works the figures of `aggregate` out: the backend, or Core.
extension ReadTransaction {
    /// The rows of an answer in groups, each handed over as its keys and then its figures.
    func aggregate<Element: Model, Row>(
        _ query: Query<Element>, by keys: [Result<GroupKey, StoreError>],
        _ figures: [Result<AggregateFunction, StoreError>],
        _ read: (inout AggregateRow) throws -> Row
    ) throws -> [Row] {
        try perform {
            guard query.limit == nil, query.offset == 0 else {
                throw StoreError(
                    .invalidArgument,
                    "Figures are over all rows of a query; take its limit and offset away.",
                    entity: Element.entityName)
            }
            let groups = try keys.map { try $0.get() }
            let figures = try figures.map { try $0.get() }
            let rows = try selection(query)
            for case .minimum(let name) in figures { try rows.entity.requireOrder(of: name) }
            for case .maximum(let name) in figures { try rows.entity.requireOrder(of: name) }
            let attributes = groups.map(\.attribute) + figures.map(\.attribute)
            return try aggregate(rows, by: groups, figures: figures).map { values in
                var row = AggregateRow(values: values) { column, type, fits in
                    try self.requireFit(type, of: attributes[column], among: rows, fits)
                }
                return try read(&row)
            }
        }
    }

    /// The one row of an answer without groups.
    func aggregate<Element: Model, Row>(
        _ query: Query<Element>, _ figures: [Result<AggregateFunction, StoreError>],
        _ read: (inout AggregateRow) throws -> Row
    ) throws -> Row {
        let rows = try aggregate(query, by: [], figures, read)
        guard let row = rows.first else {
            throw StoreError(.backend, "The store gave no figures.", entity: Element.entityName)
        }
        return row
    }

    /// Works out figures over the groups of the rows that fulfil a condition, without Swift types.
    ///
    /// - Returns: For each group its keys, then its figures.
    /// - Throws: As `aggregate(_:by:figures:)`.
    package func aggregateRows(
        of entityName: String, where condition: Condition, by groups: [GroupKey],
        figures: [AggregateFunction]
    ) throws -> [[StoredValue]] {
        try perform {
            let entity = try schema.require(entityName)
            return try aggregate(
                .rows(of: entity, where: try condition.validated(in: entity, schema: schema)), by: groups,
                figures: figures)
        }
    }

    /// Rows of the keys, then the figures.
    private func aggregate(
        _ rows: Selection, by groups: [GroupKey], figures: [AggregateFunction]
    ) throws -> [[StoredValue]] {
        guard !groups.isEmpty || !figures.isEmpty else {
            throw StoreError(
                .invalidArgument, "Without a key and a figure there is nothing to work out.",
                entity: rows.entity.name)
        }
        if figures.allSatisfy({ $0.isDrivers(in: rows.entity) }) {
            return try aggregateByDriver(rows, by: groups, figures)
        }
        return try aggregateInCore(rows, by: groups, figures: figures)
    }

    private func aggregateByDriver(
        _ rows: Selection, by groups: [GroupKey], _ functions: [AggregateFunction]
    ) throws -> [[StoredValue]] {
        let entity = rows.entity
        let types = functions.map { $0.type(in: entity) }
        var answer: [[StoredValue]] = []
        var damage: StoreError?
        try driver.select(
            Selection(
                entity: entity, columns: groups.map { .group($0) } + functions.map { .aggregate($0) },
                condition: rows.condition, groups: groups)
        ) { row in
            do {
                let keys = try groups.map { try row.read($0, of: entity) }
                answer.append(try keys + types.map { try row.read($0) })
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

    /// Throws the error of a figure or a key that is none of the type that is asked for, naming the first row
    /// whose value is none.
    private func requireFit(
        _ type: Any.Type, of attribute: String?, among rows: Selection, _ fits: (StoredValue) -> Bool
    ) throws -> Never {
        let entity = rows.entity
        if let attribute = attribute.flatMap(entity.attribute) {
            try requireDecodable(
                Selection(
                    entity: entity, columns: [.attribute(attribute.name)], condition: rows.condition)
            ) { row in
                let stored = try row.read(attribute.type)
                guard fits(stored) else { throw row.unfit(type, found: stored) }
            }
        }
        throw StoreError(
            .corrupted, "The store gave a figure that is no \(type).", entity: entity.name,
            attribute: attribute)
    }

    /// Reads only the columns that are needed, and groups and sums here: drivers' own sums of doubles and
    /// decimals depend on the backend and on the order of rows.
    private func aggregateInCore(
        _ rows: Selection, by groups: [GroupKey], figures: [AggregateFunction]
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
        let wanted = figures.map { function in
            Aggregation.Figure(
                function: function, type: function.attribute.flatMap { entity.attribute($0)?.type },
                column: function.attribute.map(column) ?? 0)
        }
        var aggregation = Aggregation(
            keys: keys, figures: wanted,
            columns: groups.indices.map { .key($0) } + figures.indices.map { .figure($0) })
        let types = names.map { name in entity.attribute(name)?.type ?? .text }
        try decode(
            Selection(entity: entity, columns: names.map { .attribute($0) }, condition: rows.condition)
        ) { row in
            try types.map { try row.read($0) }
        } taking: {
            try aggregation.add($0)
        }
        return try aggregation.rows()
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
    /// Whether the driver is asked for this figure, and not its rows for Core to work it out.
    fileprivate func isDrivers(in entity: Entity) -> Bool {
        switch self {
        case .count, .countOf, .minimum, .maximum: true
        case .sum(let name): entity.attribute(name)?.type == .int
        case .average: false
        }
    }

    fileprivate func type(in entity: Entity) -> AttributeType {
        switch self {
        case .count, .countOf, .sum, .average: .int
        case .minimum(let name), .maximum(let name): entity.attribute(name)?.type ?? .text
        }
    }
}
