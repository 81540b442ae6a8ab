internal import Foundation
internal import Switchyard

/// A custom event has a copy of its type's name and emoji.
enum BabyMonitorSchema7: VersionedSchema {
    static let version = SchemaVersion(7)
    static let models: [any Model.Type] = [
        BabyProfile.self, FeedSession.self, DiaperChange.self, CustomEventType.self, CustomEvent.self,
    ]

    @Model
    struct BabyProfile {
        let id: ID
        var name: String = ""
        var createdAt: Date = .now
        var feedTerm: TimeInterval = 10_800

        @Relationship(deleteRule: .nullify, inverse: \FeedSession.profile)
        var feedSessions: ToMany<FeedSession>
        @Relationship(deleteRule: .nullify, inverse: \DiaperChange.profile)
        var diaperChanges: ToMany<DiaperChange>
        @Relationship(deleteRule: .cascade, inverse: \CustomEvent.profile)
        var customEvents: ToMany<CustomEvent>
    }

    @Model
    struct FeedSession {
        let id: ID
        var startTime: Date = .now
        var endTime: Date?
        var amountValue: Double?
        var amountUnitSymbol: String?
        var memoText: String?
        var profile: BabyProfile.ID?
    }

    @Model
    struct DiaperChange {
        let id: ID
        var timestamp: Date = .now
        var type: DiaperType = .pee
        var memoText: String?
        var profile: BabyProfile.ID?
    }

    @Model
    struct CustomEventType {
        let id: ID
        var name: String
        var emoji: String
        var createdAt: Date = .now
    }

    @Model
    struct CustomEvent {
        let id: ID
        var timestamp: Date = .now
        var eventTypeName: String
        var eventTypeEmoji: String
        var memoText: String?
        var profile: BabyProfile.ID?
    }
}
