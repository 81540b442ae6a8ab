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
    /// The file and line of the expectation, or of the step before an unexpected error, and of the requirement; nil for a
    /// failure of a random run.
    public let location: String?

    package init(
        requirement: String, backend: String, subject: String, expected: String, found: String,
        location: String? = nil
    ) {
        self.requirement = requirement
        self.backend = backend
        self.subject = subject
        self.expected = expected
        self.found = found
        self.location = location
    }

    /// The backend, the requirement, the expected and actual results, and where that is expected.
    public var description: String {
        "\(backend) does not meet \(requirement) — \(subject): expected \(expected), found \(found)"
            + (location.map { " (\($0))" } ?? "")
    }
}

/// A line of the suite's source.
struct SourceLine: Sendable, CustomStringConvertible {
    /// The file's name and the line, such as `WriteRequirements.swift:20`.
    let description: String

    init(_ fileID: String, _ line: Int) {
        description = "\(fileID.split(separator: "/").last ?? ""):\(line)"
    }
}
