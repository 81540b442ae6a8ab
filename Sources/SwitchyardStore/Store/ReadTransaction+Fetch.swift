extension ReadTransaction {
    /// Fetches all rows of a query.
    ///
    /// - Throws: `unsupported` or `invalidArgument` if the query makes no sense, `corrupted` if a row cannot
    ///   be read.
    /// - Complexity: O(rows returned) with an index for the condition and the order; without one, every row of the
    ///   table is read.
    @inlinable
    public func fetch<Element: Model>(_ query: Query<Element>) throws -> [Element] {
        var elements: [Element] = []
        try forEachRow(of: query) { row in elements.append(try Element(from: &row)) }
        return elements
    }

    /// Fetches all rows of a query, each with its scope.
    ///
    /// Rows of several scopes come in the query's order, as if they were in one scope; rows with the same id are in the
    /// order of their scopes.
    ///
    /// - Throws: As `fetch(_:)`; `scopeMismatch` in a store whose rows are not divided into scopes.
    public func fetchScoped<Element: Model>(_ query: Query<Element>) throws -> [Scoped<Element>] {
        try perform {
            guard !scopes.isEmpty else { throw StoreError.scopesUnknown }
            var selection = try selection(query)
            selection.columns.append(.attribute(StoreScope.attribute.name))
            var elements: [Scoped<Element>] = []
            try select(selection) { row in
                let element = try Element(from: &row)
                elements.append(Scoped(element, in: try StoreScope(from: &row)))
                return true
            }
            return elements
        }
    }

    /// Fetches the first row of a query, or nil if no row matches.
    ///
    /// - Throws: As `fetch(_:)`.
    public func first<Element: Model>(_ query: Query<Element>) throws -> Element? {
        try fetch(query.limit(1)).first
    }

    /// Fetches the row with an id, or nil if it does not exist.
    ///
    /// If several scopes have a row with the id, the row of the first scope is returned.
    ///
    /// - Throws: `corrupted` if the row cannot be read.
    public func find<Element: Model>(_ id: Identifier<Element>) throws -> Element? {
        try perform {
            var found: Element?
            try driver.find(id.uuid, in: try entity(Element.self)) { row in
                found = try Element(from: &row)
            }
            return found
        }
    }

    /// Calls the body with each row of a query, in order, without keeping any of them in memory.
    ///
    /// The body cannot use the transaction, except in the code of a migration's stage: there it can read and write, and a
    /// few hundred rows are in memory at a time, or all rows of a query with a limit or an offset.
    ///
    /// - Throws: As `fetch(_:)`, and what the body throws.
    /// - Complexity: Constant memory.
    @inlinable
    public func forEach<Element: Model>(
        _ query: Query<Element>, _ body: (Element) throws -> Void
    ) throws {
        guard readsInPages else {
            return try forEachRow(of: query) { row in try body(try Element(from: &row)) }
        }
        guard query.limit == nil, query.offset == 0 else { return try fetch(query).forEach(body) }
        var cursor: PageCursor?
        repeat {
            let page = try page(query, size: 500, after: cursor)
            try page.items.forEach(body)
            cursor = page.next
        } while cursor != nil
    }

    /// Calls the body with each row of a query, not yet decoded.
    ///
    /// The callers are inlinable, so that decoding and storing a model is specialised for its type in the app:
    /// unspecialised generic code takes a third of the time of a fetch.
    @usableFromInline
    func forEachRow<Element: Model>(
        of query: Query<Element>, _ body: (inout RowReader) throws -> Void
    ) throws {
        try perform {
            try select(try selection(query)) { row in
                try body(&row)
                return true
            }
        }
    }

    /// Returns the number of rows of a query, with its limit and offset applied.
    ///
    /// - Throws: As `fetch(_:)`.
    public func count<Element: Model>(_ query: Query<Element>) throws -> Int {
        try perform {
            let rows = try selection(query)
            let after = max(0, try driver.count(of: rows.entity, where: rows.condition) - query.offset)
            return min(after, query.limit ?? after)
        }
    }

    /// Returns whether a query has any rows.
    ///
    /// - Throws: As `fetch(_:)`.
    public func exists<Element: Model>(_ query: Query<Element>) throws -> Bool {
        try perform {
            var selection = try selection(query)
            (selection.columns, selection.order) = ([.attribute("id")], [])
            selection.limit = min(query.limit ?? 1, 1)
            var found = false
            try driver.select(selection) { _ in
                found = true
                return false
            }
            return found
        }
    }

    /// Returns an order made total: the id, as its last key, breaks all ties within a scope; the scope follows if
    /// there are several.
    package func totalOrder(_ order: [SortKey]) -> [SortKey] {
        let total = order.contains { $0.isOwn("id") } ? order : order + [SortKey("id")]
        return scopes.count > 1 ? total + [SortKey(StoreScope.attribute.name)] : total
    }

    /// Returns the validated selection of a query's whole rows.
    package func selection<Element: Model>(_ query: Query<Element>) throws -> Selection {
        let entity = try entity(Element.self)
        guard query.limit ?? 0 >= 0, query.offset >= 0 else {
            throw StoreError(
                .invalidArgument, "A limit or an offset cannot be negative.", entity: entity.name)
        }
        let condition = try validated(query.condition.get(), in: entity)
        let order = try query.order.get().map { key in
            let (key, type, _) = try key.validated(in: entity, schema)
            guard type != .json else { throw StoreError.jsonOrder(of: key.attribute, in: entity) }
            return key
        }
        return .rows(
            of: entity, where: condition, order: totalOrder(order), limit: query.limit, offset: query.offset)
    }
}

extension ReadTransaction {
    /// Checks a figure: what is calculated for each row, and that the smallest and the greatest of values have an order.
    package func validated(_ figure: AggregateFunction, in entity: Entity) throws -> AggregateFunction {
        switch figure {
        case .minimum(let name) where entity.attribute(name)?.type == .json,
            .maximum(let name) where entity.attribute(name)?.type == .json:
            throw StoreError.jsonOrder(of: name, in: entity)
        case .calculated: return try figure.validated(in: entity, schema: schema)
        default: return figure
        }
    }
}

extension StoreError {
    /// The error of an order by an attribute that is stored as JSON: as text, 10 sorts before 9, whatever the order of its
    /// Swift type.
    fileprivate static func jsonOrder(of name: String?, in entity: Entity) -> StoreError {
        StoreError(
            .unsupported,
            "The attribute is stored as JSON, which has no order. Sort, or take the minimum and the maximum, by "
                + "an attribute of a type that Switchyard knows.", entity: entity.name, attribute: name)
    }
}
