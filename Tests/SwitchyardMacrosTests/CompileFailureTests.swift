import Foundation
import Testing

/// Type-checks sources against the modules beside the test program, as the compiler would in a client.
private struct TypeCheck {
    private static let products = Bundle.main.executableURL?.deletingLastPathComponent()
    private static let compiler = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":")
        .map { URL(fileURLWithPath: String($0)).appending(path: "swiftc") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    /// Whether the compiler and what it needs are where SwiftPM puts them.
    static var isPossible: Bool {
        guard let products, compiler != nil else { return false }
        return ["Modules/Switchyard.swiftmodule", "SwitchyardMacros-tool"].allSatisfy {
            FileManager.default.fileExists(atPath: products.appending(path: $0).path)
        }
    }

    /// The module maps of the C targets beneath Core, which its module names.
    private static let moduleMaps: [String] = {
        var directory = products
        for _ in 1...4 {
            directory = directory?.deletingLastPathComponent()
            guard let checkouts = directory?.appending(path: "checkouts"),
                let packages = try? FileManager.default.contentsOfDirectory(atPath: checkouts.path)
            else { continue }
            return packages.flatMap { package in
                let sources = checkouts.appending(path: package).appending(path: "Sources")
                let targets = (try? FileManager.default.contentsOfDirectory(atPath: sources.path)) ?? []
                return targets.map {
                    sources.appending(path: $0).appending(path: "include/module.modulemap").path
                }
            }.filter { FileManager.default.fileExists(atPath: $0) }
        }
        return []
    }()

    let succeeded: Bool
    let output: String

    init(_ source: String) throws {
        let products = try #require(Self.products)
        let compiler: URL = try #require(Self.compiler)
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).swift")
        try "import Foundation\nimport Switchyard\n\(source)".write(
            to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = compiler
        process.arguments =
            [
                "-typecheck", "-swift-version", "6", "-parse-as-library", "-I",
                products.appending(path: "Modules").path,
                "-load-plugin-executable",
                products.appending(path: "SwitchyardMacros-tool").path + "#SwitchyardMacros",
                file.path,
            ] + Self.moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = pipe
        try process.run()
        output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        succeeded = process.terminationStatus == 0
    }

    /// Whether an error's headline says this.
    func reports(_ message: String) -> Bool {
        output.split(separator: "\n").contains { $0.contains(": error: ") && $0.contains(message) }
    }
}

@Suite(
    "Declarations that the compiler refuses",
    .enabled(if: TypeCheck.isPossible, "needs swiftc and the built modules beside the test program"))
struct CompileFailureTests {
    @Test("models of one version compile")
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
            extension Identifier where Entity == V9.Food {
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

    @Test(
        "a type that no column holds does not compile",
        arguments: [
            ("NoCases", "an enum is stored by its raw value"),
            ("NoCases?", "an enum is stored by its raw value"),
            ("Unsigned", "an enum is stored by its raw value"),
            ("Flags", "an enum is stored by its raw value"),
            ("Big", "a column holds a signed integer of 64 bits"),
            ("Big?", "a column holds a signed integer of 64 bits"),
            ("Set<Int>", "a set, or a dictionary whose keys are neither text nor integers, has no order"),
            ("Set<Int>?", "a set, or a dictionary whose keys are neither text nor integers, has no order"),
            ("[Key: Int]", "a set, or a dictionary whose keys are neither text nor integers, has no order"),
            ("[UUID: Int]?", "a set, or a dictionary whose keys are neither text nor integers, has no order"),
            ("Plain", "a stored property needs a type that Switchyard knows"),
        ])
    func type(type: String, message: String) throws {
        let check = try TypeCheck(
            """
            enum NoCases: String, Codable { case a }
            enum Unsigned: UInt64, Codable, CaseIterable { case a = 1 }
            struct Flags: OptionSet, Codable { let rawValue: Int }
            typealias Big = UInt64
            enum Key: String, Codable { case a }
            struct Plain {}
            @Model struct Sample {
                let id: ID
                var value: \(type)
            }
            """)
        #expect(!check.succeeded)
        #expect(check.reports(message))
    }

    @Test(
        "a dictionary whose keys are those of a JSON object compiles",
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
}
