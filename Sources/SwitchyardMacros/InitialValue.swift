import SwiftSyntax

/// The expression behind the `=` of a property.
struct InitialValue {
    /// The expression, without comments around it.
    let text: String
    /// What the schema may take of it.
    let kind: Kind

    /// What the schema may take of an expression: only what is the same in every run.
    enum Kind {
        /// `nil`, which is what an optional attribute has anyway.
        case absent
        /// A literal.
        case constant(String)
        /// A member of the property's type without the type, such as `.pee`: a constant if the type is an
        /// enum.
        case member(String)
        /// A member of a named type, such as `DiaperType.pee`.
        case memberOfType(String)
        /// Anything else, evaluated each time.
        case computed
    }

    /// - Throws: `ModelDiagnostic` for a literal that is no value of the type.
    init(_ expression: ExprSyntax, type: PropertyType) throws(ModelDiagnostic) {
        text = try DecimalDefault.text(of: expression, type: type) ?? expression.trimmedDescription
        kind = Self.kind(expression, text: text, type: type)
    }

    private static func kind(_ expression: ExprSyntax, text: String, type: PropertyType) -> Kind {
        if expression.is(NilLiteralExprSyntax.self) { return .absent }
        if isConstant(expression, type: type) { return .constant(text) }
        guard let member = expression.as(MemberAccessExprSyntax.self), member.declName.argumentNames == nil
        else {
            return .computed
        }
        let name = member.declName.baseName.text
        guard let base = member.base else {
            return type.isOptional && name == "none" ? .absent : .member(name)
        }
        return isTypeName(base) ? .memberOfType(expression.trimmedDescription) : .computed
    }

    /// Literals, and arrays of them where the type is spelled as an array: a `Set` has no order to rely on,
    /// and dictionaries none either, unless they are empty.
    private static func isConstant(_ expression: ExprSyntax, type: PropertyType) -> Bool {
        switch expression.kind {
        case .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr: return true
        case .stringLiteralExpr:
            return expression.as(StringLiteralExprSyntax.self)?.isConstant == true
        case .prefixOperatorExpr:
            guard let prefix = expression.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "-"
            else {
                return false
            }
            return prefix.expression.is(IntegerLiteralExprSyntax.self)
                || prefix.expression.is(FloatLiteralExprSyntax.self)
        case .dictionaryExpr:
            if case .colon = expression.as(DictionaryExprSyntax.self)?.content { return true }
            return false
        case .arrayExpr:
            guard let array = expression.as(ArrayExprSyntax.self) else { return false }
            return array.elements.isEmpty
                || type.isArray && array.elements.allSatisfy { isConstant($0.expression, type: type) }
        default: return false
        }
    }

    /// Whether an expression is a name, or names joined by points, of which the last begins with a capital.
    private static func isTypeName(_ expression: ExprSyntax) -> Bool {
        if let reference = expression.as(DeclReferenceExprSyntax.self) {
            return reference.baseName.plainText.first?.isUppercase == true
        }
        guard let member = expression.as(MemberAccessExprSyntax.self), let base = member.base else {
            return false
        }
        return member.declName.baseName.plainText.first?.isUppercase == true && isTypeName(base)
    }
}
