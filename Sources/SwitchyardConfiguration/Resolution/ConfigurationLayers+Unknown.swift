internal import SwitchyardCore

extension ConfigurationLayers {
    /// Refuses unknown keys in the file, and source locations inside a source that they would have to locate.
    ///
    /// - Throws: `configuration`, naming the key, its place, and the known keys.
    func refuseUnknown(among keys: ConfigurationKeys) throws {
        if let file { try refuseUnknown(in: file, among: keys.all.map(\.name)) }
        if let secrets {
            for key in keys.sources {
                try refuse(key.name, within: secrets.values[key.fileName] != nil, "a secrets directory")
            }
        }
    }

    private func refuseUnknown(in file: ConfigurationFile, among known: [String]) throws {
        for entry in file.entries {
            let place = "in the file \(file.path), line \(entry.line)"
            let isGroup = known.contains { $0.hasPrefix(entry.key + ".") }
            guard known.contains(entry.key) else {
                if isGroup, entry.value == .emptyObject { continue }
                throw StoreError(
                    .configuration,
                    isGroup
                        ? "The key `\(entry.key)` \(place), holds other keys, not a value. "
                            + Spelling.advice(for: entry.key + ".", among: known, separator: ".")
                        : unknown(entry.key, place, among: known))
            }
            let what =
                switch entry.value {
                case .text: ""
                case .null: "null"
                case .list: "a list"
                case .emptyObject: "an object"
                }
            guard what.isEmpty else {
                throw StoreError(
                    .configuration,
                    "The key `\(entry.key)` \(place), is \(what). Give it one value, or leave it out.")
            }
        }
        try refuse(
            ConfigurationKeys.file, within: file.entries.contains { $0.key == ConfigurationKeys.file },
            "the configuration file itself")
    }

    private func unknown(_ key: String, _ place: String, among known: [String]) -> String {
        if let leaf = known.first(where: { key.hasPrefix($0 + ".") }) {
            return "The key `\(leaf)` \(place), is an object. Give it one value, or leave it out."
        }
        return "The key `\(key)` \(place), is not a known setting. "
            + Spelling.advice(for: key, among: known, separator: ".")
    }

    /// Refuses a source's location inside a source that is read only after it.
    private func refuse(_ key: String, within isThere: Bool, _ place: String) throws {
        guard isThere else { return }
        throw StoreError(
            .configuration,
            "The setting \(key) cannot be given in \(place), because it locates that source. Use a flag or "
                + "the environment."
        )
    }
}
