internal import Foundation
internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults in aggregates over rows.
    ///
    /// Averages, and sums of doubles and decimals, are not computed by backends.
    static let figures: [Fault] = [
        sums("sum-wraps", "A sum that leaves 64 bits wraps around.") { $0.reduce(0, &+) },
        sums("sum-double", "A sum of integers is worked out in doubles.") { numbers in
            Int64(exactly: numbers.reduce(0.0) { $0 + Double($1) }.rounded()) ?? .max
        },
        sums("sum-partial", "A sum fails where it leaves 64 bits on the way.") { numbers in
            try numbers.reduce(0) { sum, number in
                let (next, hasOverflowed) = sum.addingReportingOverflow(number)
                guard !hasOverflowed else { throw StoreError.overflow }
                return next
            }
        },
        sums("sum-distinct", "Equal numbers are added once.") { Set($0).reduce(0, &+) },
        figures("sum-of-none", "The sum of no rows is nil.") { function, value, _ in
            if case .sum = function, value == .int(0) { .null } else { value }
        },
        figures("average-of-nils", "A nil counts where those that are not nil are counted.") {
            function, value, numberOfRows in
            if case .countOf = function { .int(numberOfRows) } else { value }
        },
        figures("distinct-all", "Equal values count more than once where different ones are counted.") {
            function, value, numberOfRows in
            if case .countDistinct = function, value != .int(0) { .int(numberOfRows) } else { value }
        },
        extremes("extreme-nil", "The smallest value is nil where there is one.") { values, least in
            least && values.contains(.null) ? .null : nil
        },
        extremes("extreme-text-case", "The extremes of text are found without regard to case.") {
            values, least in
            let texts = values.compactMap { if case .text(let text) = $0 { text } else { nil } }
            let found =
                least
                ? texts.min { $0.lowercased() < $1.lowercased() }
                : texts.max { $0.lowercased() < $1.lowercased() }
            return found.map { .text($0) }
        },
        extremes("extreme-decimal-text", "The extremes of decimals are found by their text.") {
            values, least in
            let numbers = values.compactMap { if case .decimal(let number) = $0 { number } else { nil } }
            let found =
                least
                ? numbers.min { $0.description < $1.description }
                : numbers.max { $0.description < $1.description }
            return found.map { .decimal($0) }
        },
        clocks("group-day-offset", "The offset of the start of a day is ignored.") { _ in ClockOffsets() },
        clocks("group-clock-change", "A clock by which times are grouped never changes.") {
            ClockOffsets($0.seconds)
        },
        clocks("group-clock-late", "A clock by which times are grouped changes too late.") {
            ClockOffsets(
                $0.seconds,
                changes: $0.changes.map { ClockOffsets.Change(at: $0.time + 1, to: $0.seconds) })
        },
        answers("group-nil", "A group whose key is nil is left out.") { rows, selection in
            guard !selection.groups.isEmpty else { return rows }
            let keys = selection.columns.indices.filter {
                if case .group = selection.columns[$0] { true } else { false }
            }
            return rows.filter { row in keys.allSatisfy { !row[$0].isNull } }
        },
        answers("group-order", "Groups come in the opposite order.") { rows, selection in
            selection.groups.isEmpty ? rows : rows.reversed()
        },
        answers("group-of-none", "Figures over no rows give no answer.") { rows, selection in
            rows == [selection.columns.map { _ in .int(0) }] && selection.columns.count > 1 ? [] : rows
        },
    ]

    /// A fault in the clocks by which times are grouped.
    private static func clocks(
        _ name: String, _ summary: String, _ change: @escaping @Sendable (ClockOffsets) -> ClockOffsets
    ) -> Fault {
        asks(name, summary) { selection in
            func changed(_ key: GroupKey) -> GroupKey {
                guard case .period(let period, let name, let offsets) = key else { return key }
                return .period(period, of: name, change(offsets))
            }
            selection.groups = selection.groups.map(changed)
            selection.columns = selection.columns.map { column in
                if case .group(let key) = column { .group(changed(key)) } else { column }
            }
        }
    }

    /// A fault in aggregates, given the number of all selected rows.
    private static func figures(
        _ name: String, _ summary: String,
        _ change: @escaping @Sendable (AggregateFunction, StoredValue, Int64) throws -> StoredValue
    ) -> Fault {
        Fault(
            name, summary,
            FaultHooks(select: { driver, selection in
                guard selection.isAggregate, selection.groups.isEmpty else { return nil }
                let number = Int64(try driver.rows(of: selection.entity, where: selection.condition).count)
                return try driver.answer(to: selection).map { row in
                    try zip(selection.columns, row).map { column, value in
                        guard case .aggregate(let function) = column else { return value }
                        return try change(function, value, number)
                    }
                }
            }))
    }

    private static func sums(
        _ name: String, _ summary: String, _ sum: @escaping @Sendable ([Int64]) throws -> Int64
    ) -> Fault {
        ungrouped(name, summary) { function, column in
            guard case .sum = function else { return nil }
            return .int(try sum(column.compactMap { if case .int(let number) = $0 { number } else { nil } }))
        }
    }

    private static func extremes(
        _ name: String, _ summary: String,
        _ extreme: @escaping @Sendable ([StoredValue], _ least: Bool) -> StoredValue?
    ) -> Fault {
        ungrouped(name, summary) { function, column in
            switch function {
            case .minimum: extreme(column, true)
            case .maximum: extreme(column, false)
            default: nil
            }
        }
    }

    /// A fault in an aggregate computed from an attribute's values in the order of the ids; nil where it is
    /// correct.
    private static func ungrouped(
        _ name: String, _ summary: String,
        _ figure: @escaping @Sendable (AggregateFunction, [StoredValue]) throws -> StoredValue?
    ) -> Fault {
        Fault(
            name, summary,
            FaultHooks(select: { driver, selection in
                guard selection.isAggregate, selection.groups.isEmpty else { return nil }
                let rows = try driver.rows(of: selection.entity, where: selection.condition)
                let answer = try selection.columns.map { column -> StoredValue in
                    if case .aggregate(let function) = column, let name = function.attribute {
                        let values = rows.map { $0[selection.column(name)] }
                        if let changed = try figure(function, values) { return changed }
                    }
                    var alone = selection
                    alone.columns = [column]
                    return try driver.answer(to: alone).first?.first ?? .null
                }
                return [answer]
            }))
    }
}
