public import SwitchyardCore

/// The plugin of stores in memory, with the URL `memory:`.
///
/// Each opening makes a store of its own.
///
/// ## Settings
/// - `busyTimeout`: How many seconds a write waits for those before it.
public enum MemoryPlugin: StorePlugin {
    /// `memory`.
    public static let scheme = "memory"
    /// How long a write waits.
    public static let settings = [
        SettingKey(
            "busyTimeout", .seconds(0...600), default: "5",
            summary: "How many seconds to wait while another write is running.")
    ]
    /// What a place in memory cannot do.
    public static let limitations: [StoreCapability: String] = [
        .durability: "The rows are in this process's memory alone.",
        .scopes: "A store in memory is nobody else's, and so has no rows to keep apart.",
    ]

    /// Checks that the URL says nothing more than `memory:`.
    ///
    /// - Throws: `configuration` if it does.
    public static func settings(fromURL url: String) throws -> [String: String] {
        guard url == "memory:" || url == "memory://" else {
            throw StoreError(
                .configuration,
                "A store in memory has no place; its URL is `memory:` and nothing more.")
        }
        return [:]
    }

    /// Makes an empty store.
    ///
    /// - Throws: `notFound` if making one is not allowed; `unsupported` for a scope.
    public static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        try requireNoScope(options)
        guard options.createsIfMissing else {
            throw StoreError(
                .notFound,
                "A store in memory is always a new one, and there is none to open; allow making it.")
        }
        return MemoryStore(
            schema: schema, options: options, busyTimeout: .seconds(settings.seconds("busyTimeout") ?? 5))
    }
}
