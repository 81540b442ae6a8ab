internal import InMemoryLogging
public import Logging

/// Collects the log records of a store, for tests that read them or wait for one.
public struct LogRecords: Sendable {
    private let handler: InMemoryLogHandler
    private let events: AsyncStream<String>
    private let announcer: AsyncStream<String>.Continuation

    /// One record, its metadata as text.
    public struct Record: Sendable {
        /// How much it matters.
        public let level: Logger.Level
        /// What happened.
        public let event: String
        /// The details.
        public let metadata: [String: String]
    }

    /// Collects the records of a level and above.
    public init(_ level: Logger.Level = .trace) {
        var handler = InMemoryLogHandler()
        handler.logLevel = level
        self.handler = handler
        (events, announcer) = AsyncStream.makeStream()
    }

    /// The logger to open a store with.
    public var logger: Logger {
        Logger(label: "test") { _ in AnnouncingHandler(base: handler, announcer: announcer) }
    }

    /// Waits for a record of an event that was not waited for yet; from one task at a time.
    public func next(_ event: String) async {
        for await announced in events where announced == event { return }
    }

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

/// Announces each record once it has been collected.
private struct AnnouncingHandler: LogHandler {
    var base: InMemoryLogHandler
    let announcer: AsyncStream<String>.Continuation

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        base.log(event: event)
        announcer.yield(event.message.description)
    }
}
