import Testing

@Suite(
    "What @Model writes compiles",
    .enabled(if: TypeCheck.isPossible, "needs swiftc and the built modules beside the test program"))
struct ExpansionCompileTests {
    @Test(
        "a property's type may be as hidden as the property",
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
}
