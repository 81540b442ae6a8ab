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
        var text = text
        return text.withUTF8 { bytes in
            guard let parts = Parts(plain: bytes), parts.digits <= maximumDigits else { return nil }
            guard let significand = parts.significand else { return Decimal(string: parts.text, locale: nil) }
            // A zero with a sign would not be a number.
            return significand == 0
                ? 0
                : Decimal(
                    sign: parts.isNegative ? .minus : .plus, exponent: -parts.fraction.count,
                    significand: Decimal(significand))
        }
    }

    /// Parses plain decimal text of any length and rounds it to 38 digits, half away from zero; nil if it has more than
    /// 38 digits before the point.
    package static func decimal(rounding text: String) -> Decimal? {
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
        var plain = plain
        return plain.withUTF8 { Parts($0).text }
    }

    /// The digits of a decimal text that are not redundant.
    private struct Parts {
        private static let zero = UInt8(ascii: "0"), point = UInt8(ascii: "."), minus = UInt8(ascii: "-")

        let isNegative: Bool
        /// Without leading zeros.
        let whole: Slice<UnsafeBufferPointer<UInt8>>
        /// Without trailing zeros.
        let fraction: Slice<UnsafeBufferPointer<UInt8>>

        init(_ text: UnsafeBufferPointer<UInt8>) {
            isNegative = text.first == Self.minus
            let end = text.firstIndex(of: Self.point) ?? text.endIndex
            whole = text[(isNegative ? 1 : 0)..<end].drop { $0 == Self.zero }
            let rest = text[min(end + 1, text.endIndex)...]
            fraction = rest[..<((rest.lastIndex { $0 != Self.zero }).map { $0 + 1 } ?? rest.startIndex)]
        }

        /// The same of a text that may be none; nil unless it is digits, with at most one sign before them and one point between
        /// them.
        init?(plain text: UnsafeBufferPointer<UInt8>) {
            self.init(text)
            let point = text.firstIndex(of: Self.point)
            let rest = point.map { text[($0 + 1)...] }
            guard Self.areDigits(text[(isNegative ? 1 : 0)..<(point ?? text.endIndex)]),
                rest.map(Self.areDigits) ?? true
            else { return nil }
        }

        private static func areDigits(_ part: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
            !part.isEmpty && part.allSatisfy { (zero...UInt8(ascii: "9")).contains($0) }
        }

        /// The number of digits of the canonical text.
        var digits: Int { max(whole.count, 1) + fraction.count }

        /// The number without its sign and its point; nil if it could be larger than a UInt64.
        var significand: UInt64? {
            guard whole.count + fraction.count < 20 else { return nil }
            return fraction.reduce(whole.reduce(0, Self.append), Self.append)
        }

        private static func append(_ number: UInt64, _ digit: UInt8) -> UInt64 {
            number * 10 + UInt64(digit - zero)
        }

        var text: String {
            let digits =
                (whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self))
                + (fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self))
            return isNegative && digits != "0" ? "-" + digits : digits
        }
    }
}
