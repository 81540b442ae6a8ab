/// A requirement of the contract that a backend does not meet.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The requirement's number and subject.
    public let requirement: String
    /// The backend.
    public let backend: String
    /// What was examined.
    public let subject: String
    /// What the contract requires.
    public let expected: String
    /// What the backend did instead.
    public let found: String

    /// The backend, the requirement, and the expected and actual results.
    public var description: String {
        "\(backend) does not meet \(requirement) — \(subject): expected \(expected), found \(found)"
    }
}
