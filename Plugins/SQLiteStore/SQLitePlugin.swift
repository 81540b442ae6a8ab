internal import Foundation
public import SwitchyardCore

/// The plugin of stores in an SQLite file: `sqlite:PATH`.
///
/// ## Settings
/// - `path`: The file. A missing file is created for this user only; its directory must exist. It is created as
///   `.NAME.new` in the same directory; a killed process may leave that file behind until the store is next opened for
///   writing.
/// - `busyTimeout`: How many seconds to wait for another write of this process, and then for one of another process.
/// - `readers`: How many reads can run concurrently, with each other and with a write. With 0 all transactions take
///   turns on one connection, which opens faster: for a process that does one thing and exits. If the store is opened
///   read-only, each read has a connection of its own, and at least one can always run.
/// - `synchronous`: `normal`, with which a write survives the end of the process, or `full`, with which it also
///   survives a loss of power.
/// - `suspension`: `observed`, with which `SQLiteStore.suspend()` and GRDB's `Database.suspendNotification` make the
///   store release its locks; or `ignored`, for a file outside of shared containers that may be
///   written while the app is about to be suspended.
public enum SQLitePlugin: StorePlugin {
    /// `sqlite`.
    public static let scheme = "sqlite"
    /// `sqlite3` is an alias.
    public static let schemeAliases = ["sqlite3"]
    /// The settings, as listed above.
    public static let settings = [
        SettingKey("path", .path, summary: "The file of the store; it is created if it is missing."),
        SettingKey(
            "busyTimeout", .seconds(0...600), default: "5",
            summary: "How many seconds to wait while another process is writing."),
        SettingKey(
            "readers", .integer(0...64), default: "5",
            summary:
                "The number of reads that run concurrently; 0 for a single connection."),
        SettingKey(
            "synchronous", .choice(["normal", "full"]), default: "normal",
            summary: "What a returned write survives: normal, the end of the process; full, a loss of power."),
        SettingKey(
            "suspension", .choice(["observed", "ignored"]), default: "observed",
            summary:
                "Whether writes stop while the app says that it is being suspended: observed or ignored."),
    ]

    /// The URL of a file, with its path in the shortest form.
    public static func location(of settings: StoreSettings) -> String {
        location(ofFile: settings.text("path") ?? "")
    }

    /// The location of the store in a file.
    package static func location(ofFile path: String) -> String {
        let path = URL(filePath: path).standardizedFileURL.path
        guard path.contains("?"),
            let escaped = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
        else { return "\(scheme):\(path)" }
        return "\(scheme)://\(escaped)"
    }

    /// The settings of a URL: `sqlite:PATH`, with a literal path, or `sqlite:///ABSOLUTE/PATH`, in which `%` escapes
    /// are resolved and other settings can follow a `?`.
    ///
    /// ```
    /// sqlite:/data/my babies.sqlite
    /// sqlite:///data/my%20babies.sqlite?busyTimeout=1&synchronous=full
    /// ```
    ///
    /// - Returns: The setting `path`, and those of the query.
    /// - Throws: `configuration` for a URL without a path, with a host, with a query after a literal path, or with
    ///   invalid escapes.
    public static func settings(fromURL url: String) throws -> [String: String] {
        try FileURL(scheme, schemeAliases, settings, of: "an SQLite store", "SQLite").settings(url)
    }

    /// Opens the store in a file, or creates it if it does not exist and the options allow it.
    ///
    /// - Returns: An `SQLiteStore`.
    /// - Throws: As `StorePlugin` says. A refused file is left unchanged, and so are its WAL and journal; SQLite may
    ///   create or rebuild the shared memory (`-shm`) beside a WAL.
    public static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        try await SQLiteStore.open(
            path: try path(of: settings), schema: schema, options: options,
            busyTimeout: try settings.requiredSeconds("busyTimeout"),
            readers: try settings.requiredInteger("readers"),
            isFullySynchronous: try settings.requiredText("synchronous") == "full",
            observesSuspension: try settings.requiredText("suspension") == "observed")
    }

    /// The path of the file.
    ///
    /// - Throws: `configuration` if the setting is not a path.
    static func path(of settings: StoreSettings) throws -> String {
        let path = try settings.requiredText("path")
        guard path != ":memory:", !path.utf8.contains(0) else {
            throw StoreError(
                .configuration,
                "The path of an SQLite store names a file; for a store in memory use `memory:`.")
        }
        return path
    }
}
