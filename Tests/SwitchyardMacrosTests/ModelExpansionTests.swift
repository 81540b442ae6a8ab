import Testing

@Suite("What @Model writes")
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
            @@
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
            """
            @@
            """)
    }

    @Test("only what has storage and is not transient has a column")
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
            @@
            """)
    }

    @Test("an initialiser with the same labels is left to the model")
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
            """
            @@
            """)
    }
}
