public import SwitchyardCSV
public import SwitchyardCore
public import SwitchyardJSON
public import SwitchyardQuery

/// An error that a command reports by a message for people.
///
/// An app lets its own errors conform. Any other error is shown as Swift describes it.
public protocol CommandError: Error {
    /// What happened, and what to do about it, in whole sentences.
    var sentence: String { get }
    /// Whether the call is wrong regardless of the store: the command then ends with 2 instead of 1.
    var isUsage: Bool { get }
}

extension CommandError {
    /// False: the call was right.
    public var isUsage: Bool { false }
}

/// A call that is wrong regardless of the store: what is wrong with it, and what to do.
public struct UsageError: CommandError {
    /// What is wrong, and what to do.
    public let sentence: String
    /// True.
    public var isUsage: Bool { true }

    /// Creates an error.
    public init(_ sentence: String) { self.sentence = sentence }
}

/// A file that could not be read completely; nothing of it was imported.
public struct NothingImported: CommandError {
    /// What is wrong with the file.
    public let reason: CSVError

    /// Creates an error.
    public init(reason: CSVError) { self.reason = reason }

    /// What is wrong, and that nothing was imported.
    public var sentence: String { "\(reason.sentence) Nothing was imported." }
}

/// A store that is configured correctly but unavailable, such as a database that does not exist.
package struct StoreUnavailable: CommandError {
    let reason: StoreError

    package init(reason: StoreError) { self.reason = reason }

    package var sentence: String { reason.sentence }
}

extension StoreError: CommandError {
    /// The message, followed by the entity and attribute it concerns.
    public var sentence: String {
        let place = [entity, attribute].compactMap(\.self).joined(separator: ".")
        return place.isEmpty ? message : "\(message) (\(place))"
    }

    /// Whether the configuration is wrong.
    public var isUsage: Bool { code == .configuration }
}

extension CSVError: CommandError {
    /// The message, preceded by its place in the file.
    public var sentence: String {
        // If the system cannot read the file, there is no place in it to correct.
        guard systemError == nil, let line else { return message }
        return "Line \(line)\(column.map { ", column \($0)" } ?? ""): \(message)"
    }
}

extension JSONError: CommandError {
    /// The message, preceded by its place in the document.
    public var sentence: String { place.isEmpty ? message : "\(place): \(message)" }
}

extension QueryError: CommandError {
    /// The message, preceded by its place in the query.
    public var sentence: String { "Character \(column) of the query: \(message)" }

    /// Whether the query is wrong whatever the store holds.
    public var isUsage: Bool { code == .syntax || code == .tooLarge }
}

extension CommandProgram {
    /// An error's message for people, as the program reports it.
    public static func sentence(of error: any Error) -> String { Failure.sentence(error) ?? "\(error)" }
}
