extension ReadTransaction {
    /// Fetches a single attribute of the rows of a query.
    ///
    /// ```swift
    /// let names = try tx.fetch(BabyProfile.all, \.name)  // [String]
    /// ```
    ///
    /// - Returns: A value for each row, in the query's order.
    /// - Throws: `unsupported` for a key path that is not a stored attribute; otherwise as `fetch(_:)`.
    public func fetch<Element: Model, Value>(
        _ query: Query<Element>, _ keyPath: KeyPath<Element, Value>
    ) throws -> [Value] {
        // Not the variadic overload: a one-element tuple is never nil in a chain and lacks its element's members.
        var values: [Value] = []
        try perform {
            var selection = try selection(query)
            let column = try AttributeColumn(keyPath, in: selection.entity)
            selection.columns = [.attribute(column.name)]
            try decode(selection, column.read) { values.append($0) }
        }
        return values
    }

    /// Fetches only two attributes of the rows of a query.
    ///
    /// ```swift
    /// let amounts = try tx.fetch(FeedSession.all, \.startTime, \.amountValue)  // [(Date, Double?)]
    /// ```
    ///
    /// - Returns: A pair for each row, in the query's order.
    /// - Throws: `unsupported` for a key path that is not a stored attribute; otherwise as `fetch(_:)`.
    public func fetch<Element: Model, First, Second>(
        _ query: Query<Element>, _ first: KeyPath<Element, First>, _ second: KeyPath<Element, Second>
    ) throws -> [(First, Second)] {
        var pairs: [(First, Second)] = []
        try perform {
            var selection = try selection(query)
            let first = try AttributeColumn(first, in: selection.entity)
            let second = try AttributeColumn(second, in: selection.entity)
            selection.columns = [.attribute(first.name), .attribute(second.name)]
            try decode(selection) { row in
                (try first.read(&row), try second.read(&row))
            } taking: {
                pairs.append($0)
            }
        }
        return pairs
    }

    /// Fetches only the given attributes of the rows of a query.
    ///
    /// ```swift
    /// let feeds = try tx.fetch(FeedSession.all, \.startTime, \.endTime, \.amountValue)
    /// for (start, end, amount) in feeds { … }
    /// ```
    ///
    /// - Returns: A tuple for each row, in the query's order. Assign the result to a constant before you use the
    ///   tuples: Swift does not know their elements in a chain such as `fetch(…).map { $0.2 }`.
    /// - Throws: `unsupported` for a key path that is not a stored attribute; otherwise as `fetch(_:)`.
    public func fetch<Element: Model, First, each Rest>(
        _ query: Query<Element>, _ first: KeyPath<Element, First>, _ rest: repeat KeyPath<Element, each Rest>
    ) throws -> [(First, repeat each Rest)] {
        var rows: [(First, repeat each Rest)] = []
        try perform {
            var selection = try selection(query)
            let entity = selection.entity
            let firstColumn = try AttributeColumn(first, in: entity)
            let columns = (repeat try AttributeColumn(each rest, in: entity))
            selection.columns = [.attribute(firstColumn.name)]
            for column in repeat each columns { selection.columns.append(.attribute(column.name)) }
            try decode(selection) { row in
                let first = try firstColumn.read(&row)
                return (first, repeat try (each columns).read(&row))
            } taking: {
                rows.append($0)
            }
        }
        return rows
    }
}

/// An attribute chosen by a key path.
///
/// How to read it is looked up once, not for each row.
private struct AttributeColumn<Value> {
    let name: String
    let read: (inout RowReader) throws -> Value

    init<Element: Model>(_ keyPath: KeyPath<Element, Value>, in entity: Entity) throws {
        let name = try Element.attribute(at: keyPath).get()
        self.name = name
        if let known = Value.self as? any AttributeValue.Type {
            read = Self.reader(known)
            return
        }
        guard let type = entity.attribute(name)?.type else {
            throw StoreError(
                .schemaMismatch, "The store has no such attribute.", entity: entity.name, attribute: name)
        }
        read = { row in
            let stored = try row.read(type)
            guard let value = stored.value(as: Value.self) else { throw row.unfit(Value.self, found: stored) }
            return value
        }
    }

    /// Returns the reader of `Known`, which is `Value` seen as an `AttributeValue`.
    private static func reader<Known: AttributeValue>(_: Known.Type) -> (inout RowReader) throws -> Value {
        { row in
            let known = try Known(from: &row)
            guard let value = known as? Value else {
                throw row.unfit(Value.self, found: try known.storedValue())
            }
            return value
        }
    }
}
