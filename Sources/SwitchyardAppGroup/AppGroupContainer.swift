internal import Foundation
internal import SwitchyardCore

/// The directory that an app, its widgets and its commands share.
///
/// On Apple systems this is the app group's container. Elsewhere, and wherever a root is configured, it is a
/// folder named after the group below the root, by default `app-groups` in the user's data directory
/// (`XDG_DATA_HOME`, or else `~/.local/share`), accessible to the user only.
public struct AppGroupContainer: Sendable, Hashable {
    /// The app group.
    public let identifier: String
    /// The path of the directory.
    public let path: String

    /// Locates the directory without creating it.
    ///
    /// - Parameters:
    ///   - identifier: The app group, such as `group.example.app`.
    ///   - root: The directory with one folder per group; nil for the system's default.
    ///   - environment: The environment, for `XDG_DATA_HOME` and `HOME`.
    /// - Throws: `configuration` if the identifier cannot name a folder, the system does not know the group, or
    ///   the data directory cannot be determined.
    public init(_ identifier: String, root: String?, environment: [String: String]) throws {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_".utf8)
        guard !identifier.isEmpty, !identifier.hasPrefix("."), identifier.utf8.allSatisfy(allowed.contains)
        else {
            throw StoreError(
                .configuration,
                "The app group `\(identifier)` cannot be used. An identifier may have only letters, digits, `.`, `-` and `_`."
            )
        }
        self.identifier = identifier
        if let root {
            path = root.hasSuffix("/") ? root + identifier : root + "/" + identifier
            return
        }
        #if canImport(Darwin)
            let url = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: identifier)
            guard let url else {
                throw StoreError(
                    .configuration,
                    "The system has no app group `\(identifier)` for this program. Add it to the entitlements, or set "
                        + "app.groups.root.")
            }
            path = url.path(percentEncoded: false)
        #else
            path = try Self.dataDirectory(environment) + "/app-groups/" + identifier
        #endif
    }

    /// The path of a file in the directory.
    public func path(of file: String) -> String { path.hasSuffix("/") ? path + file : path + "/" + file }

    /// Creates the directory if it does not exist, accessible to its owner only.
    ///
    /// - Throws: `inputOutput`, `full` or `readOnly` if it cannot be created, `configuration` if it exists and
    ///   other users can access it.
    public func create() throws {
        try PrivateDirectory.create(path)
        #if !canImport(Darwin)
            try refuseOpenDirectory()
        #endif
    }

    private func refuseOpenDirectory() throws {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return }
        throw StoreError(
            .configuration,
            "The app group's directory \(path) is accessible to users other than its owner (mode "
                + "\(String(status.st_mode & 0o777, radix: 8))). Run `chmod 700 \(path)`.")
    }

    /// The user's data directory, by the XDG Base Directory Specification 0.8.
    private static func dataDirectory(_ environment: [String: String]) throws -> String {
        if let data = environment["XDG_DATA_HOME"], !data.isEmpty {
            // The specification says to ignore a relative path. The data would then be in an unexpected
            // place.
            guard data.hasPrefix("/") else {
                throw StoreError(
                    .configuration,
                    "The environment variable XDG_DATA_HOME is not an absolute path. Correct or unset it, or set "
                        + "app.groups.root.")
            }
            return data
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw StoreError(
                .configuration,
                "No data directory is known: neither XDG_DATA_HOME nor HOME is an absolute path. Set app.groups.root."
            )
        }
        return home + "/.local/share"
    }
}
