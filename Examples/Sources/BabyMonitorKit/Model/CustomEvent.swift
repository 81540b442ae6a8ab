public import Foundation
public import Switchyard

extension BabyMonitorSchema {
    /// An event of a user-defined type.
    ///
    /// It has its own copy of the type's name and emoji, so that the type can be changed or removed.
    @Model
    public struct CustomEvent: Hashable {
        // For the newest event of a baby, and of all babies.
        #Index<CustomEvent>([\.profile, \.timestamp], [\.timestamp])

        /// The id.
        public let id: ID
        /// When it happened.
        public var timestamp: Date = .now
        /// The name of its type when it was logged.
        @Attribute(.searchable) public var eventTypeName: String
        /// The emoji of its type when it was logged.
        public var eventTypeEmoji: String
        /// The memo, which may contain hashtags.
        @Attribute(.searchable) public var memoText: String?
        /// The baby; the event is removed with it.
        public var profile: BabyProfile.ID?
    }
}

extension BabyMonitorSchema.CustomEvent {
    /// The hashtags of the memo.
    public var hashtags: [String] { Hashtags.find(in: memoText ?? "") }
}
