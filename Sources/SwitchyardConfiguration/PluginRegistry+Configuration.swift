public import SwitchyardCore

extension PluginRegistry {
    /// Opens the store that a configuration selects.
    ///
    /// - Throws: `configuration` if the backend is not in this registry, `schemaInvalid`, and anything that the
    ///   plugin's `open` throws.
    public func open(
        _ configuration: StoreConfiguration, schema: Schema, options: OpenOptions = OpenOptions()
    ) async throws -> any Store {
        try await plugin(configuration.backend).open(configuration.settings, schema: schema, options: options)
    }

    /// Opens the store that a configuration selects, in the newest version of a plan, after the stages that it lacks.
    ///
    /// - Throws: As with a `Schema`, and as with a URL and a plan.
    public func open(
        _ configuration: StoreConfiguration, migrating plan: any SchemaMigrationPlan.Type,
        options: OpenOptions = OpenOptions(), status: @Sendable (MigrationStatus) -> Void = { _ in }
    ) async throws -> any Store {
        try await MigrationPlan.open(plan, options, status: status) { schema, options in
            try await open(configuration, schema: schema, options: options)
        }
    }

    /// Works out what opening the store that a configuration selects by a plan would do, and changes nothing.
    ///
    /// - Throws: As opening it, as far as its rows do not matter.
    public func preview(
        _ configuration: StoreConfiguration, migrating plan: any SchemaMigrationPlan.Type,
        options: OpenOptions = OpenOptions()
    ) async throws -> MigrationPreview {
        try await MigrationPlan(plan).preview(options) { schema, options in
            try await open(configuration, schema: schema, options: options)
        }
    }

    /// Makes the database that a configuration selects a store in place; with read-only options, it is only
    /// compared with the versions of the plan.
    ///
    /// - Throws: As with a URL; a comparison throws no differences.
    public func adopt(
        _ configuration: StoreConfiguration, as plan: any SchemaMigrationPlan.Type,
        options: OpenOptions = OpenOptions()
    ) async throws -> InPlaceAdoption {
        try await adopt(
            configuration.settings, of: plugin(configuration.backend), as: plan, options: options)
    }

    /// Opens the store that a configuration selects.
    ///
    /// - Throws: As with a `Schema`.
    public func open(
        _ configuration: StoreConfiguration, schema: any VersionedSchema.Type,
        options: OpenOptions = OpenOptions()
    ) async throws -> any Store {
        try await open(configuration, schema: schema.schema, options: options)
    }
}

extension StorePlace {
    /// The place that a configuration selects, whose store is in the newest version of a plan once it is opened.
    ///
    /// - Throws: `schemaInvalid` for a plan that is wrong.
    public init(
        _ configuration: StoreConfiguration, registry: PluginRegistry,
        migrating plan: any SchemaMigrationPlan.Type
    ) throws {
        let plan = try MigrationPlan(plan)
        self.init(configuration.location) { options in
            try await plan.open(options, status: { _ in }) { schema, options in
                try await registry.open(configuration, schema: schema, options: options)
            }
        }
    }

    /// The place that a configuration selects.
    public init(_ configuration: StoreConfiguration, registry: PluginRegistry, schema: Schema) {
        self.init(configuration.location) { options in
            try await registry.open(configuration, schema: schema, options: options)
        }
    }
}
