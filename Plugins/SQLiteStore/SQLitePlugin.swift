public import SwitchyardCore

/// The plugin of stores in an SQLite file: `sqlite:PATH`.
///
/// ## Settings
/// - `path`: The file. A missing one is made, with the directories above it, for this user alone.
/// - `busyTimeout`: How many seconds to wait for another write of this process, and then for another
///   process's.
/// - `readers`: How many reads can run beside each other.
/// - `synchronous`: `normal`, where a write survives the end of the process, or `full`, where it survives a
///   loss of power.
public enum SQLitePlugin: StorePlugin {
    /// `sqlite`.
    public static let scheme = "sqlite"
    /// `sqlite3` means the same.
    public static let schemeAliases = ["sqlite3"]
    /// The settings, as listed above.
    public static let settings = [
        SettingKey("path", .path, summary: "The file that holds the store; it is made if it is missing."),
        SettingKey(
            "busyTimeout", .seconds(0...600), default: "5",
            summary: "How many seconds to wait while another process is writing."),
        SettingKey(
            "readers", .integer(1...64), default: "5", summary: "How many reads can run beside each other."),
        SettingKey(
            "synchronous", .choice(["normal", "full"]), default: "normal",
            summary: "What a returned write survives: normal, the end of the process; full, a loss of power."),
    ]

    /// The path in `sqlite:PATH` or `sqlite:///ABSOLUTE/PATH`, taken as it is written.
    ///
    /// - Returns: The setting `path`.
    /// - Throws: `configuration` for a URL without a path, or with a host.
    public static func settings(fromURL url: String) throws -> [String: String] {
        guard let colon = url.firstIndex(of: ":"), [scheme, "sqlite3"].contains(url[..<colon].lowercased())
        else {
            throw StoreError(
                .configuration, "The URL of an SQLite store is `sqlite:` and the path of its file.")
        }
        var path = String(url[url.index(after: colon)...])
        if path.hasPrefix("//") {
            // sqlite:///data/a.sqlite has no host between the second and the third slash.
            guard path.hasPrefix("///") else {
                throw StoreError(
                    .configuration,
                    "An SQLite store is a file of this machine, so its URL has no host: write `sqlite:PATH` or "
                        + "`sqlite:///ABSOLUTE/PATH`.")
            }
            path.removeFirst(2)
        }
        guard !path.isEmpty else {
            throw StoreError(
                .configuration, "The URL names no file: write `sqlite:` and the path of the store's file.")
        }
        return ["path": path]
    }

    /// Opens the store of a file, and makes it if there is none and the options allow it.
    ///
    /// - Returns: An `SQLiteStore`.
    /// - Throws: As `StorePlugin` says. A file that is refused is left as it was.
    public static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        try await SQLiteStore.open(
            path: try settings.requiredText("path"), schema: schema, options: options,
            busyTimeout: try settings.requiredSeconds("busyTimeout"),
            readers: try settings.requiredInteger("readers"),
            isFullySynchronous: try settings.requiredText("synchronous") == "full")
    }
}
