/// Makes the path in a setting independent of the current directory and the user.
package struct SettingPath {
    /// The home directory, if one is known.
    var home: String?
    /// The directory that relative paths start from; nil for the current directory.
    var base: String?

    /// Creates a resolver of paths.
    package init(home: String?, base: String? = nil) {
        self.home = home
        self.base = base
    }

    /// The value with `~` replaced and the base prepended, if the setting is a path; any other value unchanged.
    ///
    /// - Throws: `configuration` if the path begins with `~` and there is no home directory, or with `~name`.
    package func resolve(_ value: SettingText, of setting: SettingKey, key: String) throws -> SettingText {
        guard setting.kind == .path else { return value }
        return SettingText(try resolve(value.exposed, key: key), isSecret: value.isSecret)
    }

    /// The path with `~` replaced and the base prepended.
    ///
    /// - Throws: `configuration` if the path begins with `~` and there is no home directory, or with `~name`.
    func resolve(_ path: String, key: String) throws -> String {
        if path == "~" || path.hasPrefix("~/") {
            guard let home, home.hasPrefix("/") else {
                throw StoreError(
                    .configuration,
                    "The setting \(key) begins with `~`, but no home directory is known (HOME). Write the whole path."
                )
            }
            return home + path.dropFirst()
        }
        if path.hasPrefix("~") {
            throw StoreError(
                .configuration,
                "The setting \(key) begins with `~` and a name; only `~/` is read as a home directory. Write the "
                    + "whole path, or `./~…` for a file of that name.")
        }
        // A name such as `:memory:` is the backend's, not a file beside the configuration.
        guard let base, ![UInt8(ascii: "/"), UInt8(ascii: ":")].contains(path.utf8.first) else { return path }
        return base == "/" ? base + path : base + "/" + path
    }
}
