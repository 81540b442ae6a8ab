import SwiftDiagnostics
import SwiftSyntax

/// The arguments of `@Attribute`.
struct AttributeOptions {
    var column: String?
    var isSearchable = false
}

extension ModelParser {
    /// Reads the arguments of `@Attribute`.
    mutating func readOptions(_ attribute: AttributeSyntax) -> AttributeOptions {
        var options = AttributeOptions()
        for argument in attribute.labeledArguments {
            let option = argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
            switch (argument.label?.text, option) {
            case ("column", _): options.column = readColumn(argument.expression)
            case (_, "searchable"): options.isSearchable = true
            // It is unavailable, and the compiler's error says what to write instead.
            case (_, "unique"): break
            default:
                report(
                    argument.expression,
                    ModelDiagnostic("option", "write the option out as a case, such as '.searchable'"))
            }
        }
        return options
    }

    private mutating func readColumn(_ expression: ExprSyntax) -> String? {
        if expression.is(NilLiteralExprSyntax.self) { return nil }
        guard let text = expression.as(StringLiteralExprSyntax.self)?.sourceText else {
            report(expression, ModelDiagnostic("column", "write the column's name out as a literal"))
            return nil
        }
        checkName(text, of: "a column", at: expression)
        checkColumn(text, at: expression)
        return text
    }
}
