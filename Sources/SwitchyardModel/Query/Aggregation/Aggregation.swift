internal import Foundation

/// Groups rows in memory and calculates the figures of each group.
///
/// It evaluates an aggregating `Selection` for plugins without aggregates of their own, and calculates the figures that
/// no driver does.
package struct Aggregation {
    private let keys: [Key]
    private var figures: [Figure]
    /// The columns of the result: each is a key or a figure, by its position among those.
    private let columns: [Column]
    private var positions: [[StoredValue]: Int] = [:]
    private var groups: [(key: [StoredValue], figures: [Accumulator])] = []

    /// A figure, with the type and the column of its values.
    package struct Figure {
        let function: AggregateFunction
        let type: AttributeType?
        let column: Int
        var span = GroupSpan.group

        package init(function: AggregateFunction, type: AttributeType?, column: Int) {
            self.function = function
            self.type = type
            self.column = column
        }
    }

    package enum Key {
        case column(Int)
        case period(ClockPeriod, of: Int, ClockOffsets)
    }

    package enum Column {
        case key(Int)
        case figure(Int)
    }

    package init(keys: [Key], figures: [Figure], columns: [Column]) {
        self.keys = keys
        self.figures = figures
        self.columns = columns
        if keys.isEmpty { groups = [([], figures.map { Accumulator($0.function, of: $0.type) })] }
    }

    /// Prepares an aggregating selection over rows that consist of the entity's attributes in order.
    ///
    /// - Throws: `unsupported` if the selection names something that the entity lacks.
    init(_ selection: Selection) throws {
        let entity = selection.entity
        func column(_ name: String) throws -> Int {
            guard let column = entity.attributes.firstIndex(where: { $0.name == name }) else {
                throw StoreError(
                    .unsupported, "There is no attribute `\(name)`.", entity: entity.name)
            }
            return column
        }
        var figures: [Figure] = []
        let columns: [Column] = try selection.columns.map { selected in
            switch selected {
            case .attribute(let name):
                guard let index = selection.groups.firstIndex(of: .attribute(name)) else { break }
                return .key(index)
            case .group(let key):
                guard let index = selection.groups.firstIndex(of: key) else { break }
                return .key(index)
            case .aggregate(let function):
                let name = function.attribute
                figures.append(
                    Figure(
                        function: function, type: name.flatMap { entity.attribute($0)?.type },
                        column: try name.map(column) ?? 0))
                return .figure(figures.count - 1)
            }
            throw StoreError(
                .unsupported, "Only aggregates and the keys of the groups can be selected.",
                entity: entity.name)
        }
        let keys: [Key] = try selection.groups.map { key in
            switch key {
            case .attribute(let name): .column(try column(name))
            case .period(let period, let name, let offsets): .period(period, of: try column(name), offsets)
            }
        }
        self.init(keys: keys, figures: figures, columns: columns)
    }

    /// Adds a row to its group.
    ///
    /// - Throws: `arithmetic` if the day of a time lies outside the years 1 to 9999.
    package mutating func add(_ row: [StoredValue]) throws {
        let position = keys.isEmpty ? 0 : group(of: try key(of: row))
        for index in figures.indices { groups[position].figures[index].add(row[figures[index].column]) }
    }

    /// Adds figures that were calculated elsewhere to their group: the columns hold them, and not values.
    package mutating func add(figures row: [StoredValue]) throws {
        let position = group(of: try key(of: row))
        for index in figures.indices {
            groups[position].figures[index].add(figure: row[figures[index].column])
        }
    }

    /// Sets the groups that each figure spans.
    package mutating func span(_ spans: [GroupSpan]) {
        for (index, span) in zip(figures.indices, spans) { figures[index].span = span }
    }

    /// Gives the groups other keys, and makes one of those whose keys are equal then.
    ///
    /// - Parameter change: Receives the keys of all groups, and returns the new ones in the same order.
    package mutating func regroup(_ change: ([[StoredValue]]) throws -> [[StoredValue]]) rethrows {
        let old = groups
        let keys = try change(old.map(\.key))
        (positions, groups) = ([:], [])
        for (key, group) in zip(keys, old) {
            let position = self.group(of: key)
            for index in figures.indices { groups[position].figures[index].merge(group.figures[index]) }
        }
    }

    private func key(of row: [StoredValue]) throws -> [StoredValue] {
        try keys.map { key in
            switch key {
            case .column(let column): row[column]
            case .period(let period, let column, let offsets): try row[column].number(of: period, offsets)
            }
        }
    }

    private mutating func group(of key: [StoredValue]) -> Int {
        if let position = positions[key] { return position }
        positions[key] = groups.count
        groups.append((key, figures.map { Accumulator($0.function, of: $0.type) }))
        return groups.count - 1
    }

    /// The keys and the figures of the groups, in any order.
    ///
    /// - Throws: `arithmetic` if a sum leaves the range of its type.
    package func unsortedGroups() throws -> [(key: [StoredValue], figures: [StoredValue])] {
        try groups.map { group in (group.key, try group.figures.map { try $0.value() }) }
    }

    /// Returns the groups in the order of their keys, nil first.
    ///
    /// Without keys, the result is one group, even if there are no rows.
    ///
    /// - Throws: `arithmetic` if a sum leaves the range of its type.
    package func rows() throws -> [[StoredValue]] {
        var sorted = groups.sorted { lhs, rhs in
            for (left, right) in zip(lhs.key, rhs.key) where left != right {
                return StoredValue.precedes(left, right)
            }
            return false
        }
        for index in figures.indices where figures[index].span != .group {
            var total = Accumulator(figures[index].function, of: figures[index].type)
            for group in sorted.indices {
                total.merge(sorted[group].figures[index])
                sorted[group].figures[index] = total
            }
            guard figures[index].span == .overall else { continue }
            for group in sorted.indices { sorted[group].figures[index] = total }
        }
        return try sorted.map { group in
            let figures = try group.figures.map { try $0.value() }
            return columns.map { column in
                switch column {
                case .key(let index): group.key[index]
                case .figure(let index): figures[index]
                }
            }
        }
    }
}

extension StoredValue {
    /// The period of a timestamp: a day, or the number of an hour; null for null.
    fileprivate func number(of period: ClockPeriod, _ offsets: ClockOffsets) throws -> StoredValue {
        guard case .timestamp(let microseconds) = self else { return .null }
        let number = offsets.number(of: period, at: microseconds)
        guard period == .day else { return .int(number) }
        guard let day = CalendarDay(daysSince1970: Int(number)) else { throw StoreError.overflow }
        return .day(day)
    }
}
