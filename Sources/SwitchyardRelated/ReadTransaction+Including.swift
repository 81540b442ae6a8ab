extension ReadTransaction {
    /// Fetches all rows of a query, each with what belongs to it.
    ///
    /// ```swift
    /// let houses = try tx.fetch(House.all, including: .all(\.babies, including: .count(\.feeds)))
    /// for (house, babies) in houses { for (baby, feeds) in babies { … } }
    /// ```
    ///
    /// - Parameters:
    ///   - query: The rows.
    ///   - first: What to add to each row.
    ///   - rest: What else to add.
    /// - Returns: A tuple for each row, in the query's order.
    /// - Throws: `unsupported` for a key path that is no relationship; otherwise as `fetch(_:)`.
    /// - Complexity: One statement for the rows, and one for each relationship.
    public func fetch<Element: Model, First, each Rest>(
        _ query: Query<Element>, including first: Related<Element, First>,
        _ rest: repeat Related<Element, each Rest>
    ) throws -> [(Element, First, repeat each Rest)] {
        let found = try perform { try load(query, including: first, repeat each rest) }
        return found.rows.indices.map {
            (found.rows[$0], found.first[$0], repeat (each found.rest)[$0])
        }
    }

    /// Fetches all rows of a query, and makes a value of each and of what belongs to it.
    ///
    /// ```swift
    /// struct BabyCard { var baby: Baby; var feeds: Int; var last: Feed? }
    /// let cards = try tx.fetch(
    ///     Baby.all, including: .count(\.feeds), .first(\.feeds) { $0.sorted(by: \.start, .descending) },
    ///     as: BabyCard.init)
    /// ```
    ///
    /// - Parameters:
    ///   - query: The rows.
    ///   - first: What to add to each row.
    ///   - rest: What else to add.
    ///   - make: Makes a value of a row and of what belongs to it.
    /// - Returns: A value for each row, in the query's order.
    /// - Throws: As without `as:`, and what `make` throws.
    public func fetch<Element: Model, First, each Rest, Row>(
        _ query: Query<Element>, including first: Related<Element, First>,
        _ rest: repeat Related<Element, each Rest>, as make: (Element, First, repeat each Rest) throws -> Row
    ) throws -> [Row] {
        let found = try perform { try load(query, including: first, repeat each rest) }
        return try found.rows.indices.map {
            try make(found.rows[$0], found.first[$0], repeat (each found.rest)[$0])
        }
    }

    /// Fetches the first row of a query with what belongs to it, or nil if no row matches.
    ///
    /// - Throws: As `fetch(_:including:_:)`.
    public func first<Element: Model, First, each Rest>(
        _ query: Query<Element>, including first: Related<Element, First>,
        _ rest: repeat Related<Element, each Rest>
    ) throws -> (Element, First, repeat each Rest)? {
        try fetch(query.limit(1), including: first, repeat each rest).first
    }

    /// Calls the body with each row of a query, in order, and what belongs to it.
    ///
    /// The body may use the transaction.
    ///
    /// - Throws: As `fetch(_:including:_:)`, and what the body throws.
    /// - Complexity: Keeps 500 rows and what belongs to them in memory, or all rows of a query with a limit or an offset.
    public func forEach<Element: Model, First, each Rest>(
        _ query: Query<Element>, including first: Related<Element, First>,
        _ rest: repeat Related<Element, each Rest>,
        body: (Element, First, repeat each Rest) throws -> Void
    ) throws {
        guard query.limit == nil, query.offset == 0 else {
            _ = try fetch(query, including: first, repeat each rest, as: body)
            return
        }
        var cursor: PageCursor?
        repeat {
            let found = try perform {
                try load(query, size: 500, after: cursor, including: first, repeat each rest)
            }
            for row in found.rows.indices {
                try body(found.rows[row], found.first[row], repeat (each found.rest)[row])
            }
            cursor = found.next
        } while cursor != nil
    }

    /// Fetches the next few rows of a sorted query, each with what belongs to it.
    ///
    /// - Throws: As `page(_:size:after:)` and `fetch(_:including:_:)`.
    public func page<Element: Model, First, each Rest>(
        _ query: Query<Element>, size: Int, after cursor: PageCursor? = nil,
        including first: Related<Element, First>, _ rest: repeat Related<Element, each Rest>
    ) throws -> Page<(Element, First, repeat each Rest)> {
        let found = try perform {
            try load(query, size: size, after: cursor, including: first, repeat each rest)
        }
        return Page(
            items: found.rows.indices.map {
                (found.rows[$0], found.first[$0], repeat (each found.rest)[$0])
            }, next: found.next)
    }
}

extension ReadTransaction {
    private typealias Loaded<Element, First, each Rest> = (
        rows: [Element], first: [First], rest: (repeat [each Rest]), next: PageCursor?
    )

    /// Reads the rows of a query, and what belongs to them.
    private func load<Element: Model, First, each Rest>(
        _ query: Query<Element>, including first: Related<Element, First>,
        _ rest: repeat Related<Element, each Rest>
    ) throws -> Loaded<Element, First, repeat each Rest> {
        var selection = try selection(query)
        selection.condition = selection.condition && .required(by: first, repeat each rest)
        let (rows, _, values, others) = try load(
            including: first, repeat each rest, among: WindowRows(selection)
        ) { attributes, take in
            try selectRows(selection, leadingBy: attributes, take)
        }
        return (rows, values, others, nil)
    }

    /// Reads a page of the rows of a query, and what belongs to them.
    private func load<Element: Model, First, each Rest>(
        _ query: Query<Element>, size: Int, after cursor: PageCursor?,
        including first: Related<Element, First>, _ rest: repeat Related<Element, each Rest>
    ) throws -> Loaded<Element, First, repeat each Rest> {
        let query = query.matching(.required(by: first, repeat each rest))
        var next: PageCursor?
        let (rows, _, values, others) = try load(
            including: first, repeat each rest, among: WindowRows(try selection(query))
        ) { attributes, take in
            next = try page(query, size: size, after: cursor, repeating: attributes) { row, scopes in
                let element = try Element(from: &row)
                let scope = scopes.isEmpty ? .null : try row.read(.uuid)
                try take(element, try row.readKeys(of: attributes, in: scopes.count > 1 ? scope : .null))
            }.next
        }
        return (rows, values, others, next)
    }
}

extension Condition {
    /// The condition of the rows whose required references are not nil.
    static func required<Base: Model, First, each Rest>(
        by first: Related<Base, First>, _ rest: repeat Related<Base, each Rest>
    ) -> Condition {
        var condition = first.requirement
        for related in repeat each rest { condition = condition && related.requirement }
        return condition
    }
}

extension Related {
    fileprivate var requirement: Condition {
        guard isRequired, case .success(let reference) = local else { return .constant(true) }
        return .compare(.attribute(reference), .notEqual, .value(.null))
    }
}
