public import Foundation
public import Switchyard

extension BabyMonitorSchema {
    /// A baby.
    ///
    /// Names need not be unique: a store that is mirrored between devices cannot guarantee it.
    @Model
    public struct BabyProfile: Hashable {
        /// The id, which widgets and other devices also use.
        public let id: ID
        /// The name.
        public var name: String = ""
        /// When the baby was added; one that two phones import is as old as the first import.
        @Attribute(.merge(.minimum)) public var createdAt: Date = .now
        /// How long after the start of a feed the next one is due, in seconds.
        public var feedTerm: TimeInterval = 10_800

        /// The feeds; kept when the baby is removed.
        @Relationship(deleteRule: .nullify, inverse: \FeedSession.profile)
        public var feedSessions: ToMany<FeedSession>
        /// The diaper changes; kept when the baby is removed.
        @Relationship(deleteRule: .nullify, inverse: \DiaperChange.profile)
        public var diaperChanges: ToMany<DiaperChange>
        /// The custom events; removed with the baby.
        @Relationship(deleteRule: .cascade, inverse: \CustomEvent.profile)
        public var customEvents: ToMany<CustomEvent>
    }
}
