import Testing

@Suite(
    "Compilation of generated code",
    .enabled(if: TypeCheck.isPossible, "needs swiftc and the built modules beside the test program"))
struct ExpansionCompileTests {
    @Test(
        "a model's property may have a type as hidden as the property",
        arguments: [
            "@Model public struct Feed { public let id: ID; var kind: InFile = .a }",
            "@Model public struct Feed { public let id: ID; private var kinds: [String: PrivateInFile] = [:] }",
            "@Model struct Feed { let id: ID; fileprivate var kind: PrivateInFile? }",
            "@Model fileprivate struct Feed { let id: ID; var kind: PrivateInFile }",
            """
            @Model struct Feed {
                let id: ID
                private enum Kind: String, CaseIterable { case a }
                private var kind: Kind = .a
            }
            """,
        ])
    func hiddenType(model: String) throws {
        let check = try TypeCheck(
            """
            enum InFile: String, CaseIterable { case a }
            private enum PrivateInFile: String, CaseIterable, Codable { case a }
            \(model)
            """)
        #expect(check.succeeded, "\(check.output)")
    }

    @Test(
        "a model may have its access from the extension around it", arguments: ["public", "fileprivate"])
    func inExtension(access: String) throws {
        let check = try TypeCheck(
            """
            public enum V1 {}
            \(access) extension V1 {
                @Model struct Feed {
                    public let id: ID
                    public var amount: Int = 0
                }
            }
            """)
        #expect(check.succeeded, "\(check.output)")
    }

    @Test("a public model whose default is not public has an initialiser of its own")
    func hiddenDefault() throws {
        let check = try TypeCheck(
            """
            enum Defaults { static let unit = "ml" }
            @Model
            public struct Bottle {
                public let id: ID
                public var unit: String = Defaults.unit

                public init(id: ID = ID(), unit: String? = nil) {
                    self.id = id
                    self.unit = unit ?? Defaults.unit
                }
            }
            """)
        #expect(check.succeeded, "\(check.output)")
    }

    @Test("a model may be named by a keyword")
    func keyword() throws {
        let check = try TypeCheck(
            """
            enum V1 {
                @Model struct `Type` {
                    #Index<`Type`>([\\.parent], where: { $0.parent == nil })
                    let id: ID
                    var parent: `Type`.ID?
                    @Relationship(inverse: \\`Type`.parent) var children: ToMany<`Type`>
                }
            }
            """)
        #expect(check.succeeded, "\(check.output)")
    }

    @Test(
        "a predicate captures a model, whatever it conforms to by itself",
        arguments: [
            "struct List { let id: ID; var kind: Kind; @Transient var cache = Cache() }",
            "struct List: Codable { let id: ID; enum CodingKeys: String, CodingKey { case id = \"key\" } }",
            "struct List: Encodable { let id: ID }", "struct List: Decodable, Hashable { let id: ID }",
            "struct List: Sendable, Hashable { let id: ID }", "private struct List { let id: ID }",
            """
            struct List: Codable {
                let id: ID
                init(from decoder: any Decoder) throws { id = try decoder.singleValueContainer().decode(ID.self) }
                func encode(to encoder: any Encoder) throws { try id.encode(to: encoder) }
            }
            """,
        ])
    func captured(model: String) throws {
        let check = try TypeCheck(
            """
            enum Kind: String, CaseIterable { case plain }
            struct Cache {}
            @Model \(model)
            @Model private struct Item {
                let id: ID
                var list: List.ID
                var other: List.ID?
            }
            private func items(of list: List, or other: List?, and lists: [List]) -> [Query<Item>] {
                [
                    Item.where(#Predicate { $0.list == list.id }),
                    Item.where(#Predicate { $0.other == other?.id }),
                    Item.where(#Predicate { item in lists.contains { $0.id == item.list } }),
                ]
            }
            """)
        #expect(check.succeeded, "\(check.output)")
    }

    @Test("an upsert takes a literal list and the key path of its model")
    func upsert() throws {
        let check = try TypeCheck(
            """
            @Model struct Tag {
                #Unique<Tag>([\\.name])
                let id: ID
                var name: String
            }
            func save(_ tx: WriteTransaction, _ tags: [Tag], _ more: Set<String>) throws {
                try tx.upsert([Tag(name: "a"), Tag(name: "b")], on: \\.name)
                try tx.upsert(tags, on: \\.name)
                try tx.upsert(more.lazy.map { Tag(name: $0) }, on: \\.name)
                try tx.upsert(Tag(name: "a"), on: \\.name)
                _ = try tx.upsert([Tag(name: "a")], on: \\.id).first?.name
            }
            """)
        #expect(check.succeeded, "\(check.output)")
        #expect(check.output.isEmpty)
    }
}
