import Testing

@Suite("The expansion of relationships, indexes and constraints")
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
            struct BabyProfile {
                let id: ID
                var feedSessions: ToMany<FeedSession> {
                    get {
                        Switchyard.ToMany(of: self, inverse: "profile")
                    }
                }
                var diaperChanges: ToMany<SchemaV8.DiaperChange> {
                    get {
                        Switchyard.ToMany(of: self, inverse: "profile")
                    }
                }
                var customEvents: ToMany<CustomEvent> {
                    get {
                        Switchyard.ToMany(of: self, inverse: "profile")
                    }
                }
                var weights: ToMany<Weight> {
                    get {
                        Switchyard.ToMany(of: self, inverse: "profile")
                    }
                }

                typealias ID = Switchyard.Identifier<BabyProfile>

                typealias ModelVersion = Switchyard._Unversioned

                nonisolated static var entityName: Swift.String {
                    "BabyProfile"
                }

                nonisolated static let entity: Swift.Result<Switchyard._Entity, Switchyard.StoreError> = {
                    var declaration = Switchyard._EntityDeclaration<BabyProfile>()
                    let attribute0 = declaration.attribute("id", ID.self)
                    declaration.add(attribute0)
                    let relationship0 = declaration.relationship("feedSessions", ToMany<FeedSession>.self, nullifying: \\FeedSession.profile)
                    declaration.add(relationship0)
                    let relationship1 = declaration.relationship("diaperChanges", ToMany<SchemaV8.DiaperChange>.self, nullifying: \\SchemaV8.DiaperChange.profile)
                    declaration.add(relationship1)
                    let relationship2 = declaration.relationship("customEvents", ToMany<CustomEvent>.self, inverse: \\CustomEvent.profile, deleteRule: .cascade)
                    declaration.add(relationship2)
                    let relationship3 = declaration.relationship("weights", ToMany<Weight>.self, inverse: \\Weight.profile, deleteRule: .deny)
                    declaration.add(relationship3)
                    return declaration.entity
                }()

                nonisolated static func attributeName(
                    of keyPath: Swift.PartialKeyPath<BabyProfile>
                ) -> Swift.String? {
                    switch keyPath {
                    case \\BabyProfile.id:
                        "id"
                    case \\BabyProfile.feedSessions:
                        "feedSessions"
                    case \\BabyProfile.diaperChanges:
                        "diaperChanges"
                    case \\BabyProfile.customEvents:
                        "customEvents"
                    case \\BabyProfile.weights:
                        "weights"
                    default:
                        nil
                    }
                }

                nonisolated init(
                    id: ID = ID()
                ) {
                    self.id = id
                }

                nonisolated init(from row: inout Switchyard._RowReader) throws {
                    self.id = try row.read(ID.self)
                }

                nonisolated func encode(into row: inout Switchyard._RowWriter) throws {
                    try row.write(self.id)
                }
            }

            extension BabyProfile: nonisolated Switchyard.Model {
            }
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
            contains: [
                """
                        let attribute1 = declaration.attribute("profile", BabyProfile.ID?.self)
                        declaration.add(attribute1)
                        let attribute2 = declaration.attribute("previous", Identifier<FeedSession>?.self)
                        declaration.add(attribute2)
                        let attribute3 = declaration.attribute("place", Place.ID.self)
                """,
                """
                        id: ID = ID(),
                        profile: BabyProfile.ID? = nil,
                        previous: Identifier<FeedSession>? = nil,
                        place: Place.ID
                """,
                """
                        self.profile = try row.read(BabyProfile.ID?.self)
                        self.previous = try row.read(Identifier<FeedSession>?.self)
                        self.place = try row.read(Place.ID.self)
                """,
            ], lacks: "declaration.relationship")
    }

    @Test("indexes and unique constraints are read from the struct")
    func constraints() {
        expectExpansion(
            of: """
                @Model
                struct FeedSession {
                    #Index<FeedSession>([\\.startTime], [\\.profile, \\FeedSession.endTime])
                    #Index<FeedSession>([\\.startTime], where: { $0.endTime == nil })
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
            struct FeedSession {
                let id: ID
                var profile: BabyProfile.ID?
                var startTime: Date = .now
                var endTime: Date?
                var amount: Int?

                typealias ID = Switchyard.Identifier<FeedSession>

                typealias ModelVersion = Switchyard._Unversioned

                nonisolated static var entityName: Swift.String {
                    "FeedSession"
                }

                nonisolated static let entity: Swift.Result<Switchyard._Entity, Switchyard.StoreError> = {
                    var declaration = Switchyard._EntityDeclaration<FeedSession>()
                    let attribute0 = declaration.attribute("id", ID.self)
                    declaration.add(attribute0)
                    let attribute1 = declaration.attribute("profile", BabyProfile.ID?.self)
                    declaration.add(attribute1)
                    let attribute2 = declaration.attribute("startTime", Date.self, case: Date.now)
                    declaration.add(attribute2)
                    let attribute3 = declaration.attribute("endTime", Date?.self)
                    declaration.add(attribute3)
                    let attribute4 = declaration.attribute("amount", Int?.self)
                    declaration.add(attribute4)
                    declaration.index(["startTime"])
                    declaration.index(["profile", "endTime"])
                    declaration.index(["startTime"], where: #Predicate<FeedSession> {
                            $0.endTime == nil
                        })
                    declaration.unique(["profile", "startTime"], nilsAreDistinct: false)
                    declaration.unique(["amount"], nilsAreDistinct: false)
                    declaration.unique(["profile"], where: #Predicate<FeedSession> {
                            $0.endTime == nil
                        })
                    declaration.unique(["startTime"], where: #Predicate<FeedSession> { feed in
                        // While it is going on.
                        feed.endTime == nil
                    })
                    return declaration.entity
                }()

                nonisolated static func attributeName(
                    of keyPath: Swift.PartialKeyPath<FeedSession>
                ) -> Swift.String? {
                    switch keyPath {
                    case \\FeedSession.id:
                        "id"
                    case \\FeedSession.profile:
                        "profile"
                    case \\FeedSession.startTime:
                        "startTime"
                    case \\FeedSession.endTime:
                        "endTime"
                    case \\FeedSession.amount:
                        "amount"
                    default:
                        nil
                    }
                }

                nonisolated init(
                    id: ID = ID(),
                    profile: BabyProfile.ID? = nil,
                    startTime: Date = .now,
                    endTime: Date? = nil,
                    amount: Int? = nil
                ) {
                    self.id = id
                    self.profile = profile
                    self.startTime = startTime
                    self.endTime = endTime
                    self.amount = amount
                }

                nonisolated init(from row: inout Switchyard._RowReader) throws {
                    self.id = try row.read(ID.self)
                    self.profile = try row.read(BabyProfile.ID?.self)
                    self.startTime = try row.read(Date.self)
                    self.endTime = try row.read(Date?.self)
                    self.amount = try row.read(Int?.self)
                }

                nonisolated func encode(into row: inout Switchyard._RowWriter) throws {
                    try row.write(self.id)
                    try row.write(self.profile)
                    try row.write(self.startTime)
                    try row.write(self.endTime)
                    try row.write(self.amount)
                }
            }

            extension FeedSession: nonisolated Switchyard.Model {
            }
            """)
    }
}
