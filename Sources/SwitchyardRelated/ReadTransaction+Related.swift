/// What relationships lead to, for all rows of a query at once.
extension ReadTransaction {
    /// Reads rows and the keys that they contain, and then what belongs to the rows.
    ///
    /// - Parameters:
    ///   - owner: The attribute that leads to the row that a row belongs to itself.
    ///   - first: What to add to each row.
    ///   - rest: What else to add.
    ///   - window: All rows of the query, before its limit and offset.
    ///   - read: Reads the rows, and gives each with the keys that some attributes are.
    /// - Returns: The rows, the keys of their owners, and what belongs to them, in one order.
    /// - Throws: What `read` throws, and the errors of the relationships.
    func load<Element: Model, First, each Rest>(
        ownedBy owner: String = "id", including first: Related<Element, First>,
        _ rest: repeat Related<Element, each Rest>, among window: WindowRows,
        rows read: (_ attributes: [String], _ take: (Element, [RelatedKey]) throws -> Void) throws -> Void
    ) throws -> (rows: [Element], owners: [RelatedKey], first: [First], rest: (repeat [each Rest])) {
        var attributes = [owner, try first.local.get()]
        for related in repeat each rest { attributes.append(try related.local.get()) }
        var (rows, keys): ([Element], [[RelatedKey]]) = ([], attributes.map { _ in [] })
        try read(attributes) { row, leads in
            rows.append(row)
            for (position, lead) in leads.enumerated() { keys[position].append(lead) }
        }
        var position = 1
        func following() -> [RelatedKey] {
            position += 1
            return keys[position]
        }
        let values = try first.load(self, keys[1], window)
        return (rows, keys[0], values, (repeat try (each rest).load(self, following(), window)))
    }

    /// Selects whole rows and the keys that their attributes are.
    func selectRows<Element: Model>(
        _ selection: Selection, leadingBy attributes: [String],
        _ take: (Element, [RelatedKey]) throws -> Void
    ) throws {
        var selection = selection
        let isOverScopes = scopes.count > 1
        if isOverScopes { selection.columns.append(.attribute(StoreScope.attribute.name)) }
        selection.columns += attributes.map { .attribute($0) }
        try select(selection) { row in
            let element = try Element(from: &row)
            let scope = isOverScopes ? try row.read(.uuid) : .null
            try take(element, try row.readKeys(of: attributes, in: scope))
            return true
        }
    }

    /// The rows that some keys lead to, by key.
    ///
    /// - Parameters:
    ///   - query: Which rows, their order, and how many for each key.
    ///   - attribute: Their attribute that equals the key's value.
    ///   - keys: The keys.
    /// - Returns: The rows of each key that leads to any, in the query's order.
    /// - Throws: As `fetch(_:)`.
    func related<Target: Model>(
        _ query: Query<Target>, by attribute: String, _ keys: [RelatedKey]
    ) throws -> [RelatedKey: [Target]] {
        var found: [RelatedKey: [Target]] = [:]
        try selectRelated(query, by: attribute, keys, leadingBy: [attribute]) { row, leads in
            found[leads[0], default: []].append(row)
        }
        return found
    }

    /// The rows that some keys lead to, each with what belongs to it, by key.
    func related<Target: Model, First, each Rest>(
        _ query: Query<Target>, by attribute: String, _ keys: [RelatedKey],
        including first: Related<Target, First>, _ rest: repeat Related<Target, each Rest>
    ) throws -> [RelatedKey: [(Target, First, repeat each Rest)]] {
        let required = Condition.required(by: first, repeat each rest)
        var window = try selection(query)
        window.condition = window.condition && required && .isIn(.attribute(attribute), keys.values)
        let loaded = try load(
            ownedBy: attribute, including: first, repeat each rest,
            among: WindowRows(window, dividedBy: attribute)
        ) { attributes, take in
            try selectRelated(query, where: required, by: attribute, keys, leadingBy: attributes, take)
        }
        var found: [RelatedKey: [(Target, First, repeat each Rest)]] = [:]
        for (position, owner) in loaded.owners.enumerated() {
            found[owner, default: []].append(
                (loaded.rows[position], loaded.first[position], repeat (each loaded.rest)[position]))
        }
        return found
    }

    /// Selects the rows that some keys lead to: of each key, those within the query's limit and offset.
    private func selectRelated<Target: Model>(
        _ query: Query<Target>, where condition: Condition = .constant(true), by attribute: String,
        _ keys: [RelatedKey], leadingBy attributes: [String],
        _ take: (Target, [RelatedKey]) throws -> Void
    ) throws {
        var selection = try selection(query)
        selection.condition = selection.condition && condition
        let values = keys.values
        if query.limit != nil || query.offset > 0, try limitsPartitions(of: selection) {
            selection.partition = Selection.Partition(attribute, values)
            return try selectRows(selection, leadingBy: attributes, take)
        }
        (selection.limit, selection.offset) = (nil, 0)
        selection.condition = selection.condition && .isIn(.attribute(attribute), values)
        guard query.limit != nil || query.offset > 0 else {
            return try selectRows(selection, leadingBy: attributes, take)
        }
        let (end, overflow) = query.offset.addingReportingOverflow(query.limit ?? .max)
        let window = query.offset..<(overflow ? .max : end)
        var counts: [RelatedKey: Int] = [:]
        try selectRows(selection, leadingBy: attributes) { (row: Target, leads) in
            let count = counts[leads[0], default: 0]
            counts[leads[0]] = count + 1
            if window.contains(count) { try take(row, leads) }
        }
    }

}

/// Figures over the rows that relationships lead to.
extension ReadTransaction {
    /// Calculates a figure over the rows that each key leads to.
    ///
    /// - Returns: A value for each key, in their order.
    func figures<Target: Model, Value>(
        _ function: AggregateFunction, of query: Query<Target>, by attribute: String, _ keys: [RelatedKey]
    ) throws -> [Value] {
        try requireUnlimited(query)
        var rows = try selection(query)
        rows.condition = rows.condition && .isIn(.attribute(attribute), keys.values)
        return try figures(function, of: rows, by: attribute, keys).map { stored in
            guard let value = stored.value(as: Value.self) else {
                throw StoreError(
                    .corrupted, "A figure of related rows is not of type \(Value.self).",
                    entity: rows.entity.name, attribute: function.attribute)
            }
            return value
        }
    }
}

extension [RelatedKey] {
    /// The values of the keys, each once, without nil.
    package var values: [StoredValue] { Array<StoredValue>(Set(lazy.map(\.value).filter { !$0.isNull })) }
}

extension RowReader {
    /// Reads the keys that a row leads to, in the order of their attributes.
    mutating func readKeys(of attributes: [String], in scope: StoredValue) throws -> [RelatedKey] {
        try attributes.map { _ in RelatedKey(value: try read(.uuid), scope: scope) }
    }
}
