import SwiftDiagnostics
import SwiftSyntax

/// The arguments of `@Attribute`.
struct AttributeOptions {
    var column: String?
    var isSearchable = false
    /// The case of `AttributeHistory`, unless the history is whole.
    var history: String?
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
            case (_, "withoutHistory"): options.history = "leftOut"
            case (_, "withoutEarlierValues"): options.history = options.history ?? "withoutEarlierValues"
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

    /// Reads the arguments of `@Model`.
    ///
    /// - Returns: Whether the model is left out of the history.
    mutating func readModelOptions(_ attribute: AttributeSyntax) -> Bool {
        for argument in attribute.labeledArguments
        where argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text != "withoutHistory"
        {
            report(
                argument.expression,
                ModelDiagnostic("modelOption", "write the option out as a case, such as '.withoutHistory'"))
        }
        return !attribute.labeledArguments.isEmpty
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
