/// Grouping by what is worked out from the groups of a driver: keys behind references, and parts of the calendar.
extension ReadTransaction {
    /// The most changes of a clock that a driver is given with a key; it looks at them for each row.
    private static let mostChanges = 300

    /// Calculates figures over the groups of the rows that fulfil a condition, without Swift types.
    ///
    /// - Returns: The keys and then the figures of each group.
    /// - Throws: As `aggregate(_:by:figures:)`.
    package func aggregateRows(
        of entityName: String, where condition: Condition, by keys: [GroupingKey],
        figures: [GroupFigure]
    ) throws -> [[StoredValue]] {
        try perform {
            let entity = try schema.require(entityName)
            let rows = Selection.rows(of: entity, where: try validated(condition, in: entity))
            for key in keys {
                _ = try SortKey(key.attribute, over: key.references).validated(in: entity, schema)
            }
            return try aggregate(
                rows, by: keys,
                figures: try figures.map {
                    GroupFigure(try validated($0.function, in: entity), over: $0.span)
                })
        }
    }

    /// Returns rows of the keys, then the figures.
    ///
    /// The rows are grouped by an attribute or a period first, and the groups whose keys turn out equal are merged.
    func aggregate(
        _ rows: Selection, by keys: [GroupingKey], figures spanning: [GroupFigure]
    ) throws -> [[StoredValue]] {
        let bases = try bases(of: keys, in: rows)
        let figures = spanning.map(\.function)
        guard keys.contains(where: { !$0.isAttribute }) || spanning.contains(where: { $0.span != .group })
        else {
            return try aggregate(rows, by: bases, figures: figures)
        }
        // No backend groups by scope.
        let isByScope = scopes.count > 1 && keys.contains { !$0.references.isEmpty }
        var aggregation: Aggregation
        if !isByScope, bases.allSatisfy({ $0.changes <= Self.mostChanges }),
            figures.allSatisfy({ $0.isDrivers(in: rows.entity) && $0.isAdditive })
        {
            aggregation = Aggregation(
                keys: keys.indices.map { .column($0) },
                figures: figures.enumerated().map {
                    Aggregation.Figure(function: $1, type: nil, column: keys.count + $0)
                },
                columns: keys.indices.map { .key($0) } + figures.indices.map { .figure($0) })
            for group in try aggregateByDriver(rows, by: bases, figures) {
                try aggregation.add(figures: group)
            }
        } else {
            aggregation = try self.aggregation(of: rows, by: bases, figures, isByScope: isByScope)
        }
        try aggregation.regroup { groups in
            let columns = try keys.indices.map { position in
                try values(
                    of: keys[position],
                    from: groups.map {
                        RelatedKey(value: $0[position], scope: isByScope ? $0[keys.count] : .null)
                    }, groupedBy: bases[position], in: rows.entity)
            }
            return groups.indices.map { group in columns.map { $0[group] } }
        }
        aggregation.span(spanning.map(\.span))
        return try aggregation.rows()
    }

    /// What a driver groups the rows by for each key.
    private func bases(of keys: [GroupingKey], in rows: Selection) throws -> [GroupKey] {
        var ranges: [String: ClosedRange<Int64>?] = [:]
        func range(of attribute: String) throws -> ClosedRange<Int64>? {
            if let known = ranges[attribute] { return known }
            let found = try aggregateByDriver(rows, by: [], [.minimum(attribute), .maximum(attribute)]).first
            var range: ClosedRange<Int64>?
            if case .timestamp(let first) = found?[0], case .timestamp(let last) = found?[1] {
                range = first...last
            }
            ranges[attribute] = .some(range)
            return range
        }
        return try keys.map { key in
            if let reference = key.references.first { return .attribute(reference) }
            guard let part = key.part else { return .attribute(key.attribute) }
            let offsets =
                try part.fixedOffsets
                ?? range(of: key.attribute).map { part.offsets(from: $0.lowerBound, to: $0.upperBound) }
            return .period(part.period, of: key.attribute, offsets ?? ClockOffsets())
        }
    }

    /// The values of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - found: The keys by which the driver has grouped the rows, in their scopes.
    ///   - base: What it has grouped them by.
    ///   - entity: The entity of the rows.
    /// - Returns: A value for each of them, in their order.
    /// - Throws: As `select`; `arithmetic` for a period outside the years 1 to 9999.
    private func values(
        of key: GroupingKey, from found: [RelatedKey], groupedBy base: GroupKey, in entity: Entity
    ) throws -> [StoredValue] {
        guard key.references.isEmpty else {
            let values = try values(
                of: SortKey(key.attribute, over: key.references), from: found, in: entity)
            return try key.part.map { try $0.values(at: values) } ?? values
        }
        guard let part = key.part, case .period(_, _, let offsets) = base else { return found.map(\.value) }
        return try found.map { key in
            switch key.value {
            case .day(let day): try part.value(of: Int64(day.daysSince1970), offsets)
            case .int(let number): try part.value(of: number, offsets)
            default: .null
            }
        }
    }
}

extension AggregateFunction {
    /// Whether the figure of several groups follows from theirs.
    fileprivate var isAdditive: Bool {
        switch self {
        case .countDistinct, .average, .percentile, .calculated: false
        case .count, .countOf, .sum, .minimum, .maximum: true
        }
    }
}

extension GroupKey {
    /// How often its clock changes.
    fileprivate var changes: Int {
        if case .period(_, _, let offsets) = self { offsets.changes.count } else { 0 }
    }
}
