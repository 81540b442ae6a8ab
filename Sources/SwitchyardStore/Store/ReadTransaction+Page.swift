extension ReadTransaction {
    /// Fetches the next few rows of a sorted query.
    ///
    /// Unlike an offset, a cursor neither skips nor repeats a row when others are inserted or deleted between two
    /// pages. With an index for the order, the hundredth page costs as much as the first: a page after the first takes
    /// up to three queries for each sort key (rows equal to the cursor's value, rows after it, rows without a value),
    /// until it is full.
    ///
    /// ```swift
    /// let query = FeedSession.sorted(by: \.startTime, .descending)
    /// var page = try tx.page(query, size: 50)
    /// while let next = page.next { page = try tx.page(query, size: 50, after: next) }
    /// ```
    ///
    /// Use the same query for all pages: a captured value such as the current time must not be taken anew for each
    /// page.
    ///
    /// - Parameters:
    ///   - query: The rows and their order, without a limit or an offset.
    ///   - size: The maximum number of rows; at least 1. `.max` gives all.
    ///   - cursor: Where the previous page ended; nil for the first page.
    /// - Returns: The rows and, if there are more, the cursor of the next page.
    /// - Throws: `invalidArgument` for a size below 1, a limited query, or a cursor of another query;
    ///   otherwise as `fetch(_:)`.
    public func page<Element: Model>(
        _ query: Query<Element>, size: Int, after cursor: PageCursor? = nil
    ) throws -> Page<Element> {
        try perform { try page(query, size: size, after: cursor) { row, _ in try Element(from: &row) } }
    }

    /// Fetches the next few rows of a sorted query, each with its scope.
    ///
    /// - Throws: As `page(_:size:after:)`; `scopeMismatch` in a store whose rows are not divided into scopes.
    public func pageScoped<Element: Model>(
        _ query: Query<Element>, size: Int, after cursor: PageCursor? = nil
    ) throws -> Page<Scoped<Element>> {
        try perform {
            try page(query, size: size, after: cursor) { row, scopes in
                guard !scopes.isEmpty else { throw StoreError.scopesUnknown }
                return Scoped(try Element(from: &row), in: try StoreScope(from: &row))
            }
        }
    }

    /// Fetches a page of whatever `decode` makes of the rows; in a store with scopes, the scope follows the attributes, and
    /// then the attributes that are asked for again.
    package func page<Element: Model, Item>(
        _ query: Query<Element>, size: Int, after cursor: PageCursor?, repeating attributes: [String] = [],
        _ decode: (inout RowReader, [StoreScope]) throws -> Item
    ) throws -> Page<Item> {
        var selection = try selection(query)
        let entity = selection.entity
        guard size >= 1, query.limit == nil, query.offset == 0 else {
            throw StoreError(
                .invalidArgument,
                "A page needs a size of at least 1 and a query without a limit or an offset.",
                entity: entity.name)
        }
        // Figures and lists of rows in the condition for the driver can differ on the next page.
        var lasting = selection
        lasting.condition = try query.condition.get().validated(
            in: entity, schema: schema, calculatesInCore: true
        ) { _, _, _ in nil }
        let (digest, order) = (lasting.digest(in: scopes), selection.order)
        let condition = selection.condition
        let stretches = try cursor.map { cursor in
            try cursor.stretches(in: entity, of: schema, order: order, ofQuery: digest) {
                try validated($0, in: entity)
            }.map { condition && $0 }
        }
        if !scopes.isEmpty { selection.columns.append(.attribute(StoreScope.attribute.name)) }
        selection.columns += attributes.map { .attribute($0) }
        let columns = entity.attributes + (scopes.isEmpty ? [] : [StoreScope.attribute])
        var items: [Item] = []
        var last: [StoredValue] = []
        var hasMore = false
        for stretch in stretches ?? [condition] where !hasMore {
            selection.condition = stretch
            // One more than fit, which shows that there are more.
            selection.limit = size - items.count == .max ? nil : size - items.count + 1
            try select(selection) { row in
                hasMore = items.count == size
                guard !hasMore else { return false }
                // A model may hold a value less precisely than the store; the cursor needs the stored value.
                if items.count == size - 1 {
                    last = try columns.map { try row.read($0.type) }
                    row.rewind()
                }
                items.append(try decode(&row, scopes))
                return true
            }
        }
        guard hasMore else { return Page(items: items, next: nil) }
        let scope = scopes.count > 1 ? last[columns.count - 1] : .null
        let keys = try order.map { key in
            guard let first = columns.firstIndex(where: { $0.name == key.first }) else {
                return StoredValue.null
            }
            return try values(of: key, from: [RelatedKey(value: last[first], scope: scope)], in: entity)[0]
        }
        return Page(items: items, next: PageCursor(query: digest, values: keys))
    }
}
