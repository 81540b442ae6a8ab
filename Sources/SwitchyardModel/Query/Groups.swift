/// The groups of an aggregate: which of them are returned, in what order and how many.
///
/// ```swift
/// let genres = try tx.aggregate(Film.all, by: .attribute(\.genre), figures: .average(\.rating)) {
///     $0.having(.count, .greater, 1).sorted(by: .average(\.rating), .descending).limit(3)
/// }
/// ```
///
/// A figure that it compares or sorts by need not be among those that are returned.
public struct Groups<Element: Model>: Sendable {
    /// The choice, or the error in it.
    package private(set) var choice: Result<GroupChoice, StoreError> = .success(GroupChoice())

    /// All groups, in the order of their keys.
    package init() {}

    /// Returns the groups whose figure compares with a value; nil equals nil, and is neither less nor greater than anything.
    public func having<Value>(
        _ figure: Aggregate<Element, Value>, _ comparison: Comparison, _ value: Value
    ) -> Self {
        changed {
            $0.conditions.append(
                GroupChoice.Test(
                    try figure.function.get(), comparison, try StoredValue.compared(value).get()))
        }
    }

    /// Returns the same groups with a figure appended to what they are sorted by; their keys break ties.
    ///
    /// - Parameters:
    ///   - figure: The figure.
    ///   - direction: The direction.
    ///   - nils: Where nil comes; by default first ascending and last descending.
    /// - Returns: The sorted groups.
    public func sorted<Value>(
        by figure: Aggregate<Element, Value>, _ direction: SortDirection = .ascending,
        nils: NilOrder? = nil
    ) -> Self {
        changed {
            $0.order.append(GroupChoice.Order(.figure(try figure.function.get()), direction, nils: nils))
        }
    }

    /// Returns only the first groups.
    ///
    /// - Parameter count: The maximum number of groups; a negative number is refused with `invalidArgument`.
    /// - Returns: The first of these groups.
    public func limit(_ count: Int) -> Self {
        changed {
            guard count >= 0 else {
                throw StoreError(
                    .invalidArgument, "A limit cannot be negative.", entity: Element.entityName)
            }
            $0.limit = min($0.limit ?? .max, count)
        }
    }

    private func changed(_ change: (inout GroupChoice) throws -> Void) -> Self {
        var copy = self
        copy.choice = choice.flatMap { choice in
            Lowering.result {
                var choice = choice
                try change(&choice)
                return choice
            }
        }
        return copy
    }
}

/// The groups that a figure spans.
package enum GroupSpan: Sendable, Hashable {
    /// One group.
    case group
    /// The group and those before it, in the order of their keys.
    case running
    /// All groups.
    case overall
}

/// A figure of groups.
package struct GroupFigure: Sendable, Hashable {
    package let function: AggregateFunction
    package let span: GroupSpan

    package init(_ function: AggregateFunction, over span: GroupSpan = .group) {
        (self.function, self.span) = (function, span)
    }
}

/// Which groups are returned, in what order and how many, without Swift types.
package struct GroupChoice: Sendable, Hashable {
    /// A comparison of a figure.
    package struct Test: Sendable, Hashable {
        package let function: AggregateFunction
        package let comparison: Comparison
        package let value: StoredValue

        package init(_ function: AggregateFunction, _ comparison: Comparison, _ value: StoredValue) {
            (self.function, self.comparison, self.value) = (function, comparison, value)
        }
    }

    /// What groups are sorted by; its sort key only tells the direction and the place of nil.
    package struct Order: Sendable, Hashable {
        package enum Subject: Sendable, Hashable {
            case figure(AggregateFunction)
            /// A key of the groups, by its position.
            case key(Int)
        }

        package let subject: Subject
        package let key: SortKey

        package init(_ subject: Subject, _ direction: SortDirection, nils: NilOrder? = nil) {
            (self.subject, key) = (subject, SortKey("id", direction, nils: nils))
        }

        fileprivate var function: AggregateFunction? {
            if case .figure(let function) = subject { function } else { nil }
        }
    }

    /// The comparisons of figures that a group fulfils.
    package var conditions: [Test] = []
    /// What the groups are sorted by, before their keys.
    package var order: [Order] = []
    package var limit: Int?

    package init() {}

    /// The figures that are compared or sorted by.
    package var figures: [AggregateFunction] { conditions.map(\.function) + order.compactMap(\.function) }

    /// Chooses among groups.
    ///
    /// - Parameters:
    ///   - groups: The keys and then the figures of each group, in the order of the keys.
    ///   - figures: The figures; those of the choice are among them.
    ///   - keys: The number of keys.
    /// - Returns: The chosen groups, in their order.
    package func chosen(
        of groups: [[StoredValue]], figures: [GroupFigure], after keys: Int
    ) -> ArraySlice<[StoredValue]> {
        func column(_ function: AggregateFunction) -> Int {
            keys + (figures.firstIndex(of: GroupFigure(function)) ?? 0)
        }
        let tests = conditions.map { (column: column($0.function), test: $0) }
        var found = groups.filter { group in
            tests.allSatisfy { $0.test.comparison.holds(group[$0.column], $0.test.value) }
        }
        let order = order.map { order in
            let place: Int =
                switch order.subject {
                case .figure(let function): column(function)
                case .key(let position): position
                }
            return (column: place, key: order.key)
        }
        if !order.isEmpty {
            found = found.enumerated().sorted { lhs, rhs in
                for (column, key) in order where lhs.element[column] != rhs.element[column] {
                    return key.precedes(lhs.element[column], rhs.element[column])
                }
                return lhs.offset < rhs.offset
            }.map(\.element)
        }
        return found.prefix(limit ?? .max)
    }
}
