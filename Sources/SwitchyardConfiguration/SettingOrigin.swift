internal import SwitchyardCore

/// Where the value of a setting came from.
public struct SettingOrigin: Sendable, Hashable, Codable {
    /// The kind of source.
    public var source: Source
    /// The flag or the argument, the environment variable, or the path of the file; nil for a default.
    public var name: String?
    /// The line in the file, counted from 1.
    public var line: Int?
    /// The key of the URL that contains the value; nil if it was given by itself.
    public var url: String?

    /// The kinds of sources, in order of precedence: an earlier one overrides a later one.
    public enum Source: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
        /// A flag on the command line.
        case flag
        /// An environment variable.
        case environment
        /// A file in the secrets directory.
        case secret
        /// The configuration file.
        case file
        /// The default of the app or the plugin.
        case `default`

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }

        /// Whether the left source overrides the right one.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }
    }

    /// Creates an origin.
    public init(_ source: Source, name: String? = nil, line: Int? = nil, url: String? = nil) {
        self.source = source
        self.name = name
        self.line = line
        self.url = url
    }
}

extension SettingOrigin: CustomStringConvertible {
    /// The origin in words, such as `environment variable SWITCHYARD_STORE_BACKEND`.
    public var description: String {
        let place = name ?? ""
        var text =
            switch source {
            case .flag: place.hasPrefix("-") ? "flag \(place)" : "argument \(place)"
            case .environment: "environment variable \(place)"
            case .secret: "secrets file \(place)"
            case .file: "file \(place)"
            case .default: "default"
            }
        if let line { text += ", line \(line)" }
        if let url { text += " (as part of \(url))" }
        return text
    }
}

extension StoreError {
    /// The same error, with the origin of the setting's value added unless no other value would have helped.
    func given(by origin: SettingOrigin) -> StoreError {
        guard code == .configuration else { return self }
        let text =
            message + (origin.source == .default ? " It is the default." : " It was given by the \(origin).")
        return StoreError(
            code, text, entity: entity, attribute: attribute, constraint: constraint, detail: detail,
            operation: operation, underlying: underlying)
    }
}
