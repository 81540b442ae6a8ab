/// Makes the path of a setting independent of where and by whom it was written.
package struct SettingPath {
    /// The home directory, if one is known.
    var home: String?
    /// The directory that a relative path begins at; nil for the current directory.
    var base: String?

    /// Takes the two directories.
    package init(home: String?, base: String? = nil) {
        self.home = home
        self.base = base
    }

    /// The value with `~` replaced and the base put before it, if the setting is a path; any other value as
    /// it is.
    ///
    /// - Throws: `configuration` if the path begins with `~` and there is no home directory, or with `~name`.
    package func resolve(_ value: SettingText, of setting: SettingKey, key: String) throws -> SettingText {
        guard setting.kind == .path else { return value }
        return SettingText(try resolve(value.exposed, key: key), isSecret: value.isSecret)
    }

    /// The path with `~` replaced and the base put before it.
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
        // A name such as `:memory:` is a word of the backend, not a file beside the configuration.
        guard let base, ![UInt8(ascii: "/"), UInt8(ascii: ":")].contains(path.utf8.first) else { return path }
        return base == "/" ? base + path : base + "/" + path
    }
}
