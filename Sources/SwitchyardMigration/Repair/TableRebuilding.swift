/// A driver that can look at a store whose tables do not fit its marker, and make them anew.
///
/// It is what `store check` and `store repair` stand on; without it, they refuse with `unsupported`.
public protocol TableRebuilding: TransactionDriver {
    /// Compares the tables of the store with those of schemas.
    ///
    /// - Parameter schemas: The schemas.
    /// - Returns: What was found. A table that no schema has is not looked at.
    /// - Throws: As a selection.
    /// - Complexity: Counts the rows of each table.
    func examine(_ schemas: [Schema]) throws -> StoreExamination

    /// The number of rows of a table that refer to rows which none of some tables has.
    ///
    /// - Parameters:
    ///   - attribute: The reference; its column finds the rows.
    ///   - table: The table.
    ///   - targets: The tables.
    /// - Returns: The number, in all scopes.
    /// - Throws: As a selection.
    func strayReferences(_ attribute: Attribute, in table: String, to targets: [String]) throws -> Int

    /// Makes tables anew, and everything else that the store lacks of a schema: indexes, foreign keys and the marker.
    ///
    /// - Throws: As `StoreMaintenance.change(_:to:filling:)`.
    func rebuild(_ rebuild: StoreRebuild) throws

    /// The greatest era among the rows of the history; 0 without rows.
    func lastEra() throws -> Int64
}
