/// Each key of a configuration, its value, and where that came from, without any secret.
public struct ConfigurationExplanation: Sendable, Hashable, Codable {
    /// The chosen backend.
    public let backend: String
    /// One entry for each key that could have been given, in the order in which the keys are documented.
    public let entries: [Entry]

    /// What is known of one key.
    public struct Entry: Sendable, Hashable, Codable {
        /// The whole key.
        public let key: String
        /// The value with its passwords masked; `(hidden)` for a secret; nil if there is none.
        public let value: String?
        /// Where the value came from; nil if there is none.
        public let origin: SettingOrigin?
        /// Whether the value is a default.
        public let isDefault: Bool
        /// Whether the value is never shown.
        public let isSecret: Bool
        /// Whether anything depends on the value; false for the settings of a backend that is not chosen.
        public let isUsed: Bool
        /// The name of the environment variable that sets the key.
        public let variable: String
        /// What the setting does.
        public let summary: String
    }
}

extension ConfigurationExplanation: CustomStringConvertible {
    /// The keys that have a value, as a table: key, value, source.
    public var description: String {
        let rows = entries.compactMap { entry -> [String]? in
            guard let value = entry.value, let origin = entry.origin else { return nil }
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
    /// Explains what was found.
    func explanation(backend: String) -> ConfigurationExplanation {
        let entries = keys.all.map { key in
            let setting = found[key.name]
            return ConfigurationExplanation.Entry(
                key: key.name, value: setting?.value.description, origin: setting?.origin,
                isDefault: setting?.origin.source == .default, isSecret: key.setting.isSecret,
                isUsed: setting?.isUsed ?? false, variable: key.variable, summary: key.setting.summary)
        }
        return ConfigurationExplanation(backend: backend, entries: entries)
    }
}
