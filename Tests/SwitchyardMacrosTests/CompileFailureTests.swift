import Testing

@Suite(
    "Declarations that the compiler refuses",
    .enabled(if: TypeCheck.isPossible, "needs swiftc and the built modules beside the test program"))
struct CompileFailureTests {
    @Test("models of one version compile together")
    func control() throws {
        let check = try TypeCheck(
            """
            enum V9 {
                @Model struct Meal {
                    let id: ID
                    var food: Food.ID?
                }
                @Model struct Food {
                    let id: ID
                    @Relationship(inverse: \\V9.Meal.food) var meals: ToMany<Meal>
                }
            }
            """)
        #expect(check.succeeded, "\(check.output)")
    }

    @Test(
        "a reference to a model of another version does not compile",
        arguments: ["V9.Food.ID", "Identifier<V9.Food>?", "FoodV9.ID?", "FoodID?"])
    func otherVersion(type: String) throws {
        let check = try TypeCheck(
            """
            enum V9 {
                @Model struct Food { let id: ID }
            }
            typealias FoodV9 = V9.Food
            typealias FoodID = V9.Food.ID
            enum V10 {
                @Model struct Meal {
                    let id: ID
                    var food: \(type)
                }
            }
            """)
        #expect(!check.succeeded)
        #expect(check.reports("a model can refer only to models of its own schema version"))
    }

    @Test(
        "a default does not hide a reference to a model of another version",
        arguments: ["V9.Food.ID = .unknown", "V9.Food.ID? = .unknown", "FoodID = V9.Food.ID.unknown"])
    func otherVersionWithDefault(property: String) throws {
        let check = try TypeCheck(
            """
            enum V9 {
                @Model struct Food { let id: ID }
            }
            typealias FoodID = V9.Food.ID
            extension Identifier where Row == V9.Food {
                static var unknown: Self { Self() }
            }
            enum V10 {
                @Model struct Meal {
                    let id: ID
                    var food: \(property)
                }
            }
            """)
        #expect(!check.succeeded)
        #expect(check.reports("a model can refer only to models of its own schema version"))
    }

    @Test(
        "an inverse that does not fit does not compile",
        arguments: [
            ("Owner.ID", ".nullify", "the delete rule .nullify sets the inverse to nil"),
            ("Other.ID?", ".nullify", "the inverse of a to-many must refer to the model that declares it"),
            ("Other.ID", ".cascade", "the inverse of a to-many must refer to the model that declares it"),
        ])
    func inverse(type: String, rule: String, message: String) throws {
        let check = try TypeCheck(
            """
            @Model struct Owner {
                let id: ID
                @Relationship(deleteRule: \(rule), inverse: \\Part.owner) var parts: ToMany<Part>
            }
            @Model struct Other { let id: ID }
            @Model struct Part {
                let id: ID
                var owner: \(type)
            }
            """)
        #expect(!check.succeeded)
        #expect(check.reports(message))
    }

    @Test("a type that no column holds does not compile")
    func type() throws {
        let forms = [
            ("NoCases", "an enum is stored by its raw value"),
            ("NoCases?", "an enum is stored by its raw value"),
            ("Unsigned", "an enum is stored by its raw value"),
            ("Flags", "an enum is stored by its raw value"),
            ("Big", "a column holds a signed integer of 64 bits"),
            ("Big?", "a column holds a signed integer of 64 bits"),
            ("Wide", "a column holds a signed integer of 64 bits"),
            ("Wide? = 0", "a column holds a signed integer of 64 bits"),
            ("Float16", "a column holds a Float or a Double"),
            ("Float16? = 0.5", "a column holds a Float or a Double"),
            ("CGFloat = 0", "a column holds a Float or a Double"),
            ("Tag", "an enum is stored by its raw value"),
            ("Tag = \"x\"", "an enum is stored by its raw value"),
            ("Tag? = \"x\"", "an enum is stored by its raw value"),
            ("Set<Int>", "a set, or a dictionary whose keys are neither text nor integers, has no order"),
            ("Set<Int>?", "a set, or a dictionary whose keys are neither text nor integers, has no order"),
            ("[Key: Int]", "a set, or a dictionary whose keys are neither text nor integers, has no order"),
            ("[UUID: Int]?", "a set, or a dictionary whose keys are neither text nor integers, has no order"),
            ("Plain", "a stored property needs a type that Switchyard knows"),
        ]
        let checks = try TypeCheck.each(
            forms.enumerated().map { number, form in
                """
                @Model struct Sample\(number) {
                    let id: ID
                    var value: \(form.0)
                }
                """
            },
            beside: """
                enum NoCases: String, Codable { case a }
                enum Unsigned: UInt64, Codable, CaseIterable { case a = 1 }
                struct Flags: OptionSet, Codable { let rawValue: Int }
                struct Tag: RawRepresentable, Codable, ExpressibleByStringLiteral {
                    let rawValue: String
                    init(rawValue: String) { self.rawValue = rawValue }
                    init(stringLiteral value: String) { self.init(rawValue: value) }
                }
                typealias Big = UInt64
                typealias Wide = Int128
                enum Key: String, Codable { case a }
                struct Plain {}
                """)
        for ((type, message), check) in zip(forms, checks) {
            #expect(check.reports(message), "\(type): \(check.output)")
        }
    }

    @Test(
        "a dictionary attribute with the keys of a JSON object compiles",
        arguments: [
            "[String: Int] = [:]", "[Int: String]? = [:]", "[Key: Int]", "[Key: Int]?",
            "Dictionary<Key, [Int]>? = .some([:])",
        ])
    func dictionary(property: String) throws {
        let check = try TypeCheck(
            """
            enum Key: String, Codable, CodingKeyRepresentable { case a }
            @Model struct Sample {
                let id: ID
                var value: \(property)
            }
            """)
        #expect(check.succeeded, "\(check.output)")
    }

    @Test("a model in place of its id does not compile")
    func embedded() throws {
        let properties = [
            "Baby", "Baby?", "[Baby] = []", "[Baby]? = []", "Set<Baby> = []", "Set<Baby>?",
            "Baby = .nobody", "Plain?", "[Plain]", "[String: Plain] = [:]", "[Int: Baby]?",
        ]
        let checks = try TypeCheck.each(
            properties.enumerated().map { number, property in
                """
                @Model struct Feed\(number) {
                    let id: ID
                    var baby: \(property)
                }
                """
            },
            beside: """
                @Model struct Baby: Codable, Hashable {
                    let id: ID
                    static let nobody = Baby()
                }
                @Model struct Plain { let id: ID }
                """)
        for (property, check) in zip(properties, checks) {
            #expect(
                check.reports("a model is referred to, not embedded: store its id"),
                "\(property): \(check.output)")
        }
    }

    @Test("ids of models in an array are ordinary values")
    func arrayOfIdentifiers() throws {
        let check = try TypeCheck(
            """
            @Model struct Baby { let id: ID }
            @Model struct Feed {
                let id: ID
                var babies: [Baby.ID] = []
            }
            """)
        #expect(check.succeeded, "\(check.output)")
    }

    @Test(
        "an index or a constraint over another model's property does not compile",
        arguments: [
            (
                "extension Baby { #Index<Baby>([\\.name]) }",
                "#Index has an effect only directly in the struct"
            ),
            (
                "struct Other { #Unique<Baby>([\\.name]) }",
                "#Unique has an effect only directly in the struct"
            ),
            ("#Unique<Baby>([\\.name])", "#Unique has an effect only directly in the struct"),
            (
                "@Model struct Feed { let id: ID; var name: String; #Unique<Baby>([\\.name]) }",
                "#Unique is in the struct of Feed"
            ),
        ])
    func constraint(declaration: String, message: String) throws {
        let check = try TypeCheck(
            """
            @Model struct Baby {
                let id: ID
                var name: String
            }
            \(declaration)
            """)
        #expect(!check.succeeded)
        #expect(check.reports(message))
    }

    @Test("only text can be searchable")
    func searchable() throws {
        let check = try TypeCheck(
            """
            @Model struct Sample {
                let id: ID
                @Attribute(.searchable) var value: Int
            }
            """)
        #expect(!check.succeeded)
        #expect(check.reports("only text can be searchable"))
    }

    @Test("two to-many relationships that are each other's inverse do not compile")
    func manyToMany() throws {
        let check = try TypeCheck(
            """
            @Model struct Film {
                let id: ID
                @Relationship(inverse: \\Actor.films) var actors: ToMany<Actor>
            }
            @Model struct Actor {
                let id: ID
                @Relationship(inverse: \\Film.actors) var films: ToMany<Film>
            }
            """)
        #expect(!check.succeeded)
        #expect(check.reports("declare a model for the link"), "\(check.output)")
    }

    @Test(
        "an optional attribute and one of a captured model do not compare",
        arguments: [
            "$0.list == list.id", "$0.list != list.id", "list.id == $0.list", "list.size != $0.size",
        ])
    func capturedOptional(condition: String) throws {
        let check = try TypeCheck(
            """
            @Model struct List {
                let id: ID
                var size: Int
            }
            @Model struct Item {
                let id: ID
                var list: List.ID?
                var size: Int?
            }
            func items(of list: List) -> Query<Item> { Item.where(#Predicate { \(condition) }) }
            """)
        #expect(!check.succeeded)
        #expect(check.reports("declare the value before the predicate, as in 'let id = list.id'"))
    }
}
