import Testing

@testable import SwitchyardMacros

@Suite("A model knows the version namespace around it")
struct VersionExpansionTests {
    @Test("the type around the model is its version, spelled from the outermost")
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
            @@
            """)
    }

    @Test("an extension gives its type as the version")
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
            """
            @@
            """)
    }

    @Test("a version that the model names itself is kept")
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
            """
            @@
            """)
    }
}
