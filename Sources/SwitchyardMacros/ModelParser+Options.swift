import SwiftDiagnostics
import SwiftSyntax

/// What `@Attribute` says.
struct AttributeOptions {
    var column: String?
    var isSearchable = false
}

extension ModelParser {
    /// Reads the arguments of `@Attribute`.
    mutating func readOptions(_ attribute: AttributeSyntax) -> AttributeOptions {
        var options = AttributeOptions()
        for argument in attribute.labeledArguments {
            if argument.label?.text == "column" {
                options.column = readColumn(argument.expression)
            } else if argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "searchable" {
                options.isSearchable = true
            } else {
                report(
                    argument.expression,
                    ModelDiagnostic("option", "write the option out as a case, such as '.searchable'"))
            }
        }
        return options
    }

    private mutating func readColumn(_ expression: ExprSyntax) -> String? {
        guard let text = expression.as(StringLiteralExprSyntax.self)?.sourceText,
            text.isDatabaseName
        else {
            report(
                expression,
                ModelDiagnostic(
                    "column", "the column's name must be a literal of 1 to 63 ASCII letters, digits or underscores"))
            return nil
        }
        return text
    }
}

extension String {
    /// Whether every backend takes the text as a name, as `Schema` requires.
    var isDatabaseName: Bool {
        (1...63).contains(utf8.count)
            && unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_") }
    }
}
