/// The settings of one store, checked against the plugin's `SettingKey`s before the plugin sees them.
///
/// Printing or dumping them shows no password.
public struct StoreSettings: Sendable {
    /// The plugin's scheme, for messages.
    public let scheme: String
    /// The given or default values, by name.
    private let values: [String: SettingText]

    /// Creates settings from values by name.
    ///
    /// - Parameters:
    ///   - values: The texts, by the names of the plugin's settings.
    ///   - plugin: The plugin.
    ///   - home: The home directory, for paths that begin with `~`.
    ///   - isFromURL: Whether the values are parts of a URL; no message then contains them.
    /// - Throws: `configuration` for an unknown name or a value that is not allowed, naming what is allowed, and for a
    ///   path with `~` if no home directory is known. The message never contains the value of a secret.
    public init(
        _ values: [String: String], for plugin: any StorePlugin.Type, home: String? = nil,
        isFromURL: Bool = false
    ) throws {
        var checked: [String: SettingText] = [:]
        for (name, text) in values.sorted(by: { $0.key < $1.key }) {
            let setting = try plugin.setting(name)
            let key = plugin.key(name)
            checked[name] = try SettingPath(home: home).resolve(
                setting.value(text, key: key, mayBeSecret: isFromURL), of: setting, key: key)
        }
        for setting in plugin.settings where checked[setting.name] == nil {
            guard let text = setting.defaultValue else { continue }
            let key = plugin.key(setting.name)
            checked[setting.name] = try SettingPath(home: home).resolve(
                setting.value(text, key: key), of: setting, key: key)
        }
        self.init(scheme: plugin.scheme, checked: checked)
    }

    /// Creates settings from values that have been checked.
    package init(scheme: String, checked: [String: SettingText]) {
        self.scheme = scheme
        values = checked
    }

    /// The text of a setting; nil if it was not given and has no default.
    public func text(_ name: String) -> String? { values[name]?.exposed }

    /// The text of a setting that is required or has a default.
    ///
    /// - Throws: `configuration`, naming the key.
    public func requiredText(_ name: String) throws -> String { try required(name, text(name)) }

    /// The whole number of a setting of kind `integer`.
    public func integer(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

    /// The whole number of a setting of kind `integer` that is required or has a default.
    ///
    /// - Throws: `configuration`, naming the key.
    public func requiredInteger(_ name: String) throws -> Int { try required(name, integer(name)) }

    /// The seconds of a setting of kind `seconds`.
    public func seconds(_ name: String) -> Double? { text(name).flatMap { Double($0) } }

    /// The seconds of a setting of kind `seconds` that is required or has a default.
    ///
    /// - Throws: `configuration`, naming the key.
    public func requiredSeconds(_ name: String) throws -> Double { try required(name, seconds(name)) }

    /// The value of a setting of kind `flag`; false if it was not given.
    public func flag(_ name: String) -> Bool { text(name) == "true" }

    private func required<Value>(_ name: String, _ value: Value?) throws -> Value {
        guard let value else {
            throw StoreError(
                .configuration, "The setting store.\(scheme).\(name) is missing; give it a value.")
        }
        return value
    }
}

extension StoreSettings: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme and the settings, with secrets and passwords hidden.
    public var description: String {
        let shown = values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "\(scheme)(\(shown.joined(separator: ", ")))"
    }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The children that a debugger or `dump` shows, without passwords.
    public var customMirror: Mirror {
        Mirror(self, children: ["scheme": scheme, "values": values], displayStyle: .struct)
    }
}
