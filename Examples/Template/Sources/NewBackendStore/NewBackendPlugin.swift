public import SwitchyardCore

/// The plugin of the backend: `newbackend:PLACE`.
///
/// ## Settings
/// - `place`: Where the store is.
/// - `busyTimeout`: How many seconds a write waits for earlier writes.
public enum NewBackendPlugin: StorePlugin {
    /// `newbackend`.
    public static let scheme = "newbackend"
    /// The settings listed above.
    public static let settings = [
        SettingKey("place", .text, summary: "Where the store is."),
        SettingKey(
            "busyTimeout", .seconds(0...600), default: "5",
            summary: "How many seconds to wait while another write is running."),
    ]
    /// What the backend cannot do, each with the reason, which the suite shows instead of running a test.
    ///
    /// Leave this out if the backend can do everything.
    public static let limitations: [StoreCapability: String] = [:]

    /// The place in `newbackend:PLACE`.
    ///
    /// - Returns: The setting `place`.
    /// - Throws: `configuration` for a URL without a place.
    public static func settings(fromURL url: String) throws -> [String: String] {
        guard let colon = url.firstIndex(of: ":"), url.index(after: colon) < url.endIndex else {
            throw StoreError(
                .configuration, "The URL has no place. Write `newbackend:` followed by the place.")
        }
        return ["place": String(url[url.index(after: colon)...])]
    }

    /// Opens a store, and creates it if it does not exist and the options allow it.
    ///
    /// - Throws: As `StorePlugin` says. A store that is refused is left unchanged.
    public static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        try await NewBackendStore(
            place: try settings.requiredText("place"), schema: schema, options: options,
            busyTimeout: .seconds(try settings.requiredSeconds("busyTimeout")))
    }
}

extension StoreError {
    /// The error of a function that is not written yet.
    static func notWritten(_ function: String = #function) -> StoreError {
        StoreError(.unsupported, "\(function) is not written yet.")
    }
}
