import Testing

@Suite("The version namespace of a model")
struct VersionExpansionTests {
    @Test("the type around a model is its version, spelled from the outermost")
    func nested() {
        expectExpansion(
            of: """
                enum App {
                    enum V2 {
                        @Model
                        struct Tag {
                            let id: ID
                        }
                    }
                }
                """,
            """
            enum App {
                enum V2 {
                    struct Tag {
                        let id: ID

                        typealias ID = Switchyard.Identifier<Tag>

                        typealias ModelVersion = App.V2

                        nonisolated static var entityName: Swift.String {
                            "Tag"
                        }

                        nonisolated static let entity: Swift.Result<Switchyard._Entity, Switchyard.StoreError> = {
                            var declaration = Switchyard._EntityDeclaration<Tag>()
                            let attribute0 = declaration.attribute("id", ID.self)
                            declaration.add(attribute0)
                            return declaration.entity
                        }()

                        nonisolated static func attributeName(
                            of keyPath: Swift.PartialKeyPath<Tag>
                        ) -> Swift.String? {
                            switch keyPath {
                            case \\Tag.id:
                                "id"
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
                }
            }

            extension App.V2.Tag: nonisolated Switchyard.Model {
            }
            """)
    }

    @Test("an extension around a model gives its type as the version")
    func inExtension() {
        expectExpansion(
            of: """
                extension App.V2 {
                    @Model
                    struct Tag {
                        let id: ID
                    }
                }
                """,
            contains: [
                "        typealias ModelVersion = App.V2",
                "extension App.V2.Tag: nonisolated Switchyard.Model {",
            ])
    }

    @Test("a version that a model names itself is kept")
    func ownVersion() {
        expectExpansion(
            of: """
                enum V2 {
                    @Model
                    struct Tag {
                        typealias ModelVersion = App
                        let id: ID
                    }
                }
                """,
            contains: [
                "        typealias ModelVersion = App",
                "extension V2.Tag: nonisolated Switchyard.Model {",
            ], lacks: "ModelVersion = V2")
    }
}
