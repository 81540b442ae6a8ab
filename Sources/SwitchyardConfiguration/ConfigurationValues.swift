internal import SwitchyardCore

/// The values of an app's own settings, by key.
///
/// Printing or dumping it reveals no password.
public struct ConfigurationValues: Sendable {
    private let values: [String: SettingText]

    /// Takes values that have been checked.
    init(_ values: [String: SettingText]) {
        self.values = values
    }

    /// The text of a setting; nil if it was not given and has no default.
    public func text(_ key: String) -> String? { values[key]?.exposed }

    /// The text of a required setting.
    ///
    /// - Throws: `configuration`, naming the key.
    public func requiredText(_ key: String) throws -> String {
        guard let text = text(key) else {
            throw StoreError(.configuration, "The setting \(key) is missing; give it a value.")
        }
        return text
    }

    /// The value of a setting of kind `integer`.
    public func integer(_ key: String) -> Int? { text(key).flatMap { Int($0) } }

    /// The value of a setting of kind `seconds`.
    public func seconds(_ key: String) -> Double? { text(key).flatMap { Double($0) } }

    /// The value of a setting of kind `flag`; false if it was not given.
    public func flag(_ key: String) -> Bool { text(key) == "true" }
}

extension ConfigurationValues: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The keys and values, with secrets and passwords hidden.
    public var description: String {
        values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Contains no password, since debuggers and `dump` show it.
    public var customMirror: Mirror { Mirror(self, children: ["values": values], displayStyle: .struct) }
}
