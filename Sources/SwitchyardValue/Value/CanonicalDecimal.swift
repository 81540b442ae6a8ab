public import Foundation

/// The stored form of an exact decimal: digits, at most one point, no exponent, no redundant zeros.
public enum CanonicalDecimal {
    /// The number of digits, before and after the point together, that every backend can hold.
    public static let maximumDigits = 38

    /// The canonical text; nil if the number is NaN or needs more than 38 digits.
    public static func text(_ decimal: Decimal) -> String? {
        guard !decimal.isNaN else { return nil }
        var plain = decimal.description
        return plain.withUTF8 { bytes in
            let parts = Parts(bytes)
            return parts.digits <= maximumDigits ? parts.text : nil
        }
    }

    /// Parses canonical or plain decimal text (`-12.50`); nil for any other text, and for more than 38 digits.
    public static func decimal(_ text: String) -> Decimal? {
        var text = text
        return text.withUTF8 { bytes in
            let parts = Parts(bytes)
            guard parts.isPlain, parts.digits <= maximumDigits else { return nil }
            guard let significand = parts.significand else { return Decimal(string: parts.text, locale: nil) }
            // A zero with a sign would not be a number.
            return significand == 0
                ? 0
                : Decimal(
                    sign: parts.isNegative ? .minus : .plus, exponent: -parts.fraction.count,
                    significand: Decimal(significand))
        }
    }

    /// The number rounded to 38 digits; nil if it is NaN or has more before the point.
    package static func rounded(_ decimal: Decimal) -> Decimal? {
        decimal.isNaN ? nil : self.decimal(rounding: decimal.description)
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
    ///
    /// It counts places in loops: without optimisation, a slice calls several functions for each byte.
    private struct Parts {
        private static let zero = UInt8(ascii: "0"), point = UInt8(ascii: "."), minus = UInt8(ascii: "-")

        private let bytes: UnsafeRawBufferPointer
        let isNegative: Bool
        /// Whether the text is digits, with at most one sign before them and one point between them.
        let isPlain: Bool
        /// Without leading zeros.
        let whole: Range<Int>
        /// Without trailing zeros.
        let fraction: Range<Int>

        init(_ text: UnsafeBufferPointer<UInt8>) {
            bytes = UnsafeRawBufferPointer(text)
            isNegative = !bytes.isEmpty && bytes[0] == Self.minus
            let first = isNegative ? 1 : 0
            var point = bytes.count
            var hasOthers = false
            var place = first
            while place < bytes.count {
                let byte = bytes[place]
                if byte == Self.point, point == bytes.count {
                    point = place
                } else if byte < Self.zero || byte > Self.zero + 9 {
                    hasOthers = true
                }
                place += 1
            }
            var start = first
            while start < point, bytes[start] == Self.zero { start += 1 }
            whole = start..<point
            let next = min(point + 1, bytes.count)
            var end = bytes.count
            while end > next, bytes[end - 1] == Self.zero { end -= 1 }
            fraction = next..<end
            isPlain = !hasOthers && point > first && (point == bytes.count || next < bytes.count)
        }

        /// The number of digits of the canonical text.
        var digits: Int { max(whole.count, 1) + fraction.count }

        /// The number without its sign and its point, of plain text; nil if it could be larger than a UInt64.
        var significand: UInt64? {
            guard whole.count + fraction.count < 20 else { return nil }
            return number(fraction, after: number(whole, after: 0))
        }

        private func number(_ part: Range<Int>, after start: UInt64) -> UInt64 {
            var number = start
            var place = part.lowerBound
            while place < part.upperBound {
                number = number * 10 + UInt64(bytes[place] - Self.zero)
                place += 1
            }
            return number
        }

        var text: String {
            let digits = (whole.isEmpty ? "0" : text(whole)) + (fraction.isEmpty ? "" : "." + text(fraction))
            return isNegative && digits != "0" ? "-" + digits : digits
        }

        private func text(_ part: Range<Int>) -> String {
            String(decoding: UnsafeRawBufferPointer(rebasing: bytes[part]), as: UTF8.self)
        }
    }
}
