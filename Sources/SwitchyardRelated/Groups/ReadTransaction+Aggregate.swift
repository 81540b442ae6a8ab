extension ReadTransaction {
    /// Calculates figures over the groups of a query's rows.
    ///
    /// ```swift
    /// // Feeds per day per baby, a day beginning at 07:00.
    /// let days = try tx.aggregate(
    ///     FeedSession.where(#Predicate { $0.endTime != nil }),
    ///     by: .day(of: \.startTime, in: zone, startingAt: .seconds(7 * 3600)), .attribute(\.profile),
    ///     figures: .count, .sum(\.amountValue))
    /// for day in days { print(day.key.0, day.key.1, day.figures.0, day.figures.1) }
    /// ```
    ///
    /// - Parameters:
    ///   - query: The rows. A limit or an offset is refused; the order has no effect.
    ///   - keys: The keys by which the rows are grouped.
    ///   - figures: What to calculate for each group.
    ///   - choose: Chooses groups by their figures, sorts them by figures, and limits how many are returned.
    /// - Returns: A tuple of keys and a tuple of figures for each group, in the order of the keys, nil first, unless
    ///   `choose` sorts them; a single key or figure is a plain value.
    /// - Throws: `unsupported` or `invalidArgument` if the query makes no sense, `arithmetic` if a sum overflows.
    /// - Complexity: O(rows) for sums of doubles and decimals and for averages, which read the keys and values of all
    ///   rows; the backend calculates other figures.
    public func aggregate<Element: Model, each Key, each Value>(
        _ query: Query<Element>, by keys: repeat Grouping<Element, each Key>,
        figures: repeat Aggregate<Element, each Value>,
        groups choose: (Groups<Element>) -> Groups<Element> = { $0 }
    ) throws -> [(key: (repeat each Key), figures: (repeat each Value))] {
        var groups: [Result<GroupingKey, StoreError>] = []
        for key in repeat each keys { groups.append(key.key) }
        var asked: [Result<GroupFigure, StoreError>] = []
        for figure in repeat each figures { asked.append(figure.figure) }
        return try aggregate(query, by: groups, asked, choosing: choose(Groups()).choice) { row in
            (
                key: (repeat try row.next((each Key).self)),
                figures: (repeat try row.next((each Value).self))
            )
        }
    }

    /// Calculates figures over the groups of a query's rows, by one key.
    ///
    /// ```swift
    /// let babies = try tx.aggregate(FeedSession.all, by: .attribute(\.profile), figures: .count, .maximum(\.endTime))
    ///     .filter { $0.key != nil }
    /// ```
    ///
    /// - Returns: The key and a tuple of figures for each group, in the order of the keys, nil first.
    /// - Throws: As with several keys.
    public func aggregate<Element: Model, Key, each Value>(
        _ query: Query<Element>, by key: Grouping<Element, Key>,
        figures: repeat Aggregate<Element, each Value>,
        groups choose: (Groups<Element>) -> Groups<Element> = { $0 }
    ) throws -> [(key: Key, figures: (repeat each Value))] {
        // A pack with one element would be a one-element tuple, which is never nil in a chain, and lacks the members of
        // its element.
        var asked: [Result<GroupFigure, StoreError>] = []
        for figure in repeat each figures { asked.append(figure.figure) }
        return try aggregate(query, by: [key.key], asked, choosing: choose(Groups()).choice) { row in
            (key: try row.next(Key.self), figures: (repeat try row.next((each Value).self)))
        }
    }

    /// Calculates one figure over the groups of a query's rows.
    ///
    /// - Returns: A tuple of keys and the figure for each group, in the order of the keys, nil first.
    /// - Throws: As with several figures.
    public func aggregate<Element: Model, each Key, Value>(
        _ query: Query<Element>, by keys: repeat Grouping<Element, each Key>,
        figures figure: Aggregate<Element, Value>,
        groups choose: (Groups<Element>) -> Groups<Element> = { $0 }
    ) throws -> [(key: (repeat each Key), figures: Value)] {
        var groups: [Result<GroupingKey, StoreError>] = []
        for key in repeat each keys { groups.append(key.key) }
        return try aggregate(query, by: groups, [figure.figure], choosing: choose(Groups()).choice) { row in
            (key: (repeat try row.next((each Key).self)), figures: try row.next(Value.self))
        }
    }

    /// Calculates one figure over the groups of a query's rows, by one key.
    ///
    /// - Returns: The key and the figure for each group, in the order of the keys, nil first.
    /// - Throws: As with several keys and figures.
    public func aggregate<Element: Model, Key, Value>(
        _ query: Query<Element>, by key: Grouping<Element, Key>, figures figure: Aggregate<Element, Value>,
        groups choose: (Groups<Element>) -> Groups<Element> = { $0 }
    ) throws -> [(key: Key, figures: Value)] {
        try aggregate(query, by: [key.key], [figure.figure], choosing: choose(Groups()).choice) { row in
            (key: try row.next(Key.self), figures: try row.next(Value.self))
        }
    }
}

extension ReadTransaction {
    /// Calculates figures over all rows of a query.
    ///
    /// - Parameters:
    ///   - query: The rows. A limit or an offset is refused; the order has no effect.
    ///   - figures: What to calculate.
    /// - Returns: The figures, also if the query has no rows. To use the elements of a tuple of three or more, assign
    ///   it to a constant first: Swift cannot infer them in a chain such as `aggregate(…).2`.
    /// - Throws: As `aggregate(_:by:figures:)`.
    public func aggregate<Element: Model, each Value>(
        _ query: Query<Element>, _ figures: repeat Aggregate<Element, each Value>
    ) throws -> (repeat each Value) {
        var asked: [Result<GroupFigure, StoreError>] = []
        for figure in repeat each figures { asked.append(figure.figure) }
        return try aggregate(query, asked) { row in (repeat try row.next((each Value).self)) }
    }

    /// Calculates two figures over all rows of a query.
    ///
    /// ```swift
    /// let (feeds, last) = try tx.aggregate(FeedSession.all, .count, .maximum(\.startTime))
    /// ```
    ///
    /// - Returns: The figures, also if the query has no rows.
    /// - Throws: As `aggregate(_:by:figures:)`.
    public func aggregate<Element: Model, First, Second>(
        _ query: Query<Element>, _ first: Aggregate<Element, First>, _ second: Aggregate<Element, Second>
    ) throws -> (First, Second) {
        try aggregate(query, [first.figure, second.figure]) { row in
            (try row.next(First.self), try row.next(Second.self))
        }
    }

    /// Calculates one figure over all rows of a query.
    ///
    /// ```swift
    /// let last = try tx.aggregate(FeedSession.all, .maximum(\.startTime))
    /// ```
    ///
    /// - Returns: The figure, also if the query has no rows.
    /// - Throws: As `aggregate(_:by:figures:)`.
    public func aggregate<Element: Model, Value>(
        _ query: Query<Element>, _ figure: Aggregate<Element, Value>
    ) throws -> Value {
        try aggregate(query, [figure.figure]) { row in try row.next(Value.self) }
    }
}

extension ReadTransaction {
    /// Fetches the different values that an attribute has in the rows of a query.
    ///
    /// ```swift
    /// let genres = try tx.fetch(Film.where(#Predicate { $0.year > 1965 }), distinct: \.genre)
    /// ```
    ///
    /// - Parameters:
    ///   - query: The rows. A limit or an offset is refused; the order has no effect.
    ///   - keyPath: The attribute.
    /// - Returns: The values, each once, in their order, nil first.
    /// - Throws: As `aggregate(_:by:figures:groups:)`.
    public func fetch<Element: Model, Value>(
        _ query: Query<Element>, distinct keyPath: KeyPath<Element, Value>
    ) throws -> [Value] {
        try aggregate(query, by: [Grouping.attribute(keyPath).key], []) { try $0.next(Value.self) }
    }

    /// Fetches the different values that several attributes have together in the rows of a query.
    ///
    /// - Returns: The tuples, each once, in the order of their values, nil first.
    /// - Throws: As for one attribute.
    public func fetch<Element: Model, First, each Rest>(
        _ query: Query<Element>, distinct first: KeyPath<Element, First>,
        _ rest: repeat KeyPath<Element, each Rest>
    ) throws -> [(First, repeat each Rest)] {
        var keys = [Grouping.attribute(first).key]
        for keyPath in repeat each rest { keys.append(Grouping.attribute(keyPath).key) }
        return try aggregate(query, by: keys, []) { row in
            let first = try row.next(First.self)
            return (first, repeat try row.next((each Rest).self))
        }
    }
}
