import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("The place of indexes and constraints")
struct ConstraintPlaceTests {
    @Test(
        "an index or a constraint that @Model cannot see is refused", arguments: ["Index", "Unique"],
        ["extension Sample {", "struct Sample {", "@Sendable struct Sample {", "enum Sample {"])
    func misplaced(macro: String, declaration: String) {
        expectExpansion(
            of: "\(declaration)\n    #\(macro)<Sample>([\\.id])\n}", "\(declaration)\n}",
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "#\(macro) has an effect only directly in the struct of its model, which is marked @Model",
                    line: 2, column: 5)
            ])
    }

    @Test("an index or a constraint outside any type is refused")
    func outside() {
        expectExpansion(
            of: "#Index<Sample>([\\.id])", "",
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "#Index has an effect only directly in the struct of its model, which is marked @Model",
                    line: 1, column: 1)
            ])
    }

    @Test("an index or a constraint in a struct inside the model is refused")
    func nested() {
        expectConstraintRefusal(
            of: "struct Part {\n        #Index<Sample>([\\.id])\n    }",
            becoming: "    struct Part {\n    }\n",
            "#Index has an effect only directly in the struct of its model, which is marked @Model",
            line: 4, column: 9)
    }

    @Test(
        "an index or a constraint that names another model, or none, is refused",
        arguments: ["<Other>([\\.id])", "<Sample.Other>([\\.id])", "([\\Other.id])"])
    func foreign(arguments: String) {
        expectConstraintRefusal(
            of: "#Unique\(arguments)", becoming: "",
            "#Unique is in the struct of Sample, so it applies to Sample: write '#Unique<Sample>', or move it "
                + "to the struct of its model")
    }

    @Test(
        "an index names its model with or without the surrounding type, or as Self",
        arguments: ["Sample", "V1.Sample", "`Sample`", "Self"])
    func own(name: String) {
        expectExpansion(
            of: "@Model\nstruct Sample {\n    #Unique<\(name)>([\\.id])\n    let id: ID\n}",
            contains: ["        declaration.unique([\"id\"])"])
    }
}
