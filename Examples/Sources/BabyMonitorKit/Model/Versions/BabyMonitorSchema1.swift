internal import Foundation
internal import Switchyard

/// The first version: removing a baby removes its feeds and diapers.
///
/// In the app's first release, feeds and diapers had no ids. Here every model has one, because every row needs one.
enum BabyMonitorSchema1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [BabyProfile.self, FeedSession.self, DiaperChange.self]

    @Model
    struct BabyProfile {
        #Unique<BabyProfile>([\.id])

        let id: ID
        var name: String
        var lastFeedAmountValue: Double?
        var lastFeedAmountUnitSymbol: String?

        @Relationship(deleteRule: .cascade, inverse: \FeedSession.profile)
        var feedSessions: ToMany<FeedSession>
        @Relationship(deleteRule: .cascade, inverse: \DiaperChange.profile)
        var diaperChanges: ToMany<DiaperChange>
    }

    @Model
    struct FeedSession {
        let id: ID
        var startTime: Date
        var endTime: Date?
        var amountValue: Double?
        var amountUnitSymbol: String?
        var profile: BabyProfile.ID?
    }

    @Model
    struct DiaperChange {
        let id: ID
        var timestamp: Date
        var type: DiaperType
        var profile: BabyProfile.ID?
    }
}
