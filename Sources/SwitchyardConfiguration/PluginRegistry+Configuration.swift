public import SwitchyardCore

extension PluginRegistry {
    /// Opens the store that a configuration chooses.
    ///
    /// - Throws: `configuration` if the configuration's backend is not in this registry, `schemaInvalid`, and
    ///   what the plugin's `open` throws.
    public func open(
        _ configuration: StoreConfiguration, schema: Schema, options: OpenOptions = OpenOptions()
    ) async throws -> any Store {
        try await plugin(configuration.backend).open(configuration.settings, schema: schema, options: options)
    }

    /// Opens the store that a configuration chooses.
    ///
    /// - Throws: As with a `Schema`.
    public func open(
        _ configuration: StoreConfiguration, schema: any VersionedSchema.Type,
        options: OpenOptions = OpenOptions()
    ) async throws -> any Store {
        try await open(configuration, schema: schema.schema, options: options)
    }
}
