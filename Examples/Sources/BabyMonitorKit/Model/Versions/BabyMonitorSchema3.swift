internal import Foundation
internal import Switchyard

/// Feeds have a memo.
enum BabyMonitorSchema3: VersionedSchema {
    static let version = SchemaVersion(3)
    static let models: [any Model.Type] = [BabyProfile.self, FeedSession.self, DiaperChange.self]

    @Model
    struct BabyProfile {
        let id: ID
        var name: String = ""
        var lastFeedAmountValue: Double?
        var lastFeedAmountUnitSymbol: String?

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
