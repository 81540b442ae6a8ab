extension ReadTransaction {
    /// Fetches all rows that a query asks for.
    ///
    /// - Throws: `unsupported` or `invalidArgument` if the query makes no sense, `corrupted` if a row cannot
    ///   be read.
    /// - Complexity: One row of work for each row given; an index for the condition and the order spares the
    ///   rest.
    @inlinable
    public func fetch<Element: Model>(_ query: Query<Element>) throws -> [Element] {
        var elements: [Element] = []
        try forEachRow(of: query) { row in elements.append(try Element(from: &row)) }
        return elements
    }

    /// Fetches all rows that a query asks for, and tells of each in which scope it is.
    ///
    /// Rows of several scopes come in the query's order as if they were in one; those with one id, in the order of
    /// their scopes.
    ///
    /// - Throws: As `fetch(_:)`; `scopeMismatch` in a store whose rows are not divided into scopes.
    public func fetchScoped<Element: Model>(_ query: Query<Element>) throws -> [Scoped<Element>] {
        try perform {
            guard !scopes.isEmpty else { throw StoreError.scopesUnknown }
            var selection = try selection(query)
            selection.columns.append(.attribute(StoreScope.attribute.name))
            var elements: [Scoped<Element>] = []
            try driver.select(selection) { row in
                let element = try Element(from: &row)
                elements.append(Scoped(element, in: try StoreScope(from: &row)))
                return true
            }
            return elements
        }
    }

    /// Fetches the first row that a query asks for; nil if there is none.
    ///
    /// - Throws: As `fetch(_:)`.
    public func first<Element: Model>(_ query: Query<Element>) throws -> Element? {
        try fetch(query.limit(min(query.limit ?? 1, 1))).first
    }

    /// Fetches the row of an id; nil if it is not there.
    ///
    /// Of several scopes that have one, it is that of the first.
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

    /// Hands over each row that a query asks for, in order, without keeping any.
    ///
    /// - Throws: As `fetch(_:)`, and what the body throws.
    /// - Complexity: Constant memory.
    @inlinable
    public func forEach<Element: Model>(
        _ query: Query<Element>, _ body: (Element) throws -> Void
    ) throws {
        try forEachRow(of: query) { row in try body(try Element(from: &row)) }
    }

    /// Hands over the rows of a query before they are decoded.
    ///
    /// The callers are inlinable, so that the decoding and keeping of a model is compiled for its type in the
    /// app: worked out at run time it takes a third of the time of a fetch.
    @usableFromInline
    func forEachRow<Element: Model>(
        of query: Query<Element>, _ body: (inout RowReader) throws -> Void
    ) throws {
        try perform {
            try driver.select(try selection(query)) { row in
                try body(&row)
                return true
            }
        }
    }

    /// The number of rows that a query asks for, its limit and offset included.
    ///
    /// - Throws: As `fetch(_:)`.
    public func count<Element: Model>(_ query: Query<Element>) throws -> Int {
        try perform {
            let rows = try selection(query)
            let after = max(0, try driver.count(of: rows.entity, where: rows.condition) - query.offset)
            return min(after, query.limit ?? after)
        }
    }

    /// Whether any row fulfils a query.
    ///
    /// - Throws: As `fetch(_:)`.
    public func exists<Element: Model>(_ query: Query<Element>) throws -> Bool {
        try perform {
            var selection = try selection(query)
            selection.columns = [.attribute("id")]
            selection.limit = min(query.limit ?? 1, 1)
            var found = false
            try driver.select(selection) { _ in
                found = true
                return false
            }
            return found
        }
    }

    /// An order with the id behind it, which breaks all ties of one scope, and behind that the scope, if there are
    /// several.
    func totalOrder(_ order: [SortKey]) -> [SortKey] {
        let total = order.contains { $0.attribute == "id" } ? order : order + [SortKey("id")]
        return scopes.count > 1 ? total + [SortKey(StoreScope.attribute.name)] : total
    }

    /// The validated selection of whole rows that a query asks for.
    func selection<Element: Model>(_ query: Query<Element>) throws -> Selection {
        let entity = try entity(Element.self)
        guard query.limit ?? 0 >= 0, query.offset >= 0 else {
            throw StoreError(
                .invalidArgument, "A limit or an offset cannot be negative.", entity: entity.name)
        }
        let condition = try query.condition.get().validated(in: entity, schema: schema)
        let order = try query.order.get()
        for key in order { try entity.requireOrder(of: key.attribute) }
        return .rows(
            of: entity, where: condition, order: totalOrder(order), limit: query.limit, offset: query.offset)
    }
}

extension Entity {
    /// Refuses the order of an attribute that is stored as JSON, whose text sorts 10 before 9, whatever the
    /// Swift type's own order is.
    func requireOrder(of name: String) throws {
        guard attribute(name)?.type != .json else {
            throw StoreError(
                .unsupported,
                "The attribute is stored as JSON, which has no order: sort, or take the smallest and the greatest, by "
                    + "an attribute of a type that Switchyard knows.", entity: self.name, attribute: name)
        }
    }
}
