import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Declarations that cannot be models")
struct ShapeDiagnosticTests {
    @Test("a class is refused as a model, with a struct as the fix")
    func classDeclaration() {
        expectExpansion(
            of: "@Model\nfinal class Sample {\n    let id: ID\n}",
            "final class Sample {\n    let id: ID\n}",
            diagnostics: [
                DiagnosticSpec(
                    message: "@Model needs a struct: models are values", line: 2, column: 7,
                    fixIts: [FixItSpec(message: "make it a struct")])
            ],
            fixed: "@Model\nfinal struct Sample {\n    let id: ID\n}")
    }

    @Test("an option of a model that is not a literal is refused")
    func option() {
        expectExpansion(
            of: "@Model(options)\nstruct Sample {\n    let id: ID\n}",
            """
            struct Sample {
                let id: ID

                typealias ID = Switchyard.Identifier<Sample>

                typealias ModelVersion = Switchyard._Unversioned
            }
            """,
            diagnostics: [
                DiagnosticSpec(
                    message: "write the option out as a case, such as '.withoutHistory'", line: 1, column: 8)
            ])
    }

    @Test(
        "a policy that cannot merge values of the property's type is refused",
        arguments: [
            (".merge(.counter)", "String", "'.counter' adds up numbers, not values of the type 'String'"),
            (".merge(.counter)", "[Int]", "'.counter' adds up numbers, not values of the type '[Int]'"),
            (".merge(.union)", "Date?", "'.union' merges arrays, not values of the type 'Date'"),
            (
                ".merge(.maximum)", "Data",
                "'.maximum' compares numbers, times, days and Bools, not values of the type 'Data'"
            ),
            (
                ".merge(.minimum)", "Baby.ID",
                "'.minimum' compares numbers, times, days and Bools, not values of the type 'Baby.ID'"
            ),
            (".merge(policy)", "Int", "write the policy out as a case, such as '.merge(.maximum)'"),
            (
                ".merge(.counter), .merge(.maximum)", "Int",
                "there is a policy already, '.counter': remove one of them"
            ),
        ])
    func policy(options: String, type: String, message: String) {
        let column =
            switch options {
            case ".merge(policy)": 23
            case ".merge(.counter), .merge(.maximum)": 34
            default: 16
            }
        expectRefusal(
            of: "    let id: ID\n    @Attribute(\(options)) var value: \(type)", message, column: column)
    }

    @Test("an enum and an actor are refused as models", arguments: ["enum", "actor"])
    func otherDeclaration(keyword: String) {
        expectExpansion(
            of: "@Model\n\(keyword) Sample {\n}", "\(keyword) Sample {\n}",
            diagnostics: [
                DiagnosticSpec(message: "@Model needs a struct: models are values", line: 1, column: 1)
            ])
    }

    @Test("generic parameters of a model are refused")
    func generic() {
        expectExpansion(
            of: "@Model\nstruct Sample<Value> {\n    let id: ID\n}",
            "struct Sample<Value> {\n    let id: ID\n}",
            diagnostics: [
                DiagnosticSpec(
                    message: "a model cannot be generic, or inside a generic type: its entity is one table",
                    line: 2, column: 14)
            ])
    }

    @Test("a generic type around a model is refused")
    func genericContext() {
        expectExpansion(
            of: "enum Version<Value> {\n    @Model\n    struct Sample {\n        let id: ID\n    }\n}",
            "enum Version<Value> {\n    struct Sample {\n        let id: ID\n    }\n}",
            diagnostics: [
                DiagnosticSpec(
                    message: "a model cannot be generic, or inside a generic type: its entity is one table",
                    line: 3, column: 12)
            ])
    }

    @Test("a private model inside a type is refused, with fileprivate as the fix")
    func privateModel() {
        expectExpansion(
            of: "enum Version {\n    @Model\n    private struct Sample {\n        let id: ID\n    }\n}",
            """
            enum Version {
                private struct Sample {
                    let id: ID

                    typealias ID = Switchyard.Identifier<Sample>

                    typealias ModelVersion = Version
                }
            }
            """,
            diagnostics: [
                DiagnosticSpec(
                    message: "a model inside another type must be at least 'fileprivate'", line: 3, column: 5,
                    fixIts: [FixItSpec(message: "make it 'fileprivate'")])
            ],
            fixed:
                "enum Version {\n    @Model\n    fileprivate struct Sample {\n        let id: ID\n    }\n}")
    }

    @Test("a missing id is refused, and inserted as the fix")
    func missingIdentifier() {
        expectRefusal(
            of: "    var name: String", "a model needs an id: 'let id: ID'", line: 2, column: 8,
            fixIt: ("insert 'let id: ID'", "    let id: ID\n    var name: String"))
    }

    @Test(
        "an id declared otherwise is refused, with the right declaration as the fix",
        arguments: [
            "var id: ID", "let id: UUID", "let id: ID = ID()", "let id = ID()", "var id: ID { ID() }",
            "let id: BabyProfile.ID",
        ])
    func wrongIdentifier(declaration: String) {
        expectRefusal(
            of: "    \(declaration) // key\n    var name: String",
            "the id of a model must be declared as 'let id: ID'", line: 3,
            fixIt: ("declare it so", "    let id: ID // key\n    var name: String"))
    }

    @Test("names that a backend does not accept are refused")
    func names() {
        expectRefusal(
            of: "    let id: ID\n    var größe: Int",
            "the name of a stored property must be 1 to 63 ASCII letters, digits or underscores, and not begin "
                + "with 'switchyard_' or 'sqlite_'",
            column: 9)
    }

    @Test(
        "a column name that a backend does not accept is refused", arguments: ["feed type", "", "sqlite_a"])
    func columns(column: String) {
        expectRefusal(
            of: "    let id: ID\n    @Attribute(column: \"\(column)\") var name: Int",
            "the name of a column must be 1 to 63 ASCII letters, digits or underscores, and not begin with "
                + "'switchyard_' or 'sqlite_'",
            column: 24)
    }

    @Test(
        "a system column of PostgreSQL is refused as a column name",
        arguments: ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"])
    func systemColumn(column: String) {
        let message =
            "every table of PostgreSQL has a column '\(column)' of its own: give this one another name, as in "
            + "'@Attribute(column: \"\(column)_value\")'"
        expectRefusal(of: "    let id: ID\n    var \(column): Int", message, column: 9)
        expectRefusal(
            of: "    let id: ID\n    @Attribute(column: \"\(column)\") var name: Int", message, column: 24)
    }

    @Test("a property named like a system column of PostgreSQL may have another column")
    func renamedSystemColumn() throws {
        let file = Parser.parse(
            source: "@Model struct Sample { let id: ID; @Attribute(column: \"least\") var xmin: Int }")
        let structure = try #require(file.statements.first?.item.as(StructDeclSyntax.self))
        let attribute = try #require(structure.attributes.first?.as(AttributeSyntax.self))
        var parser = ModelParser(lexicalContext: [])
        _ = parser.parse(structure, attribute: attribute)
        #expect(parser.diagnostics.isEmpty)
    }

    @Test("a calculated column name is refused")
    func interpolatedColumn() {
        expectRefusal(
            of: "    let id: ID\n    @Attribute(column: \"a\\(b)\") var name: Int",
            "write the column's name out as a literal", column: 24)
    }

    @Test("two properties with one column are refused")
    func duplicateColumn() {
        expectRefusal(
            of: "    let id: ID\n    var name: String\n    @Attribute(column: \"NAME\") var title: String",
            "there is already a column 'NAME': two names must differ in more than case", line: 5, column: 36)
    }

    @Test("an @Attribute on a computed property is refused")
    func computed() {
        expectRefusal(
            of: "    let id: ID\n    @Attribute(.searchable) var name: String { \"\" }",
            "a computed property has no column")
    }
}
