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
    /// - Returns: One tuple of keys and one of figures for each group, in the order of the keys, nil first; a
    ///   plain value where there is one key, and where there is one figure.
    /// - Throws: `unsupported` or `invalidArgument` if the query makes no sense, `arithmetic` if a sum leaves
    ///   its type.
    /// - Complexity: Sums and averages of doubles and decimals, and averages, read the rows' keys and values;
    ///   other figures are worked out by the backend.
    public func aggregate<Element: Model, each Key, each Value>(
        _ query: Query<Element>, by keys: repeat Grouping<Element, each Key>,
        figures: repeat Aggregate<Element, each Value>
    ) throws -> [(key: (repeat each Key), figures: (repeat each Value))] {
        var groups: [Result<GroupKey, StoreError>] = []
        for key in repeat each keys { groups.append(key.key) }
        var functions: [Result<AggregateFunction, StoreError>] = []
        for figure in repeat each figures { functions.append(figure.function) }
        return try aggregate(query, by: groups, functions) { row in
            (
                key: (repeat try row.next((each Key).self)),
                figures: (repeat try row.next((each Value).self))
            )
        }
    }

    /// Works out figures over the groups of a query's rows, by one key.
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
        figures: repeat Aggregate<Element, each Value>
    ) throws -> [(key: Key, figures: (repeat each Value))] {
        // A pack of one would be a tuple of one, which is never nil in a chain, and lacks its element's members.
        var functions: [Result<AggregateFunction, StoreError>] = []
        for figure in repeat each figures { functions.append(figure.function) }
        return try aggregate(query, by: [key.key], functions) { row in
            (key: try row.next(Key.self), figures: (repeat try row.next((each Value).self)))
        }
    }

    /// Works out one figure over the groups of a query's rows.
    ///
    /// - Returns: A tuple of keys and the figure for each group, in the order of the keys, nil first.
    /// - Throws: As with several figures.
    public func aggregate<Element: Model, each Key, Value>(
        _ query: Query<Element>, by keys: repeat Grouping<Element, each Key>,
        figures figure: Aggregate<Element, Value>
    ) throws -> [(key: (repeat each Key), figures: Value)] {
        var groups: [Result<GroupKey, StoreError>] = []
        for key in repeat each keys { groups.append(key.key) }
        return try aggregate(query, by: groups, [figure.function]) { row in
            (key: (repeat try row.next((each Key).self)), figures: try row.next(Value.self))
        }
    }

    /// Works out one figure over the groups of a query's rows, by one key.
    ///
    /// - Returns: The key and the figure for each group, in the order of the keys, nil first.
    /// - Throws: As with several keys and figures.
    public func aggregate<Element: Model, Key, Value>(
        _ query: Query<Element>, by key: Grouping<Element, Key>, figures figure: Aggregate<Element, Value>
    ) throws -> [(key: Key, figures: Value)] {
        try aggregate(query, by: [key.key], [figure.function]) { row in
            (key: try row.next(Key.self), figures: try row.next(Value.self))
        }
    }
}

extension ReadTransaction {
    /// Works out figures over all rows of a query.
    ///
    /// - Parameters:
    ///   - query: The rows. A limit or an offset is refused; its order has no meaning here.
    ///   - figures: What is worked out.
    /// - Returns: The figures; those of no rows where none fulfils the query. Swift knows the elements of three
    ///   or more once the tuple is in a constant, and not in a chain such as `aggregate(…).2`.
    /// - Throws: As `aggregate(_:by:figures:)`.
    public func aggregate<Element: Model, each Value>(
        _ query: Query<Element>, _ figures: repeat Aggregate<Element, each Value>
    ) throws -> (repeat each Value) {
        var functions: [Result<AggregateFunction, StoreError>] = []
        for figure in repeat each figures { functions.append(figure.function) }
        return try aggregate(query, functions) { row in (repeat try row.next((each Value).self)) }
    }

    /// Works out two figures over all rows of a query.
    ///
    /// ```swift
    /// let (feeds, last) = try tx.aggregate(FeedSession.all, .count, .maximum(\.startTime))
    /// ```
    ///
    /// - Returns: The figures; those of no rows where none fulfils the query.
    /// - Throws: As `aggregate(_:by:figures:)`.
    public func aggregate<Element: Model, First, Second>(
        _ query: Query<Element>, _ first: Aggregate<Element, First>, _ second: Aggregate<Element, Second>
    ) throws -> (First, Second) {
        try aggregate(query, [first.function, second.function]) { row in
            (try row.next(First.self), try row.next(Second.self))
        }
    }

    /// Works out one figure over all rows of a query.
    ///
    /// ```swift
    /// let last = try tx.aggregate(FeedSession.all, .maximum(\.startTime))
    /// ```
    ///
    /// - Returns: The figure; that of no rows where none fulfils the query.
    /// - Throws: As `aggregate(_:by:figures:)`.
    public func aggregate<Element: Model, Value>(
        _ query: Query<Element>, _ figure: Aggregate<Element, Value>
    ) throws -> Value {
        try aggregate(query, [figure.function]) { row in try row.next(Value.self) }
    }
}
