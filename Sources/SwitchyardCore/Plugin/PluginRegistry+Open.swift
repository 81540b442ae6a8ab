extension PluginRegistry {
    /// Opens the store that a URL names, such as `sqlite:/data/a.sqlite`, `postgres://user@host/db` or
    /// `memory:`.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - schema: The schema that the app declares.
    ///   - options: How the store is opened, such as whether it may be written or created.
    ///   - home: The home directory, for a path that begins with `~`.
    /// - Returns: The open store.
    /// - Throws: `configuration` if no plugin supports the URL, `schemaInvalid`, and what the plugin's `open`
    ///   throws.
    public func open(
        url: String, schema: Schema, options: OpenOptions = OpenOptions(), home: String? = nil
    ) async throws -> any Store {
        let plugin = try plugin(forURL: url)
        let settings = try StoreSettings(
            plugin.checkedSettings(fromURL: url), for: plugin, home: home, isFromURL: true)
        return try await plugin.open(settings, schema: schema, options: options)
    }

    /// Opens the store that a URL names, in the newest version of a plan, after the stages that it lacks.
    ///
    /// ```swift
    /// let store = try await registry.open(url: "sqlite:/data/meals.sqlite", migrating: MealPlan.self)
    /// ```
    ///
    /// Each stage is one transaction, so that the store is of one version or of the next, whatever happens in between. Of
    /// several processes one carries them out, and the others wait for it. A new store has the newest version.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - plan: The versions, and the stages between them.
    ///   - options: How the store is opened. One that is opened read-only is not changed.
    ///   - home: The home directory, for a path that begins with `~`.
    ///   - status: Is told how far the migration has come.
    /// - Returns: The open store.
    /// - Throws: As the overload that takes a `Schema`; `schemaInvalid` for a plan that is wrong, which a release build
    ///   only looks at if the store lacks a stage; `schemaMismatch`, with the differences, for a store of a version that
    ///   is not in the plan; `unique`, `notNull`, `check` or `foreignKey` if the rows do not fit the next version, after
    ///   which the store is as it was before that stage.
    public func open(
        url: String, migrating plan: any SchemaMigrationPlan.Type, options: OpenOptions = OpenOptions(),
        home: String? = nil, status: @Sendable (MigrationStatus) -> Void = { _ in }
    ) async throws -> any Store {
        try await MigrationPlan.open(plan, options, status: status) { schema, options in
            try await open(url: url, schema: schema, options: options, home: home)
        }
    }

    /// Works out what opening a store by a plan would do, and changes nothing.
    ///
    /// - Parameters:
    ///   - url: The URL of a store that exists.
    ///   - plan: The versions, and the stages between them.
    ///   - options: How the store is opened; in any case read-only.
    ///   - home: The home directory, for a path that begins with `~`.
    /// - Returns: The stages that the store lacks, with the number of rows that each table has.
    /// - Throws: As opening it, as far as the rows do not matter.
    public func preview(
        url: String, migrating plan: any SchemaMigrationPlan.Type, options: OpenOptions = OpenOptions(),
        home: String? = nil
    ) async throws -> MigrationPreview {
        try await MigrationPlan(plan).preview(options) { schema, options in
            try await open(url: url, schema: schema, options: options, home: home)
        }
    }

    /// Opens the store that a URL names.
    ///
    /// - Throws: As the overload that takes a `Schema`.
    public func open(
        url: String, schema: any VersionedSchema.Type, options: OpenOptions = OpenOptions(),
        home: String? = nil
    ) async throws -> any Store {
        try await open(url: url, schema: schema.schema, options: options, home: home)
    }
}

extension StorePlugin {
    /// The settings in a URL.
    ///
    /// If the plugin refuses the URL, the error contains no password.
    package static func checkedSettings(fromURL url: String) throws -> [String: String] {
        do {
            return try settings(fromURL: url)
        } catch let error as StoreError {
            throw StoreError(
                error.code, error.message.replacingBytes(of: url, with: Redaction.redact(url)),
                entity: error.entity,
                attribute: error.attribute)
        }
    }
}
