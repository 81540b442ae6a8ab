internal import SwitchyardCore

/// Lists each key of a configuration, its value and where the value came from, without revealing secrets.
public struct ConfigurationExplanation: Sendable, Hashable, Codable {
    /// The chosen backend.
    public let backend: String
    /// One entry per known key, in documented order, then one per variable that the backend's own client reads
    /// and that has no key.
    public let entries: [Entry]

    /// What is known about one key.
    public struct Entry: Sendable, Hashable, Codable {
        /// The full key; for a variable without a key, the variable's name.
        public let key: String
        /// The value, with passwords in it masked; `(hidden)` for a secret; nil if not set.
        public let value: String?
        /// Where the value came from; nil if not set.
        public let origin: SettingOrigin?
        /// Whether the value is a default.
        public let isDefault: Bool
        /// Whether the value is a secret, and so never shown.
        public let isSecret: Bool
        /// Whether the value has any effect; false for the settings of backends that were not chosen.
        public let isUsed: Bool
        /// The name of the environment variable that sets the key.
        public let variable: String
        /// What the setting does.
        public let summary: String
    }
}

extension ConfigurationExplanation: CustomStringConvertible {
    /// All keys as a table of key, value and source; for a key that is not set, the variable that would set it.
    public var description: String {
        let rows = entries.map { entry in
            guard let value = entry.value, let origin = entry.origin else {
                return [entry.key, "(not set)", "would be set by \(entry.variable)"]
            }
            return [entry.key, value, entry.isUsed ? origin.description : "\(origin) (not used)"]
        }
        let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let key = row[0] + String(repeating: " ", count: widths[0] - row[0].count)
            let value = row[1] + String(repeating: " ", count: widths[1] - row[1].count)
            return "\(key)  \(value)  \(row[2])"
        }.joined(separator: "\n")
    }
}

extension ConfigurationResolution {
    /// Explains a resolved configuration.
    ///
    /// - Parameters:
    ///   - plugin: The chosen plugin.
    ///   - settings: Its settings.
    /// - Returns: An entry for each key, and for each variable that the plugin's client reads by itself.
    func explanation(
        of plugin: any StorePlugin.Type, _ settings: StoreSettings
    ) -> ConfigurationExplanation {
        var entries = keys.all.map { key in
            let setting = found[key.name]
            return ConfigurationExplanation.Entry(
                key: key.name, value: setting?.value.description, origin: setting?.origin,
                isDefault: setting?.origin.source == .default, isSecret: key.setting.isSecret,
                isUsed: setting?.isUsed ?? false, variable: key.variable, summary: key.setting.summary)
        }
        for variable in plugin.clientVariables(beside: settings) {
            guard let text = environment[variable.name], !text.isEmpty else { continue }
            let key = variable.setting.map(plugin.key)
            let index = entries.firstIndex { $0.key == key }
            let declared = index.map { entries[$0] }
            let isSecret = variable.isSecret || declared?.isSecret == true
            let entry = ConfigurationExplanation.Entry(
                key: declared?.key ?? variable.name,
                value: SettingText(text, isSecret: isSecret).description,
                origin: SettingOrigin(.environment, name: variable.name), isDefault: false,
                isSecret: isSecret, isUsed: true, variable: declared?.variable ?? variable.name,
                summary: declared?.summary ?? "What the backend's own client reads by itself.")
            if let index { entries[index] = entry } else { entries.append(entry) }
        }
        return ConfigurationExplanation(backend: plugin.scheme, entries: entries)
    }
}
