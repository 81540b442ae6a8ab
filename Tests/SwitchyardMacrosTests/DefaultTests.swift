import SwiftParser
import SwiftSyntax
import Testing

@Suite("Defaults in the schema")
struct DefaultTests {
    private struct NoAttribute: Error {}

    /// What the macro reads from one property.
    private func property(_ source: String) throws -> StoredProperty {
        let file = Parser.parse(source: "@Model struct Sample { let id: ID; \(source) }")
        let structure = try #require(file.statements.first?.item.as(StructDeclSyntax.self))
        guard case .attribute(let attribute) = structure.attributes.first else { throw NoAttribute() }
        var parser = ModelParser(lexicalContext: [])
        let model = parser.parse(structure, attribute: attribute)
        #expect(parser.diagnostics.isEmpty)
        return try #require(model?.stored.last)
    }

    @Test(
        "a literal default becomes part of the schema",
        arguments: [
            ("var a: Int = 1", "\"a\", Int.self, default: 1", "a: Int = 1"),
            ("var a: Int = -0x1F", "\"a\", Int.self, default: -0x1F", "a: Int = -0x1F"),
            ("var a: Double = 10_800.5", "\"a\", Double.self, default: 10_800.5", "a: Double = 10_800.5"),
            ("var a: Bool = true", "\"a\", Bool.self, default: true", "a: Bool = true"),
            ("var a: Bool? = false", "\"a\", Bool?.self, default: false", "a: Bool? = false"),
            ("var a: String = \"\"", "\"a\", String.self, default: \"\"", "a: String = \"\""),
            (
                "var a: String = #\"x\"y\"#", "\"a\", String.self, default: #\"x\"y\"#",
                "a: String = #\"x\"y\"#"
            ),
            ("var a: [Int] = [1, -2]", "\"a\", [Int].self, default: [1, -2]", "a: [Int] = [1, -2]"),
            ("var a: Set<Int> = []", "\"a\", Set<Int>.self, default: []", "a: Set<Int> = []"),
            (
                "var a: [String: Int] = [:]", "\"a\", [String: Int].self, default: [:]",
                "a: [String: Int] = [:]"
            ),
        ])
    func literal(source: String, description: String, parameter: String) throws {
        let property = try property(source)
        #expect(property.description == description)
        #expect(property.parameter == parameter)
    }

    @Test(
        "a decimal literal default keeps its digits, in the schema and in the initialiser",
        arguments: [
            ("Decimal = 4.99", "Decimal(string: \"4.99\")!"),
            ("Decimal? = -0.070", "Decimal(string: \"-0.07\")!"),
            ("Foundation.Decimal = 1_234_567.89", "Foundation.Decimal(string: \"1234567.89\")!"),
            ("Optional<Decimal> = 1.5e-3", "Decimal(string: \"0.0015\")!"),
            ("Decimal = 12.5E2", "Decimal(string: \"1250\")!"),
            ("Decimal = 1e+3", "Decimal(string: \"1000\")!"),
            ("Decimal = 0.0", "Decimal(string: \"0\")!"),
            (
                "Decimal = 0.12345678901234567890123456789012345678",
                "Decimal(string: \"0.12345678901234567890123456789012345678\")!"
            ),
            ("Decimal = -5", "-5"),
            ("Decimal = 0xFF", "0xFF"),
            (
                "[Decimal] = [4.99, -1, 19.99]",
                "[Decimal(string: \"4.99\")!, -1, Decimal(string: \"19.99\")!]"
            ),
        ])
    func decimal(declaration: String, value: String) throws {
        let property = try property("var a: \(declaration)")
        #expect(property.description.hasSuffix(".self, default: \(value)"))
        #expect(property.parameter.hasSuffix(" = \(value)"))
    }

    @Test(
        "an array default with non-literals keeps the digits of its decimals in the initialiser")
    func mixedDecimals() throws {
        let property = try property("var a: [Decimal] = [4.99, rate]")
        #expect(property.description == "\"a\", [Decimal].self")
        #expect(property.parameter == "a: [Decimal] = [Decimal(string: \"4.99\")!, rate]")
    }

    @Test(
        "a literal that is not a decimal is refused as a decimal default",
        arguments: [
            ("0x1.8p1", "a decimal literal must be in base ten, such as '0.25'"),
            (
                "0.123456789012345678901234567890123456789",
                "a decimal can have at most 38 digits before and after the point"
            ),
            ("1e38", "a decimal can have at most 38 digits before and after the point"),
            ("1e99999999999999999999", "a decimal can have at most 38 digits before and after the point"),
        ])
    func noDecimal(literal: String, message: String) {
        expectRefusal(
            of: "    let id: ID\n    var a: Decimal = \(literal)", message, line: 4, column: 22)
    }

    @Test(
        "a member default is suggested as an enum's case with its type",
        arguments: [
            ("var a: Kind = .pee", "\"a\", Kind.self, case: Kind.pee", "a: Kind = .pee"),
            ("var a: Kind? = .pee", "\"a\", Kind?.self, case: Kind.pee", "a: Kind? = .pee"),
            (
                "var a: Optional<Kind> = .pee", "\"a\", Optional<Kind>.self, case: Kind.pee",
                "a: Optional<Kind> = .pee"
            ),
            ("var a: Kind = .none", "\"a\", Kind.self, case: Kind.none", "a: Kind = .none"),
            ("var a: Kind = V1.Kind.pee", "\"a\", Kind.self, case: V1.Kind.pee", "a: Kind = V1.Kind.pee"),
            ("var a: Date = .now", "\"a\", Date.self, case: Date.now", "a: Date = .now"),
        ])
    func member(source: String, description: String, parameter: String) throws {
        let property = try property(source)
        #expect(property.description == description)
        #expect(property.parameter == parameter)
    }

    @Test(
        "a default that differs between runs belongs to the initialiser alone",
        arguments: [
            ("var a: Date = Date()", "\"a\", Date.self", "a: Date = Date()"),
            ("var a: Date = makeDate()", "\"a\", Date.self", "a: Date = makeDate()"),
            ("var a: Int = start", "\"a\", Int.self", "a: Int = start"),
            ("var a: Int = 1 + 1", "\"a\", Int.self", "a: Int = 1 + 1"),
            (
                "var a: Date = Date.now.addingTimeInterval(1)", "\"a\", Date.self",
                "a: Date = Date.now.addingTimeInterval(1)"
            ),
            ("var a: String = \"\\(start)\"", "\"a\", String.self", "a: String = \"\\(start)\""),
            ("var a: Set<Int> = [1, 2]", "\"a\", Set<Int>.self", "a: Set<Int> = [1, 2]"),
            (
                "var a: [String: Int] = [\"a\": 1]", "\"a\", [String: Int].self",
                "a: [String: Int] = [\"a\": 1]"
            ),
            ("var a: [Date] = [.now]", "\"a\", [Date].self", "a: [Date] = [.now]"),
            ("var a: Int = shared.count", "\"a\", Int.self", "a: Int = shared.count"),
        ])
    func computed(source: String, description: String, parameter: String) throws {
        let property = try property(source)
        #expect(property.description == description)
        #expect(property.parameter == parameter)
    }

    @Test(
        "a nil default of an optional changes nothing",
        arguments: [
            ("var a: Int?", "\"a\", Int?.self", "a: Int? = nil"),
            ("var a: Int? = nil", "\"a\", Int?.self", "a: Int? = nil"),
            ("var a: Int? = .none", "\"a\", Int?.self", "a: Int? = .none"),
            ("var a: Optional<Int>", "\"a\", Optional<Int>.self", "a: Optional<Int> = nil"),
            ("var a: Int", "\"a\", Int.self", "a: Int"),
        ])
    func absent(source: String, description: String, parameter: String) throws {
        let property = try property(source)
        #expect(property.description == description)
        #expect(property.parameter == parameter)
    }
}
