import Testing

@Suite("What @Model writes for relationships, indexes and constraints")
struct RelationshipExpansionTests {
    @Test("a to-many gets a getter, and its inverse is checked by the rule")
    func toMany() {
        expectExpansion(
            of: """
                @Model
                struct BabyProfile {
                    let id: ID
                    @Relationship(deleteRule: .nullify, inverse: \\FeedSession.profile)
                    var feedSessions: ToMany<FeedSession>
                    @Relationship(inverse: \\SchemaV8.DiaperChange.profile)
                    var diaperChanges: ToMany<SchemaV8.DiaperChange>
                    @Relationship(deleteRule: .cascade, inverse: \\CustomEvent.profile)
                    var customEvents: ToMany<CustomEvent>
                    @Relationship(deleteRule: DeleteRule.deny, inverse: \\Weight.profile) var weights: ToMany<Weight>
                }
                """,
            """
            @@
            """)
    }

    @Test("references are told from other properties by the compiler")
    func toOne() {
        expectExpansion(
            of: """
                @Model
                struct FeedSession {
                    let id: ID
                    var profile: BabyProfile.ID?
                    var previous: Identifier<FeedSession>?
                    var place: Place.ID
                }
                """,
            """
            @@
            """)
    }

    @Test("indexes and unique constraints are read from the struct")
    func constraints() {
        expectExpansion(
            of: """
                @Model
                struct FeedSession {
                    #Index<FeedSession>([\\.startTime], [\\.profile, \\FeedSession.endTime])
                    #Unique<FeedSession>([\\.profile, \\.startTime], [\\.amount], nilsAreDistinct: false)
                    #Unique<FeedSession>([\\.profile], where: { $0.endTime == nil })
                    #Unique<FeedSession>([\\.startTime]) { feed in
                        // While it is going on.
                        feed.endTime == nil
                    }
                    let id: ID
                    var profile: BabyProfile.ID?
                    var startTime: Date = .now
                    var endTime: Date?
                    var amount: Int?
                }
                """,
            """
            @@
            """)
    }
}
