import Testing

@Suite("The expansion of @Model")
struct ModelExpansionTests {
    @Test("a model gets its entity, its names, an initialiser, and a way in and out of rows")
    func small() {
        expectExpansion(
            of: """
                @Model
                struct BabyProfile {
                    let id: ID
                    var name: String = ""
                    var feedTerm: Double = 10_800 // seconds
                    var memo: String?
                }
                """,
            """
            struct BabyProfile {
                let id: ID
                var name: String = ""
                var feedTerm: Double = 10_800 // seconds
                var memo: String?

                typealias ID = Switchyard.Identifier<BabyProfile>

                typealias ModelVersion = Switchyard._Unversioned

                nonisolated static var entityName: Swift.String {
                    "BabyProfile"
                }

                nonisolated static let entity: Swift.Result<Switchyard._Entity, Switchyard.StoreError> = {
                    var declaration = Switchyard._EntityDeclaration<BabyProfile>()
                    let attribute0 = declaration.attribute("id", ID.self)
                    declaration.add(attribute0)
                    let attribute1 = declaration.attribute("name", String.self, default: "")
                    declaration.add(attribute1)
                    let attribute2 = declaration.attribute("feedTerm", Double.self, default: 10_800)
                    declaration.add(attribute2)
                    let attribute3 = declaration.attribute("memo", String?.self)
                    declaration.add(attribute3)
                    return declaration.entity
                }()

                nonisolated static func attributeName(
                    of keyPath: Swift.PartialKeyPath<BabyProfile>
                ) -> Swift.String? {
                    switch keyPath {
                    case \\BabyProfile.id:
                        "id"
                    case \\BabyProfile.name:
                        "name"
                    case \\BabyProfile.feedTerm:
                        "feedTerm"
                    case \\BabyProfile.memo:
                        "memo"
                    default:
                        nil
                    }
                }

                nonisolated init(
                    id: ID = ID(),
                    name: String = "",
                    feedTerm: Double = 10_800,
                    memo: String? = nil
                ) {
                    self.id = id
                    self.name = name
                    self.feedTerm = feedTerm
                    self.memo = memo
                }

                nonisolated init(from row: inout Switchyard._RowReader) throws {
                    self.id = try row.read(ID.self)
                    self.name = try row.read(String.self)
                    self.feedTerm = try row.read(Double.self)
                    self.memo = try row.read(String?.self)
                }

                nonisolated func encode(into row: inout Switchyard._RowWriter) throws {
                    try row.write(self.id)
                    try row.write(self.name)
                    try row.write(self.feedTerm)
                    try row.write(self.memo)
                }
            }

            extension BabyProfile: nonisolated Switchyard.Model {
            }
            """)
    }

    @Test("a model becomes Sendable and Codable unless it already is")
    func conformances() {
        expectConformances(
            [
                "Model", "Sendable", "Decodable", "Encodable",
            ],
            """
            extension V1.Tag: nonisolated Switchyard.Model {
            }

            extension V1.Tag: Swift.Sendable {
            }

            extension V1.Tag: nonisolated Swift.Decodable {
                nonisolated public init(from decoder: any Swift.Decoder) throws {
                    self = try Switchyard._EncodedRow<Self>(from: decoder).model
                }
            }

            extension V1.Tag: nonisolated Swift.Encodable {
                nonisolated public func encode(to encoder: any Swift.Encoder) throws {
                    try Switchyard._EncodedRow(self).encode(to: encoder)
                }
            }
            """)
        expectConformances(
            ["Model"],
            """
            extension V1.Tag: nonisolated Switchyard.Model {
            }
            """)
    }

    @Test("the id comes first in the entity, and keeps its place in the initialiser")
    func identifierLast() {
        expectExpansion(
            of: """
                @Model
                struct Tag {
                    var name: String
                    let id: ID
                }
                """,
            contains: [
                """
                        let attribute0 = declaration.attribute("id", ID.self)
                        declaration.add(attribute0)
                        let attribute1 = declaration.attribute("name", String.self)
                """,
                """
                    nonisolated init(
                        name: String,
                        id: ID = ID()
                    ) {
                """,
                """
                        self.id = try row.read(ID.self)
                        self.name = try row.read(String.self)
                """,
                """
                        try row.write(self.id)
                        try row.write(self.name)
                """,
            ])
    }

    @Test("only stored properties that are not transient have a column")
    func columns() {
        expectExpansion(
            of: """
                @Model
                struct Everything {
                    static let shared = 1
                    let id: ID
                    /* before */ var first, second: Int /* between */ = 2 /* after */
                    @Attribute(column: "feed_type") var feedType: FeedType? = .solid
                    @Attribute(.searchable) var title: String = "a // no comment"
                    private var secret: [String: Int] = [:] // none yet
                    var observed: Bool = false {
                        didSet { print(oldValue) }
                    }
                    var `default`: Data
                    @Transient var isSelected = false
                    var isOpen: Bool { observed }
                    var both: Int {
                        get { first }
                        set { first = newValue }
                    }
                    enum FeedType: String, CaseIterable { case solid }
                    func clear() {}
                }
                """,
            """
            struct Everything {
                static let shared = 1
                let id: ID
                /* before */ var first, second: Int /* between */ = 2 /* after */
                var feedType: FeedType? = .solid
                var title: String = "a // no comment"
                private var secret: [String: Int] = [:] // none yet
                var observed: Bool = false {
                    didSet { print(oldValue) }
                }
                var `default`: Data
                var isSelected = false
                var isOpen: Bool { observed }
                var both: Int {
                    get { first }
                    set { first = newValue }
                }
                enum FeedType: String, CaseIterable { case solid 
            }
                func clear() {}

                typealias ID = Switchyard.Identifier<Everything>

                typealias ModelVersion = Switchyard._Unversioned

                nonisolated static var entityName: Swift.String {
                    "Everything"
                }

                nonisolated static let entity: Swift.Result<Switchyard._Entity, Switchyard.StoreError> = {
                    var declaration = Switchyard._EntityDeclaration<Everything>()
                    let attribute0 = declaration.attribute("id", ID.self)
                    declaration.add(attribute0)
                    let attribute1 = declaration.attribute("first", Int.self)
                    declaration.add(attribute1)
                    let attribute2 = declaration.attribute("second", Int.self, default: 2)
                    declaration.add(attribute2)
                    let attribute3 = declaration.attribute("feedType", FeedType?.self, column: "feed_type", case: FeedType.solid)
                    declaration.add(attribute3)
                    let attribute4 = declaration.attribute("title", searchable: String.self, default: "a // no comment")
                    declaration.add(attribute4)
                    let attribute5 = declaration.attribute("secret", [String: Int].self, default: [:])
                    declaration.add(attribute5)
                    let attribute6 = declaration.attribute("observed", Bool.self, default: false)
                    declaration.add(attribute6)
                    let attribute7 = declaration.attribute("default", Data.self)
                    declaration.add(attribute7)
                    return declaration.entity
                }()

                nonisolated static func attributeName(
                    of keyPath: Swift.PartialKeyPath<Everything>
                ) -> Swift.String? {
                    switch keyPath {
                    case \\Everything.id:
                        "id"
                    case \\Everything.first:
                        "first"
                    case \\Everything.second:
                        "second"
                    case \\Everything.feedType:
                        "feedType"
                    case \\Everything.title:
                        "title"
                    case \\Everything.secret:
                        "secret"
                    case \\Everything.observed:
                        "observed"
                    case \\Everything.`default`:
                        "default"
                    default:
                        nil
                    }
                }

                nonisolated init(
                    id: ID = ID(),
                    first: Int,
                    second: Int = 2,
                    feedType: FeedType? = .solid,
                    title: String = "a // no comment",
                    secret: [String: Int] = [:],
                    observed: Bool = false,
                    `default`: Data
                ) {
                    self.id = id
                    self.first = first
                    self.second = second
                    self.feedType = feedType
                    self.title = title
                    self.secret = secret
                    self.observed = observed
                    self.`default` = `default`
                }

                nonisolated init(from row: inout Switchyard._RowReader) throws {
                    self.id = try row.read(ID.self)
                    self.first = try row.read(Int.self)
                    self.second = try row.read(Int.self)
                    self.feedType = try row.read(FeedType?.self)
                    self.title = try row.read(String.self)
                    self.secret = try row.read([String: Int].self)
                    self.observed = try row.read(Bool.self)
                    self.`default` = try row.read(Data.self)
                }

                nonisolated func encode(into row: inout Switchyard._RowWriter) throws {
                    try row.write(self.id)
                    try row.write(self.first)
                    try row.write(self.second)
                    try row.write(self.feedType)
                    try row.write(self.title)
                    try row.write(self.secret)
                    try row.write(self.observed)
                    try row.write(self.`default`)
                }
            }

            extension Everything: nonisolated Switchyard.Model {
            }
            """)
    }

    @Test("a name that is a keyword is written with backticks in code, and without them in the schema")
    func keyword() {
        expectExpansion(
            of: """
                @Model
                struct `Type` {
                    #Index<`Type`>([\\.id], where: { $0.id == $0.id })
                    let id: ID
                }
                """,
            contains: [
                "    typealias ID = Switchyard.Identifier<`Type`>",
                """
                    nonisolated static var entityName: Swift.String {
                        "Type"
                    }
                """,
                "        var declaration = Switchyard._EntityDeclaration<`Type`>()",
                "        declaration.index([\"id\"], where: #Predicate<`Type`> {",
                "        of keyPath: Swift.PartialKeyPath<`Type`>",
                "        case \\`Type`.id:",
            ])
    }

    @Test("history options are passed for the attribute, and for the model")
    func history() {
        expectExpansion(
            of: """
                @Model(.withoutHistory)
                struct Tag {
                    let id: ID
                    var name: String
                    @Attribute(.searchable, .withoutHistory) var memo: String?
                    @Attribute(.withoutEarlierValues, column: "image") var photo: Data?
                }
                """,
            contains: [
                """
                        let attribute1 = declaration.attribute("name", String.self)
                        declaration.add(attribute1)
                        let attribute2 = declaration.attribute("memo", searchable: String?.self)
                        declaration.add(attribute2)
                        declaration.keep(.leftOut, inHistoryOf: "memo")
                        let attribute3 = declaration.attribute("photo", Data?.self, column: "image")
                        declaration.add(attribute3)
                        declaration.keep(.withoutEarlierValues, inHistoryOf: "photo")
                        declaration.leaveOutOfHistory()
                        return declaration.entity
                """
            ])
    }

    @Test("merge policies are passed for the attribute, the model and the unique key")
    func policies() {
        expectExpansion(
            of: """
                @Model(.merge(.resurrect))
                struct Tag {
                    #Unique<Tag>([\\.name], merge: .mergeInto)
                    let id: ID
                    @Attribute(.searchable, .merge(.custom("longer"))) var name: String
                    @Attribute(.merge(.maximum), .withoutEarlierValues) var most: Int?
                }
                """,
            contains: [
                """
                        declaration.merge("name", by: .custom("longer"))
                        let attribute2 = declaration.attribute("most", Int?.self)
                        declaration.add(attribute2)
                        declaration.keep(.withoutEarlierValues, inHistoryOf: "most")
                        declaration.merge("most", by: .maximum)
                        declaration.unique(["name"], merge: .mergeInto)
                        declaration.merge(deletedRowsBy: .resurrect)
                        return declaration.entity
                """
            ])
    }

    @Test("an initialiser with the same labels is not generated")
    func ownInitializer() {
        expectExpansion(
            of: """
                @Model
                struct Tag {
                    let id: ID
                    var name: String
                    init(id: ID, name: String) {
                        self.id = id
                        self.name = name.lowercased()
                    }
                }
                """,
            contains: [
                """
                    init(id: ID, name: String) {
                        self.id = id
                        self.name = name.lowercased()
                    }
                """,
                "    nonisolated init(from row: inout Switchyard._RowReader) throws {",
            ], lacks: "nonisolated init(\n")
    }
}
