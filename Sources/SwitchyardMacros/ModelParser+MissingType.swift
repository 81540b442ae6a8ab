import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelParser {
    /// Reports a property without a type, and offers to add the type if the default makes it clear.
    mutating func reportMissingType(_ binding: PatternBindingSyntax, name: String) {
        let message = ModelDiagnostic(
            "missingType",
            "write out the type of '\(name)': a macro sees the source only, not the types inferred from it")
        guard let type = binding.initializer.flatMap({ Self.typeName(of: $0.value) }) else {
            return report(binding.pattern, message)
        }
        var fixed = binding
        fixed.pattern.trailingTrivia = []
        fixed.typeAnnotation = TypeAnnotationSyntax(
            colon: .colonToken(trailingTrivia: .space), type: TypeSyntax("\(raw: type)"),
            trailingTrivia: binding.pattern.trailingTrivia)
        report(binding.pattern, message, fixIts: [.replacing("add ': \(type)'", binding, with: fixed)])
    }

    /// The type that Swift infers for an expression, if the spelling alone shows it.
    private static func typeName(of expression: ExprSyntax) -> String? {
        if let prefix = expression.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "-" {
            return typeName(of: prefix.expression)
        }
        switch expression.kind {
        case .integerLiteralExpr: return "Int"
        case .floatLiteralExpr: return "Double"
        case .booleanLiteralExpr: return "Bool"
        case .stringLiteralExpr: return "String"
        default: break
        }
        // `Date()`, `DiaperType.pee`: the name before the parenthesis or the point.
        let named =
            expression.as(FunctionCallExprSyntax.self)?.calledExpression
            ?? expression.as(MemberAccessExprSyntax.self)?.base
        guard let name = named?.as(DeclReferenceExprSyntax.self)?.baseName.text,
            name.first?.isUppercase == true
        else {
            return nil
        }
        return name
    }
}
