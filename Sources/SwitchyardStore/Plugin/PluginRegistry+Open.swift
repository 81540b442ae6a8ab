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
