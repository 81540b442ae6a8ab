public import SwitchyardCore

/// The plugin for stores in memory, with the URL `memory:`.
///
/// Each call of `open` creates a new store.
///
/// ## Settings
/// - `busyTimeout`: How many seconds a write waits for the writes before it.
public enum MemoryPlugin: StorePlugin {
    /// `memory`.
    public static let scheme = "memory"
    /// How long a write waits.
    public static let settings = [
        SettingKey(
            "busyTimeout", .seconds(0...600), default: "5",
            summary: "How many seconds to wait while another write is running.")
    ]
    /// The capabilities that a store in memory lacks.
    public static let limitations: [StoreCapability: String] = [
        .durability: "The rows exist only in this process's memory.",
        .scopes: "A store in memory belongs to one process, so there is nothing to keep apart.",
    ]

    /// Checks that the URL is just `memory:`.
    ///
    /// - Throws: `configuration` if it is not.
    public static func settings(fromURL url: String) throws -> [String: String] {
        guard url == "memory:" || url == "memory://" else {
            throw StoreError(
                .configuration,
                "A store in memory has no location. Write its URL as `memory:`.")
        }
        return [:]
    }

    /// Creates an empty store.
    ///
    /// - Throws: `notFound` if creating a store is not allowed; `unsupported` for a scope.
    public static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        try requireNoScope(options)
        guard options.createsIfMissing else {
            throw StoreError(
                .notFound,
                "A store in memory is always new, so there is none to open. Allow it to be created.")
        }
        return MemoryStore(
            schema: schema, options: options, busyTimeout: .seconds(settings.seconds("busyTimeout") ?? 5))
    }
}
