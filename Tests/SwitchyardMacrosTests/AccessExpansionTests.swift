import Testing

@Suite("The access of generated members")
struct AccessExpansionTests {
    @Test("a public model's generated members are public")
    func publicModel() {
        expectExpansion(
            of: """
                @Model
                public struct Tag {
                    public let id: ID
                    private var name: String
                }
                """,
            """
            public struct Tag {
                public let id: ID
                private var name: String

                public typealias ID = Switchyard.Identifier<Tag>

                public typealias ModelVersion = Switchyard._Unversioned

                nonisolated public static var entityName: Swift.String {
                    "Tag"
                }

                nonisolated public static let entity: Swift.Result<Switchyard._Entity, Switchyard.StoreError> = {
                    var declaration = Switchyard._EntityDeclaration<Tag>()
                    let attribute0 = declaration.attribute("id", ID.self)
                    declaration.add(attribute0)
                    let attribute1 = declaration.attribute("name", String.self)
                    declaration.add(attribute1)
                    return declaration.entity
                }()

                nonisolated public static func attributeName(
                    of keyPath: Swift.PartialKeyPath<Tag>
                ) -> Swift.String? {
                    switch keyPath {
                    case \\Tag.id:
                        "id"
                    case \\Tag.name:
                        "name"
                    default:
                        nil
                    }
                }

                nonisolated public init(
                    id: ID = ID(),
                    name: String
                ) {
                    self.id = id
                    self.name = name
                }

                nonisolated public init(from row: inout Switchyard._RowReader) throws {
                    self.id = try row.read(ID.self)
                    self.name = try row.read(String.self)
                }

                nonisolated public func encode(into row: inout Switchyard._RowWriter) throws {
                    try row.write(self.id)
                    try row.write(self.name)
                }
            }

            extension Tag: nonisolated Switchyard.Model {
            }
            """)
    }

    @Test("a package model's generated members are of the package")
    func packageModel() {
        expectExpansion(
            of: """
                @Model
                package struct Tag {
                    package let id: ID
                }
                """,
            contains: [
                "    package typealias ID = Switchyard.Identifier<Tag>",
                "    package typealias ModelVersion = Switchyard._Unversioned",
                "    nonisolated package static var entityName: Swift.String {",
                "    nonisolated package static let entity: Swift.Result<Switchyard._Entity, Switchyard.StoreError> = {",
                "    nonisolated package static func attributeName(",
                "    nonisolated package init(",
                "    nonisolated package init(from row: inout Switchyard._RowReader) throws {",
                "    nonisolated package func encode(into row: inout Switchyard._RowWriter) throws {",
                "extension Tag: nonisolated Switchyard.Model {",
            ])
    }

    @Test("a fileprivate model's generated members need no modifier")
    func fileprivateModel() {
        expectExpansion(
            of: """
                @Model
                fileprivate struct Tag {
                    fileprivate let id: ID
                }
                """,
            contains: [
                "    typealias ID = Switchyard.Identifier<Tag>",
                "    typealias ModelVersion = Switchyard._Unversioned",
                "    nonisolated static var entityName: Swift.String {",
                "    nonisolated static let entity: Swift.Result<Switchyard._Entity, Switchyard.StoreError> = {",
                "    nonisolated static func attributeName(",
                "    nonisolated init(",
                "    nonisolated init(from row: inout Switchyard._RowReader) throws {",
                "    nonisolated func encode(into row: inout Switchyard._RowWriter) throws {",
            ])
    }

    @Test(
        "a model in an extension has the extension's access, unless it has one itself",
        arguments: [
            ("public", "", "public "), ("package", "", "package "), ("private", "", ""), ("", "", ""),
            ("public", "internal ", ""), ("public", "package ", "package "),
        ])
    func inExtension(around: String, own: String, written: String) {
        expectExpansion(
            of: """
                \(around) extension V1 {
                    @Model
                    \(own)struct Tag {
                        public let id: ID
                    }
                }
                """,
            contains: [
                "        \(written)typealias ID = Switchyard.Identifier<Tag>",
                "        \(written)typealias ModelVersion = V1",
                "        nonisolated \(written)static var entityName: Swift.String {",
                "        nonisolated \(written)init(",
                "        nonisolated \(written)func encode(into row: inout Switchyard._RowWriter) throws {",
            ])
    }

    @Test("a model in a type inside a public extension is not public")
    func deepInExtension() {
        expectExpansion(
            of: """
                public extension App {
                    enum V1 {
                        @Model
                        struct Tag {
                            let id: ID
                        }
                    }
                }
                """,
            contains: ["            typealias ID = Switchyard.Identifier<Tag>"], lacks: "public typealias")
    }

    @Test(
        "the memberwise initialiser is as hidden as a property with a type that may be",
        arguments: [
            ("public", "private var kind: Kind", "private "),
            ("public", "fileprivate var kind: [Kind]", "fileprivate "),
            ("public", "internal var kind: Kind?", ""), ("public", "var kind: [String: Kind]", ""),
            ("public", "package var kind: Baby.ID", "package "),
            ("package", "var kind: Kind", ""), ("package", "public var kind: Kind", "package "),
            ("internal", "public var kind: Kind", ""),
            ("internal", "private var kind: Kind = .a", "private "),
            ("fileprivate", "private var kind: Kind", "private "), ("fileprivate", "var kind: Kind", ""),
        ])
    func hiddenType(access: String, property: String, written: String) {
        expectExpansion(
            of: """
                @Model
                \(access) struct Tag {
                    public let id: ID
                    var name: String
                    \(property)
                }
                """,
            contains: ["    nonisolated \(written)init("])
    }

    @Test(
        "the memberwise initialiser is as visible as the model where every type is",
        arguments: [
            "private var count: Int = 0", "private var times: [Swift.String: [Date]]?",
            "fileprivate var parent: Tag.ID?", "var amount: Optional<Decimal>", "public var kind: Kind",
            "public private(set) var kind: Kind", "@Transient private var kind: Kind = .a",
        ])
    func visibleType(property: String) {
        expectExpansion(
            of: """
                @Model
                public struct Tag {
                    public let id: ID
                    \(property)
                }
                """,
            contains: ["    nonisolated public init("])
    }
}
