public import SwitchyardCore

/// The plugin of stores in a directory of JSON files: `jsondir:PATH`.
///
/// It is meant to be read and copied: a small backend that keeps the whole contract. A commit writes anew the
/// file of each entity that it changed, so it suits a few thousand rows, not a million.
///
/// ## Settings
/// - `path`: The directory. A missing one is made, with those above it, for this user alone.
/// - `busyTimeout`: How many seconds a write waits for those before it.
public enum JSONDirectoryPlugin: StorePlugin {
    /// `jsondir`.
    public static let scheme = "jsondir"
    /// The settings, as listed above.
    public static let settings = [
        SettingKey(
            "path", .path, summary: "The directory that holds the store; it is made if it is missing."),
        SettingKey(
            "busyTimeout", .seconds(0...600), default: "5",
            summary: "How many seconds to wait while another write is running."),
    ]
    /// What a directory of files cannot do: keep the rows of several households apart.
    ///
    /// A backend that lacks a capability names it here with the reason; the suite then shows the reason.
    public static let limitations: [StoreCapability: String] = [
        .scopes: "A directory holds the rows of one household; make one for each."
    ]

    /// The path in `jsondir:PATH`, taken as it is written.
    ///
    /// - Returns: The setting `path`.
    /// - Throws: `configuration` for a URL without a path.
    public static func settings(fromURL url: String) throws -> [String: String] {
        guard let colon = url.firstIndex(of: ":"), url.index(after: colon) < url.endIndex else {
            throw StoreError(
                .configuration,
                "The URL names no directory: write `jsondir:` and the path of the store's directory.")
        }
        return ["path": String(url[url.index(after: colon)...])]
    }

    /// Opens the store of a directory, and makes it if there is none and the options allow it.
    ///
    /// - Throws: As `StorePlugin` says. A directory that is refused is left as it was.
    public static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        try requireNoScope(options)
        let path = try settings.requiredText("path")
        return try await SnapshotStore.open(
            schema: schema, options: options, backend: scheme, location: path,
            busyTimeout: .seconds(try settings.requiredSeconds("busyTimeout"))
        ) { try JSONDirectory(path, schema: schema, options: options) }
    }
}
