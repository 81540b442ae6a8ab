import Testing

@Suite("What @Model writes has the access of the struct")
struct AccessExpansionTests {
    @Test("a public model's members are public")
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
            @@
            """)
    }

    @Test("a package model's members are of the package")
    func packageModel() {
        expectExpansion(
            of: """
                @Model
                package struct Tag {
                    package let id: ID
                }
                """,
            """
            @@
            """)
    }

    @Test("a fileprivate model's members need no modifier")
    func fileprivateModel() {
        expectExpansion(
            of: """
                @Model
                fileprivate struct Tag {
                    fileprivate let id: ID
                }
                """,
            """
            @@
            """)
    }
}
