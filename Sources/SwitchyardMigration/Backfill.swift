extension MigrationStep {
    /// Each row gets a value of an attribute that is calculated from the row, after the stage has changed the tables.
    ///
    /// ```swift
    /// .backfill(\V3.Entry.day) { entry in Day(of: entry.time) }
    /// ```
    ///
    /// A conversion runs within the stage's transaction. A backfill, for tables where that would take too
    /// long, writes at most ten thousand rows at a time. The store keeps its progress, and after an
    /// interruption it continues from there. Until it has ended, the store has the role `migrating`, in which
    /// nothing but a migration opens it.
    ///
    /// - Parameters:
    ///   - attribute: The attribute in the newer version. A new attribute is optional, has a default, or gets
    ///     a value by `.fill`, which the rows have in the meantime.
    ///   - value: Returns the value, given the row as the newer version has it; it may be called again for a
    ///     row. An error ends the migration, and earlier values are kept.
    /// - Returns: The step.
    public static func backfill<New: Model, Value>(
        _ attribute: KeyPath<New, Value>, _ value: @escaping @Sendable (New) throws -> Value
    ) -> MigrationStep {
        MigrationStep(
            kind: Result { () throws(StoreError) in
                .backfill(
                    Backfill(attribute: try PartName(attribute)) { row in
                        try StoredValue.of(value(row.read(New.self))).get()
                    })
            })
    }
}

/// The calculation of an attribute from the rest of its row.
package struct Backfill: Sendable {
    /// The attribute, in the newer version.
    let attribute: PartName
    /// Returns the value, given the row.
    let value: @Sendable (inout RowWriter) throws -> StoredValue
}
