public import Foundation

/// The stored form of an exact decimal: digits, at most one point, no exponent, no redundant zeros.
public enum CanonicalDecimal {
    /// The number of digits, before and after the point together, that every backend can hold.
    public static let maximumDigits = 38

    /// The canonical text; nil if the number is NaN or needs more than 38 digits.
    public static func text(_ decimal: Decimal) -> String? {
        guard !decimal.isNaN else { return nil }
        let text = canonicalText(decimal.description)
        return text.utf8.count(where: { (48...57).contains($0) }) <= maximumDigits ? text : nil
    }

    /// Parses canonical or plain decimal text (`-12.50`); nil for any other text, and for more than 38 digits.
    public static func decimal(_ text: String) -> Decimal? {
        var rest = Substring(text)
        if rest.first == "-" { rest.removeFirst() }
        let parts = rest.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2,
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }),
            canonicalText(text).utf8.count(where: { (48...57).contains($0) }) <= maximumDigits
        else { return nil }
        return Decimal(string: canonicalText(text), locale: nil)
    }

    /// Parses plain decimal text of any length and rounds it to 38 digits, half away from zero; nil if it has more than
    /// 38 digits before the point.
    static func decimal(rounding text: String) -> Decimal? {
        let text = canonicalText(text)
        let parts = text.split(separator: ".")
        guard parts.count > 1 else { return decimal(text) }
        let kept = maximumDigits - parts[0].utf8.count(where: { $0 != UInt8(ascii: "-") })
        guard kept >= 0, let next = parts[1].utf8.dropFirst(kept).first else { return decimal(text) }
        guard let cut = decimal("\(parts[0]).\(parts[1].prefix(kept))0") else { return nil }
        guard next >= UInt8(ascii: "5") else { return cut }
        let unit = Decimal(sign: text.hasPrefix("-") ? .minus : .plus, exponent: -kept, significand: 1)
        return cut + unit
    }

    private static func canonicalText(_ plain: String) -> String {
        let isNegative = plain.hasPrefix("-")
        let parts = plain.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        let whole = (parts.first ?? "").drop { $0 == "0" }
        var fraction = parts.count > 1 ? parts[1] : ""
        while fraction.last == "0" { fraction.removeLast() }
        let digits = (whole.isEmpty ? "0" : String(whole)) + (fraction.isEmpty ? "" : "." + fraction)
        return isNegative && digits != "0" ? "-" + digits : digits
    }
}
