/// An environment variable that a backend's own client library reads by itself.
///
/// It takes effect where no setting overrides it, so the explanation of a configuration shows it.
public struct ClientVariable: Sendable, Hashable {
    /// The variable, such as `PGPORT`.
    public let name: String
    /// The name of the equivalent setting of the plugin, if any.
    public let setting: String?
    /// Whether the value must never be shown.
    public let isSecret: Bool

    /// Creates a variable.
    public init(_ name: String, setting: String? = nil, isSecret: Bool = false) {
        self.name = name
        self.setting = setting
        self.isSecret = isSecret
    }
}
