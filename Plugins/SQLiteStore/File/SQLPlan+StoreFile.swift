internal import SwitchyardCore
internal import SwitchyardSQL

extension SQLPlan {
    /// Creates the plan of a schema for an SQLite file.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - isScoped: Whether rows are divided into scopes.
    ///   - file: The file; nil for a database in memory, and where no marker is read or written.
    /// - Throws: `unsupported` if a statement cannot be generated.
    convenience init(_ schema: Schema, isScoped: Bool = false, of file: StoreFile? = nil) throws {
        try self.init(
            SQLGenerator(
                dialect: .sqlite, schema: schema, isScoped: isScoped, directory: file?.placeDirectory))
    }
}
