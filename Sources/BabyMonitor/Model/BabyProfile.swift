public import Foundation
public import Switchyard

extension BabyMonitorSchema {
    /// A baby.
    ///
    /// Names need not be unique: a store that is mirrored between devices cannot promise it.
    @Model
    public struct BabyProfile: Hashable {
        /// The id, by which widgets and other devices know the baby too.
        public let id: ID
        /// The name.
        public var name: String = ""
        /// When the baby was added.
        public var createdAt: Date = .now
        /// How long after the start of a feed the next one is due, in seconds.
        public var feedTerm: TimeInterval = 10_800

        /// The feeds; they stay when the baby is removed.
        @Relationship(deleteRule: .nullify, inverse: \FeedSession.profile)
        public var feedSessions: ToMany<FeedSession>
        /// The diaper changes; they stay when the baby is removed.
        @Relationship(deleteRule: .nullify, inverse: \DiaperChange.profile)
        public var diaperChanges: ToMany<DiaperChange>
        /// The custom events; they go with the baby.
        @Relationship(deleteRule: .cascade, inverse: \CustomEvent.profile)
        public var customEvents: ToMany<CustomEvent>
    }
}
