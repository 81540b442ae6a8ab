extension PluginRegistry {
    /// Opens the store that a URL names, such as `sqlite:/data/a.sqlite`, `postgres://user@host/db` or
    /// `memory:`.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - schema: The schema that the app declares.
    ///   - options: Whether the store may be written, and made.
    ///   - home: The home directory, for a path that begins with `~`.
    /// - Returns: The open store.
    /// - Throws: `configuration` if no plugin knows the URL, `schemaInvalid`, and what the plugin's `open`
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
    /// - Throws: As with a `Schema`.
    public func open(
        url: String, schema: any VersionedSchema.Type, options: OpenOptions = OpenOptions(),
        home: String? = nil
    ) async throws -> any Store {
        try await open(url: url, schema: schema.schema, options: options, home: home)
    }
}

extension StorePlugin {
    /// The settings that a URL stands for; if the plugin finds fault with it, an error that holds no
    /// password.
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
