/// An environment variable that a backend's own client reads by itself, without being told.
///
/// It acts where no setting says otherwise, so the explanation of a configuration shows it.
public struct ClientVariable: Sendable, Hashable {
    /// The variable, such as `PGPORT`.
    public let name: String
    /// The name of the plugin's setting that means the same; nil if there is none.
    public let setting: String?
    /// Whether the value must never be shown.
    public let isSecret: Bool

    /// Describes a variable.
    public init(_ name: String, setting: String? = nil, isSecret: Bool = false) {
        self.name = name
        self.setting = setting
        self.isSecret = isSecret
    }
}
