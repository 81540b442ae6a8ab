public import SwitchyardCore
public import SwitchyardSQL

@_exported public import struct SwitchyardSQL.SQLQuery

/// Queries in SQLite's own SQL, for the day that no other query suffices.
///
/// They cost the other backends: a store that is not on SQLite refuses them, so that neither previews and tests in memory nor
/// a switch to another backend work with them. They see the stored form of values, and no migration changes their text with
/// the names.
///
/// ```swift
/// let films = try tx.fetch(
///     sqliteOnly: """
///         SELECT \(columns: Film.self) FROM \(Film.self)
///         WHERE \(\Film.year) > (SELECT AVG(\(\Film.year)) FROM \(Film.self)) + \(10)
///         ORDER BY \(\Film.year)
///         """, as: Film.self)
/// ```
extension ReadTransaction {
    /// Fetches models by a query in SQLite's own SQL, which works on no other backend.
    ///
    /// - Parameters:
    ///   - query: A query that selects the model's columns, as `\(columns: Film.self)` names them. It only reads.
    ///   - model: The model.
    /// - Returns: A model for each row, in the query's order.
    /// - Throws: `unsupported` on any other backend, in a store with scopes, and for a statement that is no query or has other
    ///   columns; `corrupted` for a value that does not fit; SQLite's own error as `backend`.
    public func fetch<Element: Model>(sqliteOnly query: SQLQuery, as model: Element.Type) throws -> [Element]
    {
        try fetch(query, on: SQLiteConnection.self, as: model)
    }

    /// Fetches rows of values by a query in SQLite's own SQL, which works on no other backend.
    ///
    /// - Parameters:
    ///   - query: A query that selects as many columns as there are types. It only reads.
    ///   - first: The type of the first column.
    ///   - rest: The types of the others, in their order.
    /// - Returns: A tuple for each row, in the query's order.
    /// - Throws: As for models.
    public func fetch<First: AttributeValue, each Rest: AttributeValue>(
        sqliteOnly query: SQLQuery, as first: First.Type, _ rest: repeat (each Rest).Type
    ) throws -> [(First, repeat each Rest)] {
        try fetch(query, on: SQLiteConnection.self, as: first, repeat each rest)
    }
}
