internal import Foundation

/// Numbers as people write them, in any locale.
public enum DecimalText {
    /// Reads a number: digits, with an optional sign and an optional point or comma before the decimals.
    ///
    /// Grouping separators and exponents are not accepted. A comma before exactly three digits is ambiguous, so
    /// it is refused unless a single 0 precedes it.
    ///
    /// - Throws: `IntentError` `invalidValue`.
    public static func parse(_ text: String) throws -> Double {
        let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        let parts = digits.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        guard parts.count <= 2, digits.contains(where: { $0 != "." && $0 != "," }),
            parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let number = Double(text.replacingOccurrences(of: ",", with: ".")), number.isFinite
        else { throw IntentError(.invalidValue, "\(text.quoted) is not a number.") }
        if parts.count == 2, digits.contains(","), parts[1].count == 3, parts[0] != "0" {
            throw IntentError(
                .invalidValue,
                "\(text.quoted) can be read in two ways; write decimals with a point and thousands without a "
                    + "comma."
            )
        }
        return number
    }

    /// The shortest text of a number, without `.0`: `120`, `4.5`.
    public static func text(_ number: Double) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
