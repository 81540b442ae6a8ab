/// The comparison of a database with the versions of a schema, before it becomes a store in place.
public struct InPlaceAdoption: Sendable, Hashable, Codable {
    /// The newest version that the tables match; if they match none, the nearest one.
    public let version: SchemaVersion
    /// The obstacles, a phrase each: differences of the tables or, if there are none, faults of their rows.
    public let differences: [String]
    /// The names of the indexes and foreign keys that are missing, and are added; none if the tables differ.
    public let additions: [String]
    /// The names of the tables outside the schema, which are unchanged.
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
            "The database cannot become a store of version \(version) in place: "
                + "\(differences.joined(separator: "; ")). Convert it into a new store instead; nothing was "
                + "changed."
        )
    }
}

extension ForeignDatabasePlugin {
    /// Compares a database with the versions of a plan, or makes it a store, depending on `options.access`.
    ///
    /// - Throws: As `adopt(_:as:options:)`; `schemaInvalid` for an invalid plan.
    fileprivate static func adopt(
        _ settings: StoreSettings, as plan: any SchemaMigrationPlan.Type, options: OpenOptions
    ) async throws -> InPlaceAdoption {
        guard options.scope == nil else {
            throw StoreError(
                .unsupported, "A database cannot become a store with scopes in place. Convert it instead.")
        }
        return try await adopt(settings, as: MigrationPlan(plan).schemas.reversed(), options: options)
    }
}

extension PluginRegistry {
    /// Makes a database that Switchyard did not create, and whose tables already match a version, a store in
    /// place: the rows stay unchanged.
    ///
    /// The newest version that the tables match is adopted; opening the store with the plan then does the
    /// rest. Everything that makes it a store is written in one transaction, after the file of an SQLite
    /// database was copied.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - plan: The versions.
    ///   - options: Whether the store keeps a history, and the author.
    ///   - home: The home directory, for a path that begins with `~`.
    /// - Returns: What was found and done.
    /// - Throws: `notFound`; `notAStore` for anything but a database of this kind; `invalidArgument` for a
    ///   store; `schemaMismatch`, with all differences, if the tables match no version; `unique` if rows
    ///   violate a missing unique index; `unsupported` if the plugin cannot do it, and for scopes; the errors
    ///   of writing. The database is then unchanged.
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

    /// Compares a database that Switchyard did not create with the versions of a plan, and changes nothing.
    ///
    /// - Returns: The comparison, with the obstacles to making it a store. It does not check whether rows
    ///   violate a missing unique index.
    /// - Throws: As `adopt`, but for differences.
    /// - Complexity: Reads every row if the tables match a version.
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
        StoreError(.unsupported, "The backend \(scheme) cannot read databases that are not stores.")
    }
}
