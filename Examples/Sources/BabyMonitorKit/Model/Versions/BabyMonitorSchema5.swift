internal import Foundation
internal import Switchyard

/// Babies have a creation time, and no longer the amount of their last feed.
enum BabyMonitorSchema5: VersionedSchema {
    static let version = SchemaVersion(5)
    static let models: [any Model.Type] = [BabyProfile.self, FeedSession.self, DiaperChange.self]

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
        var profile: BabyProfile.ID?
    }
}
