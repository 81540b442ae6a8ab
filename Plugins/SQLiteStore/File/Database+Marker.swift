package import GRDB
package import SwitchyardCore
internal import SwitchyardSQL

/// The marker of a store's file, for code that moves the file without a schema.
extension Database {
    /// The marker of the store in a file; nil for a database that is not a store of Switchyard.
    ///
    /// - Throws: `corrupted` or `schemaTooNew` if it cannot be read; a `DatabaseError`.
    package func storeMarker(of file: StoreFile) throws -> StoreMarker? {
        guard try tableExists(SQLGenerator.markerTable) else { return nil }
        return try StoreMarker.decode(String.fetchOne(self, sql: SQLGenerator.selectMarker())).absolute(
            in: file.placeDirectory)
    }

    /// Replaces the marker of the store in a file, in the transaction in progress.
    ///
    /// - Throws: `schemaTooNew` for a layout that this code does not know; a `StoreError` or a `DatabaseError` if it
    ///   cannot be written.
    package func setStoreMarker(_ marker: StoreMarker, of file: StoreFile) throws {
        try StoreMarker.requireKnown(marker.format)
        let plan = try SQLPlan(marker.schema, isScoped: marker.scopeColumn != nil, of: file)
        let registry = ConnectionRegistry()
        defer { registry.removeAllStatements() }
        try SQLiteTransaction(self, plan: plan, statements: try registry.state(of: self).statements)
            .setMarker(marker)
    }

    /// Registers the functions and collations that a store's indexes and checks need.
    ///
    /// - Throws: `backend` if SQLite refuses.
    package func registerStoreFunctions() throws {
        guard let connection = sqliteConnection else { throw StoreError.storeClosed }
        try SQLiteExtensions.register(on: connection)
    }
}
