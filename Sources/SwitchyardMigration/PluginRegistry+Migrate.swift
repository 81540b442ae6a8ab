extension PluginRegistry {
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
}
