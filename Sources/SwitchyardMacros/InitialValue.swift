import SwiftSyntax

/// The expression after the `=` of a property.
struct InitialValue {
    /// The expression, without comments around it.
    let text: String
    /// Which part of it the schema can use.
    let kind: Kind

    /// Classifies an expression; the schema can use only what is the same in every run.
    enum Kind {
        /// `nil`, which is the default of an optional attribute anyway.
        case absent
        /// A literal.
        case constant(String)
        /// A member written without its type, such as `.pee`; constant if the property's type is an enum.
        case member(String)
        /// A member of a named type, such as `DiaperType.pee`.
        case memberOfType(String)
        /// Anything else, evaluated each time.
        case computed
    }

    /// - Throws: `ModelDiagnostic` for a literal that is not a value of the type.
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

    /// Whether it is a literal, or an array of literals if the type is spelled as an array.
    ///
    /// The elements of a `Set` or a dictionary have no stable order, so only an empty one is constant.
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

    /// Whether an expression is a name, or dotted names whose last begins with a capital letter.
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
