public import Foundation
public import Switchyard

extension BabyMonitorSchema {
    /// An event of a kind that people have made up.
    ///
    /// It keeps the name and the emoji of its type as they were, so that the type can be changed or removed.
    @Model
    public struct CustomEvent: Hashable {
        // The newest of a baby, and all babies' newest.
        #Index<CustomEvent>([\.profile, \.timestamp], [\.timestamp])

        /// The id.
        public let id: ID
        /// When it was.
        public var timestamp: Date = .now
        /// The name of its type at that time.
        @Attribute(.searchable) public var eventTypeName: String
        /// The emoji of its type at that time.
        public var eventTypeEmoji: String
        /// What somebody noted, with hashtags.
        @Attribute(.searchable) public var memoText: String?
        /// The baby, with which it is removed.
        public var profile: BabyProfile.ID?
    }
}

extension BabyMonitorSchema.CustomEvent {
    /// The hashtags of the memo.
    public var hashtags: [String] { Hashtags.find(in: memoText ?? "") }
}
