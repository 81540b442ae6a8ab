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
}

/// A backend that can read databases of its kind that are not stores.
public protocol ForeignDatabasePlugin: StorePlugin {
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

extension PluginRegistry {
    /// The database that a URL names, such as `sqlite:/data/recipes.db`; it is not opened yet.
    ///
    /// - Throws: `configuration` if no plugin supports the URL; `unsupported` if the plugin only reads stores.
    public func foreignDatabase(url: String, home: String? = nil) throws -> any ForeignDatabase {
        let plugin = try plugin(forURL: url)
        guard let reader = plugin as? any ForeignDatabasePlugin.Type else {
            throw plugin.readsOnlyStores
        }
        return try reader.foreignDatabase(
            StoreSettings(plugin.checkedSettings(fromURL: url), for: plugin, home: home, isFromURL: true))
    }
}

/// A value of a database that Switchyard did not make.
public enum ForeignValue: Sendable, Hashable {
    /// No value.
    case null
    /// An integer; 0 or 1 where the database has truth values.
    case integer(Int64)
    /// A double.
    case real(Double)
    /// Text; also a server's text of a time (ISO 8601), of a decimal and of JSON.
    case text(String)
    /// Bytes.
    case blob(Data)
    /// A UUID, where the database has a type for it.
    case uuid(UUID)
    /// The bytes of a text that is not valid in the database's encoding, such as UTF-8.
    case invalidText(Data)

    /// The value of a cell, whose bytes are copied.
    package init(_ cell: Cell) {
        switch cell.kind {
        case .null: self = .null
        case .integer: self = .integer(cell.word)
        case .double: self = .real(cell.double)
        case .blob: self = .blob(Data(cell.bytes))
        case .text:
            self =
                String(validating: cell.bytes, as: UTF8.self).map { .text($0) }
                ?? .invalidText(Data(cell.bytes))
        }
    }
}

/// A table or a view, as the database describes it.
public struct ForeignTable: Sendable, Hashable {
    /// The name.
    public let name: String
    /// Whether it is a table with rows of its own: not a view, a virtual table, or a table that holds the
    /// rows of one.
    public let isTable: Bool
    /// The columns, in order.
    public let columns: [Column]
    /// The names of the primary key's columns, in its order; empty without one.
    public let primaryKey: [String]
    /// The references to other tables.
    public let foreignKeys: [Reference]

    /// Describes a table.
    public init(
        name: String, isTable: Bool, columns: [Column], primaryKey: [String], foreignKeys: [Reference]
    ) {
        (self.name, self.isTable, self.columns) = (name, isTable, columns)
        (self.primaryKey, self.foreignKeys) = (primaryKey, foreignKeys)
    }

    /// A column.
    public struct Column: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The type in the database's own words; empty without one.
        public let type: String
        /// Whether it takes null.
        public let isOptional: Bool

        /// Describes a column.
        public init(name: String, type: String, isOptional: Bool) {
            (self.name, self.type, self.isOptional) = (name, type, isOptional)
        }
    }

    /// A foreign key.
    public struct Reference: Sendable, Hashable {
        /// The names of the columns that refer.
        public let columns: [String]
        /// The table that they refer to.
        public let table: String
        /// The names of that table's columns; empty for its primary key.
        public let targets: [String]

        /// Describes a foreign key.
        public init(columns: [String], table: String, targets: [String]) {
            (self.columns, self.table, self.targets) = (columns, table, targets)
        }
    }
}
