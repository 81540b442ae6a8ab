// Calls that newcomers try first. They are declared as unavailable, so that the compiler says what to write instead of
// only that no overload matches.

extension ReadTransaction {
    /// Unavailable: the compiler says what to write instead.
    @available(*, unavailable, message: "name the rows: the query of all rows of a model is 'Film.all'")
    public func fetch<Element: Model>(_: Element.Type) throws -> [Element] { [] }

    /// Unavailable: the compiler says what to write instead.
    @available(*, unavailable, message: "name the rows: the query of all rows of a model is 'Film.all'")
    public func count<Element: Model>(_: Element.Type) throws -> Int { 0 }
}

extension WriteTransaction {
    /// Unavailable: the compiler says what to write instead.
    @available(*, unavailable, message: "name the rows: the query of all rows of a model is 'Film.all'")
    public func delete<Element: Model>(_: Element.Type) throws -> Int { 0 }

    /// Unavailable: the compiler says what to write instead.
    @available(
        *, unavailable,
        message: """
            update elements one by one, as in 'for film in films { try tx.update(film) }', or set attributes of all rows of \
            a query with 'update(_:set:)'
            """
    )
    public func update<Element: Model>(_: [Element]) throws -> [Element] { [] }

    /// Unavailable: the compiler says what to write instead.
    @available(*, unavailable, message: "write 'insert(contentsOf:)' for more than one element")
    public func insert<Element: Model>(_: [Element]) throws -> [Element] { [] }
}

extension ToMany {
    /// Unavailable: the compiler says what to write instead.
    @available(
        *, unavailable,
        message: """
            a to-many has no rows in memory: ask 'tx.exists(film.inventories)' in a transaction, or \
            '$0.inventories[\\.isEmpty]' in a #Predicate
            """
    )
    public var isEmpty: Bool { true }

    /// Unavailable: the compiler says what to write instead.
    @available(
        *, unavailable,
        message: """
            a to-many has no rows in memory: ask 'tx.count(film.inventories)' in a transaction, or \
            '$0.inventories[\\.count]' in a #Predicate
            """
    )
    public var count: Int { 0 }
}
