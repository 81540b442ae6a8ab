/// One setting that a plugin or an app reads.
public struct SettingKey: Sendable, Hashable {
    /// The name: for a plugin's setting the part below `store.<scheme>.`, such as `path`; for an app's setting the
    /// whole key, such as `profile` or `app.groups.root`.
    ///
    /// Parts are separated by points. A part starts with a letter, followed by letters, digits, `_` and `-`.
    public let name: String
    /// The values that are allowed.
    public let kind: Kind
    /// The default value, if any.
    public let defaultValue: String?
    /// Whether the value must never be shown.
    public let isSecret: Bool
    /// What the setting does, in a sentence.
    public let summary: String

    /// The values that a setting allows.
    public enum Kind: Sendable, Hashable {
        /// Any text that is not empty.
        case text
        /// The path of a file or directory; `~` is the home directory.
        case path
        /// The name or address of a server, or several separated by commas, without a user, a password or a scheme; or
        /// the directory or the abstract name of a socket.
        ///
        /// A refused value is not shown, because it may be a URL with a password in it.
        case host
        /// A whole number in a range.
        case integer(ClosedRange<Int>)
        /// A time in seconds, in a range.
        case seconds(ClosedRange<Double>)
        /// `true` or `false`; also `yes`, `on`, `1` and `no`, `off`, `0`, in upper or lower case.
        case flag
        /// One of a few words.
        case choice([String])
    }

    /// Creates a setting.
    public init(
        _ name: String, _ kind: Kind, default defaultValue: String? = nil, isSecret: Bool = false,
        summary: String
    ) {
        self.name = name
        self.kind = kind
        self.defaultValue = defaultValue
        self.isSecret = isSecret
        self.summary = summary
    }
}
