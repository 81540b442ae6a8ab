extension ReadTransaction {
    /// Fetches one attribute of all rows that a query asks for, and no others.
    ///
    /// ```swift
    /// let names = try tx.fetch(BabyProfile.all, \.name)  // [String]
    /// ```
    ///
    /// - Returns: A value for each row, in the query's order.
    /// - Throws: `unsupported` for a key path that is no stored attribute; otherwise as `fetch(_:)`.
    public func fetch<Element: Model, Value>(
        _ query: Query<Element>, _ keyPath: KeyPath<Element, Value>
    ) throws -> [Value] {
        // A pack of one would be a tuple of one, which is never nil in a chain, and lacks its element's members.
        var values: [Value] = []
        try perform {
            var selection = try selection(query)
            let column = try AttributeColumn(keyPath, in: selection.entity)
            selection.columns = [.attribute(column.name)]
            try driver.select(selection) { row in
                values.append(try column.read(&row))
                return true
            }
        }
        return values
    }

    /// Fetches two attributes of all rows that a query asks for, and no others.
    ///
    /// ```swift
    /// let amounts = try tx.fetch(FeedSession.all, \.startTime, \.amountValue)  // [(Date, Double?)]
    /// ```
    ///
    /// - Returns: A pair for each row, in the query's order.
    /// - Throws: `unsupported` for a key path that is no stored attribute; otherwise as `fetch(_:)`.
    public func fetch<Element: Model, First, Second>(
        _ query: Query<Element>, _ first: KeyPath<Element, First>, _ second: KeyPath<Element, Second>
    ) throws -> [(First, Second)] {
        var pairs: [(First, Second)] = []
        try perform {
            var selection = try selection(query)
            let first = try AttributeColumn(first, in: selection.entity)
            let second = try AttributeColumn(second, in: selection.entity)
            selection.columns = [.attribute(first.name), .attribute(second.name)]
            try driver.select(selection) { row in
                pairs.append((try first.read(&row), try second.read(&row)))
                return true
            }
        }
        return pairs
    }

    /// Fetches chosen attributes of all rows that a query asks for, and no others.
    ///
    /// ```swift
    /// let feeds = try tx.fetch(FeedSession.all, \.startTime, \.endTime, \.amountValue)
    /// for (start, end, amount) in feeds { … }
    /// ```
    ///
    /// - Returns: A tuple for each row, in the query's order. Swift knows its elements once it is in a constant,
    ///   and not in a chain such as `fetch(…).map { $0.2 }`.
    /// - Throws: `unsupported` for a key path that is no stored attribute; otherwise as `fetch(_:)`.
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
            try driver.select(selection) { row in
                let first = try firstColumn.read(&row)
                rows.append((first, repeat try (each columns).read(&row)))
                return true
            }
        }
        return rows
    }
}

/// An attribute chosen by a key path, with the way to read it found once and not for each row.
private struct AttributeColumn<Value> {
    let name: String
    let read: (inout RowReader) throws -> Value

    init<Element: Model>(_ keyPath: KeyPath<Element, Value>, in entity: Entity) throws {
        let name = try Element.attribute(at: keyPath).get()
        self.name = name
        if let known = Value.self as? any AttributeValue.Type {
            read = Self.reader(known, of: name, in: entity)
            return
        }
        guard let type = entity.attribute(name)?.type else {
            throw StoreError(
                .schemaMismatch, "The store has no such attribute.", entity: entity.name, attribute: name)
        }
        read = { row in
            let stored = try row.read(type)
            guard let value = stored.value(as: Value.self) else {
                throw StoreError.unfit(Value.self, entity: entity.name, attribute: name)
            }
            return value
        }
    }

    /// The reader of a known type, which `Value` is.
    private static func reader<Known: AttributeValue>(
        _: Known.Type, of name: String, in entity: Entity
    ) -> (inout RowReader) throws -> Value {
        { row in
            guard let value = try Known(from: &row) as? Value else {
                throw StoreError.unfit(Value.self, entity: entity.name, attribute: name)
            }
            return value
        }
    }
}

extension StoreError {
    /// The error of a stored value that is none of the type that is asked for, such as a raw value without a
    /// case.
    static func unfit(_ type: Any.Type, entity: String, attribute: String?) -> StoreError {
        StoreError(
            .corrupted,
            "The store holds a value that is no \(type); a newer version of the app may have written it.",
            entity: entity, attribute: attribute)
    }
}
