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
    /// The place that a configuration selects.
    public init(_ configuration: StoreConfiguration, registry: PluginRegistry, schema: Schema) {
        self.init(configuration.location) { options in
            try await registry.open(configuration, schema: schema, options: options)
        }
    }
}
