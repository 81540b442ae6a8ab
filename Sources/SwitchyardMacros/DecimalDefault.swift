import SwiftSyntax

/// Writes a `Decimal` default with exactly the digits of its literal.
///
/// Foundation converts a literal to a Decimal through a double: `4.99` would become 4.990000000000001024.
enum DecimalDefault {
    /// How many digits every backend can hold, the same as in Core's `CanonicalDecimal`.
    private static let maximumDigits = 38

    /// The expression that replaces a literal with a point or an exponent, or an array of such literals; nil for
    /// any other expression or type.
    ///
    /// - Throws: `ModelDiagnostic` for a literal that is not a valid decimal.
    static func text(of expression: ExprSyntax, type: PropertyType) throws(ModelDiagnostic) -> String? {
        if type.isArray, let element = type.syntax.as(ArrayTypeSyntax.self)?.element {
            guard let array = expression.as(ArrayExprSyntax.self) else { return nil }
            var elements: [String] = []
            var hasDecimals = false
            for item in array.elements {
                let text = try text(of: item.expression, type: PropertyType(element))
                hasDecimals = hasDecimals || text != nil
                elements.append(text ?? item.expression.trimmedDescription)
            }
            return hasDecimals ? "[\(elements.joined(separator: ", "))]" : nil
        }
        guard type.lastName == "Decimal" else { return nil }
        let prefix = expression.as(PrefixOperatorExprSyntax.self)
        if let prefix, prefix.operator.text != "-" { return nil }
        guard let literal = (prefix?.expression ?? expression).as(FloatLiteralExprSyntax.self) else {
            return nil
        }
        let digits = try digits(of: literal.literal.text)
        return "\(type.wrapped)(string: \"\(prefix == nil ? "" : "-")\(digits)\")!"
    }

    /// A literal without exponent and underscores.
    private static func digits(of literal: String) throws(ModelDiagnostic) -> String {
        let literal = literal.filter { $0 != "_" }.lowercased()
        guard !literal.hasPrefix("0x") else {
            throw ModelDiagnostic(
                "hexadecimalDecimal", "a decimal literal must be in base ten, such as '0.25'")
        }
        let parts = literal.split(separator: "e")
        let mantissa = parts[0].split(separator: ".")
        let exponent = parts.count > 1 ? Int(parts[1]) ?? Int.max : 0
        let fraction = mantissa.count > 1 ? String(mantissa[1]) : ""
        // The limit keeps the number of zeros to write small.
        guard (-maximumDigits...maximumDigits).contains(exponent) else { throw .tooManyDigits }
        let padded =
            String(repeating: "0", count: max(0, -exponent)) + mantissa[0] + fraction
            + String(repeating: "0", count: max(0, exponent))
        let point = max(0, -exponent) + mantissa[0].count + exponent
        let whole = padded.prefix(point).drop { $0 == "0" }
        var rest = padded.dropFirst(point)
        while rest.last == "0" { rest.removeLast() }
        guard whole.count + rest.count <= maximumDigits else { throw .tooManyDigits }
        return (whole.isEmpty ? "0" : String(whole)) + (rest.isEmpty ? "" : ".\(rest)")
    }
}

extension ModelDiagnostic {
    fileprivate static var tooManyDigits: Self {
        ModelDiagnostic(
            "longDecimal", "a decimal can have at most 38 digits before and after the point")
    }
}
