/// A requirement of the contract that a backend does not keep.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The requirement: its number and subject.
    public let requirement: String
    /// The backend.
    public let backend: String
    /// What was looked at.
    public let subject: String
    /// What the contract says it is.
    public let expected: String
    /// What it was instead.
    public let found: String

    /// All of it.
    public var description: String {
        "\(backend) does not keep \(requirement) — \(subject): expected \(expected), found \(found)"
    }
}
