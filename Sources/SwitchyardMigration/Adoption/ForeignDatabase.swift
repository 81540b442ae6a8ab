public import Foundation

/// A database that Switchyard did not make, and only reads.
public protocol ForeignDatabase: Sendable {
    /// Where it is, without a password.
    var location: String { get }

    /// Calls the body with one snapshot; the database and all of its files stay unchanged.
    ///
    /// This blocks: call it off the cooperative thread pool, or in the body of a transaction of another
    /// store.
    ///
    /// - Throws: `notFound`, `notAStore` for anything but a database of this kind, `corrupted`, `busy`, `full`,
    ///   `inputOutput`, `connectionLost`; what `body` throws.
    func read<Value>(_ body: (any ForeignSnapshot) throws -> Value) throws -> Value
}

/// One snapshot of a database; used on the thread of `ForeignDatabase.read`, and not after it.
public protocol ForeignSnapshot {
    /// The tables and views, by name.
    ///
    /// - Throws: As `ForeignDatabase.read`.
    func tables() throws -> [ForeignTable]

    /// Calls the body with each row, in the order of the primary key if there is one.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - columns: The names of the columns to return, in this order.
    ///   - body: Receives the values of a row.
    /// - Throws: As `ForeignDatabase.read`.
    /// - Complexity: O(rows) time, and the memory of one row.
    func forEachRow(
        of table: ForeignTable, _ columns: [String], _ body: ([ForeignValue]) throws -> Void
    ) throws

    /// A UUID that distinguishes this database from others of its kind, if it has one.
    ///
    /// The default is nil.
    ///
    /// - Throws: As `ForeignDatabase.read`.
    func databaseID() throws -> UUID?

    /// What an adoption must know of besides tables and values; none by default.
    ///
    /// - Throws: As `ForeignDatabase.read`.
    func findings() throws -> [ForeignFinding]
}

extension ForeignSnapshot {
    /// Nil: the database has no such UUID.
    public func databaseID() throws -> UUID? { nil }
    /// Empty: tables and values are all.
    public func findings() throws -> [ForeignFinding] { [] }
}

/// A backend that can read databases of its kind that are not stores.
public protocol ForeignDatabasePlugin: StorePlugin {
    /// Whether the backend has stores as well; false for one whose databases are only read. True by default.
    static var hasStores: Bool { get }

    /// The database that settings select; it is not opened yet.
    ///
    /// - Throws: `configuration`.
    static func foreignDatabase(_ settings: StoreSettings) throws -> any ForeignDatabase

    /// Compares the database with versions of a schema and, unless the options say `readOnly`, makes it a
    /// store in place, as the first version that its tables match.
    ///
    /// Everything that makes it a store is written in one transaction. Other tables are unchanged.
    ///
    /// - Throws: As `PluginRegistry.adopt(url:as:options:home:)`.
    static func adopt(
        _ settings: StoreSettings, as versions: [Schema], options: OpenOptions
    ) async throws -> InPlaceAdoption
}

extension ForeignDatabasePlugin {
    /// True: the backend has stores.
    public static var hasStores: Bool { true }
}

extension PluginRegistry {
    /// The database that a URL names, such as `sqlite:/data/recipes.db`; it is not opened yet.
    ///
    /// - Throws: `configuration` if no plugin supports the URL; `unsupported` if the plugin only reads stores.
    public func foreignDatabase(url: String, home: String? = nil) throws -> any ForeignDatabase {
        let plugin = try plugin(forURL: url)
        return try foreignDatabase(
            StoreSettings(plugin.checkedSettings(fromURL: url), for: plugin, home: home, isFromURL: true),
            of: plugin)
    }

    /// The database that settings select; it is not opened yet.
    ///
    /// - Throws: As `foreignDatabase(url:home:)`.
    package func foreignDatabase(
        _ settings: StoreSettings, of plugin: any StorePlugin.Type
    ) throws -> any ForeignDatabase {
        guard let reader = plugin as? any ForeignDatabasePlugin.Type else { throw plugin.readsOnlyStores }
        return try reader.foreignDatabase(settings)
    }
}
