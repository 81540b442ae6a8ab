/// The version of a schema: three numbers, compared from the left.
public struct SchemaVersion: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The first number.
    public let major: Int
    /// The second number.
    public let minor: Int
    /// The third number.
    public let patch: Int

    /// Creates a version.
    public init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Whether the first comes before the second.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
    }

    /// The three numbers, separated by points.
    public var description: String { "\(major).\(minor).\(patch)" }
}

/// A namespace for the models of one version of an app's schema.
///
/// ```swift
/// enum BabyMonitorSchema: VersionedSchema {
///     static let version = SchemaVersion(8)
///     static let models: [any Model.Type] = [BabyProfile.self, FeedSession.self]
/// }
/// ```
public protocol VersionedSchema: SendableMetatype {
    /// The version, greater than that of every schema released before.
    static var version: SchemaVersion { get }
    /// The models of this version.
    static var models: [any Model.Type] { get }
}

extension VersionedSchema {
    /// The schema as data.
    ///
    /// - Throws: `schemaInvalid` if the models contradict themselves or each other.
    public static var schema: Schema {
        get throws { try Schema(version: version, models: models) }
    }
}

/// The version namespace of models that are declared outside of one.
public enum Unversioned {}
