public import SwitchyardCore

/// The plugin of the backend: `newbackend:PATH`.
///
/// ## Settings
/// - `path`: Where the store is.
/// - `busyTimeout`: How many seconds a write waits for earlier writes.
public enum NewBackendPlugin: StorePlugin {
    /// `newbackend`.
    public static let scheme = "newbackend"
    /// The settings listed above.
    public static let settings = [
        SettingKey("path", .path, summary: "Where the store is."),
        SettingKey(
            "busyTimeout", .seconds(0...600), default: "5",
            summary: "How many seconds to wait while another write is running."),
    ]
    /// What the backend cannot do, each with the reason, which the suite shows instead of running a test.
    ///
    /// Leave this out if the backend can do everything.
    public static let limitations: [StoreCapability: String] = [:]

    /// The path in `newbackend:PATH`.
    ///
    /// `location(of:)` makes the store's URL from the setting `path`. A backend without a path implements it too.
    ///
    /// - Returns: The setting `path`.
    /// - Throws: `configuration` for a URL without a path.
    public static func settings(fromURL url: String) throws -> [String: String] {
        guard let colon = url.firstIndex(of: ":"), url.index(after: colon) < url.endIndex else {
            throw StoreError(
                .configuration, "The URL has no path. Write `newbackend:` followed by the path.")
        }
        return ["path": String(url[url.index(after: colon)...])]
    }

    /// Opens a store, and creates it if it does not exist and the options allow it.
    ///
    /// - Throws: As `StorePlugin` says. A store that is refused is left unchanged.
    public static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        try await NewBackendStore(
            path: try settings.requiredText("path"), schema: schema, options: options,
            busyTimeout: .seconds(try settings.requiredSeconds("busyTimeout")))
    }
}

extension StoreError {
    /// The error of a function that is not written yet.
    static func notWritten(_ function: String = #function) -> StoreError {
        StoreError(.unsupported, "\(function) is not written yet.")
    }
}
