public import SwitchyardCore

/// The plugin of stores in a directory of JSON files: `jsondir:PATH`.
///
/// It is meant to be read and copied: a small backend that fulfils the whole contract. A commit rewrites the file of
/// each entity that it changes, so it suits a few thousand rows, not a million.
///
/// ## Settings
/// - `path`: The directory. If it is missing, it is created with its parents, readable by this user only.
/// - `busyTimeout`: How many seconds a write waits for earlier writes.
public enum JSONDirectoryPlugin: StorePlugin {
    /// `jsondir`.
    public static let scheme = "jsondir"
    /// The settings listed above.
    public static let settings = [
        SettingKey(
            "path", .path, summary: "The directory that holds the store; it is created if it is missing."),
        SettingKey(
            "busyTimeout", .seconds(0...600), default: "5",
            summary: "How many seconds to wait while another write is running."),
    ]
    /// What a directory of files cannot do: separate the rows of several households.
    ///
    /// A backend that lacks a capability lists it here with the reason, which the suite then shows.
    public static let limitations: [StoreCapability: String] = [
        .scopes: "A directory holds the rows of one household; make one for each."
    ]

    /// The path in `jsondir:PATH`, taken literally.
    ///
    /// - Returns: The setting `path`.
    /// - Throws: `configuration` for a URL without a path.
    public static func settings(fromURL url: String) throws -> [String: String] {
        guard let colon = url.firstIndex(of: ":"), url.index(after: colon) < url.endIndex else {
            throw StoreError(
                .configuration,
                "The URL has no path. Write `jsondir:` followed by the path of the store's directory.")
        }
        return ["path": String(url[url.index(after: colon)...])]
    }

    /// Opens the store of a directory, and creates it if it does not exist and the options allow it.
    ///
    /// - Throws: As `StorePlugin` says. A directory that is refused is left unchanged.
    public static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        try requireNoScope(options)
        let path = try settings.requiredText("path")
        return try await KeyedStore.open(
            schema: schema, options: options, backend: scheme, location: path,
            busyTimeout: .seconds(try settings.requiredSeconds("busyTimeout"))
        ) { try JSONDirectory(path, schema: schema, options: options) }
    }
}
