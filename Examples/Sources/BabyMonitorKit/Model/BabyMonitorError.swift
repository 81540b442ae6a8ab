/// A violation of the app's own rules.
///
/// Errors of the store are of type `StoreError` instead.
public struct BabyMonitorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure: switch on this.
    public let code: Code
    /// What happened and what to do about it.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The kind of a failure.
    ///
    /// More kinds may be added, so a `switch` over them needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's stable name, as JSON output and logs show it.
        public let description: String

        private init(_ name: String) { description = name }

        /// No baby has this id or name.
        public static let babyNotFound = Code("babyNotFound")
        /// No event type has this id or name.
        public static let eventTypeNotFound = Code("eventTypeNotFound")
        /// Several babies or event types have this name.
        public static let ambiguousName = Code("ambiguousName")
        /// A name is empty, or contains control characters.
        public static let invalidName = Code("invalidName")
        /// The feeding interval is not one of those offered.
        public static let invalidFeedTerm = Code("invalidFeedTerm")
        /// A time of day does not exist.
        public static let invalidTimeOfDay = Code("invalidTimeOfDay")
        /// A number is out of its range.
        public static let invalidArgument = Code("invalidArgument")
        /// The member of the household to whom the device belongs may not do this.
        public static let notPermitted = Code("notPermitted")
        /// A file's header belongs to an unknown format, or to the other kind of history.
        public static let unknownFormat = Code("unknownFormat")
        /// A file cannot be read or written.
        public static let inputOutput = Code("inputOutput")
    }

    /// The message.
    public var description: String { message }
}
