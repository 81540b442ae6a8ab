internal import InMemoryLogging
public import Logging

/// Takes what a store tells of its work, for tests that look at it.
public struct LogRecords: Sendable {
    private let handler: InMemoryLogHandler

    /// One record, its metadata as text.
    public struct Record: Sendable {
        /// How much it matters.
        public let level: Logger.Level
        /// What happened.
        public let event: String
        /// What there is to know about it.
        public let metadata: [String: String]
    }

    /// Takes the records of a level and above.
    public init(_ level: Logger.Level = .trace) {
        var handler = InMemoryLogHandler()
        handler.logLevel = level
        self.handler = handler
    }

    /// The logger to open a store with.
    public var logger: Logger { Logger(label: "test") { _ in handler } }

    /// All records so far.
    public var all: [Record] {
        handler.entries.map {
            Record(
                level: $0.level, event: $0.message.description, metadata: $0.metadata.mapValues(\.description)
            )
        }
    }

    /// The metadata of the records of an event so far.
    public func metadata(of event: String) -> [[String: String]] {
        all.filter { $0.event == event }.map(\.metadata)
    }

    /// Records whose duration is not a number of milliseconds, with three decimals.
    public var withoutDuration: [Record] {
        all.filter { $0.metadata["duration"]?.wholeMatch(of: #/\d+\.\d{3} ms/#) == nil }
    }
}
