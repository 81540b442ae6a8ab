/// What the comparison of a database with the versions of a schema has found, before it becomes a store where it is.
public struct InPlaceAdoption: Sendable, Hashable, Codable {
    /// The newest version that the tables have; if they have none, the one that they are nearest to.
    public let version: SchemaVersion
    /// What stands against it, a phrase each: differences of the tables or, if there is none, faults of their rows.
    public let differences: [String]
    /// The names of the indexes and foreign keys that are missing, and are added; none if the tables differ.
    public let additions: [String]
    /// The names of the tables that are none of the schema's, which are left alone.
    public let otherTables: [String]
    /// The number of rows of each entity; none if the tables differ.
    public let rows: [String: Int]
    /// Where the copy is that was made before the change; nil if none was.
    public var backup: String?

    /// Describes what was found.
    public init(
        version: SchemaVersion, differences: [String], additions: [String], otherTables: [String],
        rows: [String: Int]
    ) {
        (self.version, self.differences, self.additions) = (version, differences, additions)
        (self.otherTables, self.rows) = (otherTables, rows)
    }

    /// Whether nothing stands against it.
    public var isPossible: Bool { differences.isEmpty }

    /// Checks that nothing stands against it.
    ///
    /// - Throws: `schemaMismatch` with all differences.
    public func requirePossible() throws {
        guard !isPossible else { return }
        throw StoreError(
            .schemaMismatch,
            "The database cannot become a store of version \(version) where it is: "
                + "\(differences.joined(separator: "; ")). Convert it into a new store instead; nothing was changed."
        )
    }
}

extension ForeignDatabasePlugin {
    /// Compares a database with the versions of a plan, or makes a store of it, by what `options.access` says.
    ///
    /// - Throws: As `adopt(_:as:options:)`; `schemaInvalid` for a plan that is wrong.
    fileprivate static func adopt(
        _ settings: StoreSettings, as plan: any SchemaMigrationPlan.Type, options: OpenOptions
    ) async throws -> InPlaceAdoption {
        guard options.scope == nil else {
            throw StoreError(
                .unsupported, "A database cannot become a store with scopes where it is. Convert it instead.")
        }
        return try await adopt(settings, as: MigrationPlan(plan).schemas.reversed(), options: options)
    }
}

extension PluginRegistry {
    /// Makes a store of a database that Switchyard did not make and whose tables are already those of a version, where it
    /// is: the rows stay as they are.
    ///
    /// The newest version that the tables have is adopted; opening the store by the plan then does the rest. Everything that
    /// makes it a store is written in one transaction, after a copy was made of the file of an SQLite database.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - plan: The versions.
    ///   - options: Whether the store keeps a history, and by whom it is written.
    ///   - home: The home directory, for a path that begins with `~`.
    /// - Returns: What was found and done.
    /// - Throws: `notFound`; `notAStore` for anything but a database of this kind; `invalidArgument` for a store;
    ///   `schemaMismatch`, with all differences, if the tables are those of no version; `unique` if rows with the same values
    ///   stand against an index; `unsupported` if the plugin cannot do it, and for scopes; what writing throws. The database is
    ///   then as it was.
    /// - Complexity: Reads every row.
    @discardableResult
    public func adopt(
        url: String, as plan: any SchemaMigrationPlan.Type, options: OpenOptions = OpenOptions(),
        home: String? = nil
    ) async throws -> InPlaceAdoption {
        let plugin = try plugin(forURL: url)
        let settings = try StoreSettings(
            plugin.checkedSettings(fromURL: url), for: plugin, home: home, isFromURL: true)
        return try await adopt(settings, of: plugin, as: plan, options: options)
    }

    /// Compares a database that Switchyard did not make with the versions of a plan, and changes nothing.
    ///
    /// - Returns: What was found, with what stands against making a store of it. Whether rows have the same values where a
    ///   missing unique index would refuse them is not looked up.
    /// - Throws: As `adopt`, but for differences.
    /// - Complexity: Reads every row if the tables are those of a version.
    public func previewAdoption(
        url: String, as plan: any SchemaMigrationPlan.Type, options: OpenOptions = OpenOptions(),
        home: String? = nil
    ) async throws -> InPlaceAdoption {
        var options = options
        options.access = .readOnly
        return try await adopt(url: url, as: plan, options: options, home: home)
    }

    /// Compares the database that settings select, or makes a store of it.
    ///
    /// - Throws: As `adopt(url:as:options:home:)`.
    package func adopt(
        _ settings: StoreSettings, of plugin: any StorePlugin.Type, as plan: any SchemaMigrationPlan.Type,
        options: OpenOptions
    ) async throws -> InPlaceAdoption {
        guard let adopter = plugin as? any ForeignDatabasePlugin.Type else { throw plugin.readsOnlyStores }
        return try await adopter.adopt(settings, as: plan, options: options)
    }
}

extension StorePlugin {
    /// The error of a backend that has nothing but stores.
    static var readsOnlyStores: StoreError {
        StoreError(.unsupported, "The backend \(scheme) cannot read databases that are no stores.")
    }
}
