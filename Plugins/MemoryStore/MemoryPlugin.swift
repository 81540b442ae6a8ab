public import SwitchyardCore

/// The plugin of stores in memory: `memory:`. Each opening makes a store of its own.
///
/// It has no settings.
public enum MemoryPlugin: StorePlugin {
    public static let scheme = "memory"
    public static let settings: [SettingKey] = []
    public static let limitations: [StoreCapability: String] = [
        .durability: "The rows are in this process's memory alone.",
        .severalProcesses: "Another process cannot see this one's memory.",
        .severalConnections: "Each opening of memory: makes a new, empty store; share the opened one.",
    ]

    public static func settings(fromURL url: String) throws -> [String: String] {
        guard url == "memory:" || url == "memory://" else {
            throw StoreError(
                .configuration,
                "A store in memory has no place and no settings; its URL is `memory:` and nothing more.")
        }
        return [:]
    }

    public static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        guard options.createsIfMissing else {
            throw StoreError(
                .notAStore, "A store in memory is always a new one, and making one was not allowed.")
        }
        return MemoryStore(schema: schema, access: options.access)
    }
}
