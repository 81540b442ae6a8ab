/// The settings of one store, checked against the plugin's `SettingKey`s before the plugin sees them.
public struct StoreSettings: Sendable {
    /// The plugin's scheme, for messages.
    public let scheme: String
    /// The values that were given, or the defaults, as text, by name.
    private let values: [String: String]

    /// Takes values by name.
    ///
    /// - Throws: `configuration` for a name that the plugin does not have or a value that its kind does not allow, naming what is
    ///   allowed. The value of a secret is never in the message.
    public init(_ values: [String: String], for plugin: any StorePlugin.Type) throws {
        scheme = plugin.scheme
        var checked: [String: String] = [:]
        for (name, value) in values {
            guard let key = plugin.settings.first(where: { $0.name == name }) else {
                let known = plugin.settings.map(\.name).joined(separator: ", ")
                throw StoreError(
                    .configuration, "There is no setting store.\(plugin.scheme).\(name); there are: \(known).")
            }
            try key.check(value, scheme: plugin.scheme)
            checked[name] = value
        }
        for key in plugin.settings where checked[key.name] == nil {
            checked[key.name] = key.defaultValue
        }
        self.values = checked
    }

    /// The text of a setting; nil if it was not given and has no default.
    public func text(_ name: String) -> String? { values[name] }

    /// The text of a setting that must be given.
    ///
    /// - Throws: `configuration`, naming the key.
    public func requiredText(_ name: String) throws -> String {
        guard let value = values[name] else {
            throw StoreError(
                .configuration, "The setting store.\(scheme).\(name) is missing; give it a value.")
        }
        return value
    }

    /// The whole number of a setting of kind `integer`.
    public func integer(_ name: String) -> Int? { values[name].flatMap { Int($0) } }

    /// The seconds of a setting of kind `seconds`.
    public func seconds(_ name: String) -> Double? { values[name].flatMap { Double($0) } }

    /// The truth of a setting of kind `flag`; false if it was not given.
    public func flag(_ name: String) -> Bool { values[name] == "true" }
}

extension SettingKey {
    /// Checks a value given for this key.
    ///
    /// - Throws: `configuration`, naming the key and what is allowed.
    public func check(_ value: String, scheme: String) throws {
        let allowed: String? =
            switch kind {
            case .text: value.isEmpty ? "text that is not empty" : nil
            case .path: value.isEmpty ? "the path of a file" : nil
            case .integer(let range):
                Int(value).map(range.contains) == true
                    ? nil : "a whole number from \(range.lowerBound) to \(range.upperBound)"
            case .seconds(let range):
                Double(value).map(range.contains) == true
                    ? nil : "a number of seconds from \(range.lowerBound) to \(range.upperBound)"
            case .flag: value == "true" || value == "false" ? nil : "true or false"
            case .choice(let words): words.contains(value) ? nil : "one of \(words.joined(separator: ", "))"
            }
        guard let allowed else { return }
        let shown = isSecret ? "the given value" : "`\(value)`"
        throw StoreError(
            .configuration, "The setting store.\(scheme).\(name) cannot be \(shown); it takes \(allowed).")
    }
}
