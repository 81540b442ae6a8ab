// What a newcomer writes first, and what to write instead: the compiler shows the messages where it would say
// no more than that nothing fits.

extension ReadTransaction {
    /// Does not compile, and says why.
    @available(*, unavailable, message: "name the rows: the query of all rows of a model is 'Film.all'")
    public func fetch<Element: Model>(_: Element.Type) throws -> [Element] { [] }

    /// Does not compile, and says why.
    @available(*, unavailable, message: "name the rows: the query of all rows of a model is 'Film.all'")
    public func count<Element: Model>(_: Element.Type) throws -> Int { 0 }
}

extension WriteTransaction {
    /// Does not compile, and says why.
    @available(*, unavailable, message: "name the rows: the query of all rows of a model is 'Film.all'")
    public func delete<Element: Model>(_: Element.Type) throws -> Int { 0 }

    /// Does not compile, and says why.
    @available(
        *, unavailable,
        message: """
            update elements one by one, as in 'for film in films { try tx.update(film) }', or set attributes of all rows of \
            a query with 'update(_:set:)'
            """
    )
    public func update<Element: Model>(_: [Element]) throws -> [Element] { [] }

    /// Does not compile, and says why.
    @available(*, unavailable, message: "write 'insert(contentsOf:)' for more than one element")
    public func insert<Element: Model>(_: [Element]) throws -> [Element] { [] }
}

extension ToMany {
    /// Does not compile, and says why.
    @available(
        *, unavailable,
        message: """
            a to-many has no rows in memory: ask 'tx.exists(film.inventories)' in a transaction, or \
            '$0.inventories[\\.isEmpty]' in a #Predicate
            """
    )
    public var isEmpty: Bool { true }

    /// Does not compile, and says why.
    @available(
        *, unavailable,
        message: """
            a to-many has no rows in memory: ask 'tx.count(film.inventories)' in a transaction, or \
            '$0.inventories[\\.count]' in a #Predicate
            """
    )
    public var count: Int { 0 }
}
