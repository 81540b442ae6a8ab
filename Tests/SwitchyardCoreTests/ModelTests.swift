import Foundation
import Switchyard
import Testing

enum DiaperType: String, CaseIterable, Codable {
    case pee, poo
}

enum FeedType: String, CaseIterable, Codable {
    case babyFormula, breastFeed, solid
}

@Model
struct BabyProfile {
    #Index<BabyProfile>([\.name])
    let id: ID
    @Attribute(.searchable) var name: String = ""
    var createdAt: Date = .now
    var feedTerm: Double = 10_800  // seconds
    @Relationship(deleteRule: .nullify, inverse: \FeedSession.profile)
    var feedSessions: ToMany<FeedSession>
}

@Model
struct FeedSession {
    #Unique<FeedSession>([\.profile, \.startTime])
    #Unique<FeedSession>([\.profile], where: { $0.endTime == nil })
    let id: ID
    var profile: BabyProfile.ID?
    var startTime: Date = .now
    var endTime: Date?
    var amountValue: Double?
    @Attribute(column: "feed_type") var feedType: FeedType? = .solid
    var isInProgress: Bool { endTime == nil }
}

@Suite("Models made by the macro")
struct ModelTests {
    @Test("a model knows its attributes")
    func attributes() throws {
        let entity = try BabyProfile.entity.get()
        #expect(entity.attributes.map(\.name) == ["id", "name", "createdAt", "feedTerm"])
    }
}
