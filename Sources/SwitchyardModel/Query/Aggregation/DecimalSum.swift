internal import Foundation

/// The exact sum of decimals of at most 38 digits each, in base-10^9 digits on both sides of the point.
struct DecimalSum {
    /// The lowest digit weighs 10^−45; the five lowest are the fraction.
    private var digits = [Int64](repeating: 0, count: 14)
    private var additionsUntilCarry = mostAdditions

    /// The additions after which a digit may exceed its type.
    private static let mostAdditions = Int64(1) << 32
    private static let base: Int64 = 1_000_000_000
    private static let fractionDigits = 5

    mutating func add(_ value: Decimal) {
        guard let text = CanonicalDecimal.text(value) else { return }
        let sign: Int64 = text.hasPrefix("-") ? -1 : 1
        let parts = text.drop { $0 == "-" }.split(separator: ".")
        if let whole = parts.first {
            var index = Self.fractionDigits
            var rest = whole.utf8
            while !rest.isEmpty {
                digits[index] += sign * Self.number(rest.suffix(9))
                rest = rest.dropLast(9)
                index += 1
            }
        }
        if parts.count > 1 {
            var index = Self.fractionDigits - 1
            var rest = parts[1].utf8
            while !rest.isEmpty {
                let group = rest.prefix(9)
                var number = Self.number(group)
                for _ in group.count..<9 { number *= 10 }
                digits[index] += sign * number
                rest = rest.dropFirst(9)
                index -= 1
            }
        }
        additionsUntilCarry -= 1
        if additionsUntilCarry == 0 { carry() }
    }

    /// Adds another sum.
    mutating func add(_ other: DecimalSum) {
        var other = other
        other.carry()
        carry()
        for index in digits.indices { digits[index] += other.digits[index] }
        carry()
    }

    /// Returns the sum.
    ///
    /// - Throws: `arithmetic` if it has more than 38 digits.
    func value() throws -> Decimal {
        let (isNegative, magnitude) = magnitude()
        guard let decimal = CanonicalDecimal.decimal(Self.text(magnitude, isNegative: isNegative)) else {
            throw StoreError.overflow
        }
        return decimal
    }

    /// Returns the sum divided by a count, rounded to 38 digits, half away from zero; `Decimal`'s own division
    /// truncates.
    ///
    /// - Throws: `arithmetic` if the sum has more than 38 digits.
    func average(of count: Int64) throws -> Decimal {
        _ = try value()
        var (isNegative, quotient) = magnitude()
        var remainder: Int128 = 0
        for index in quotient.indices.reversed() {
            let dividend = remainder * Int128(Self.base) + Int128(quotient[index])
            quotient[index] = Int64(dividend / Int128(count))
            remainder = dividend % Int128(count)
        }
        // 45 places are enough: rounding affects the 38th at the latest.
        guard let decimal = CanonicalDecimal.decimal(rounding: Self.text(quotient, isNegative: isNegative))
        else { throw StoreError.overflow }
        return decimal
    }

    private func magnitude() -> (isNegative: Bool, digits: [Int64]) {
        var copy = self
        copy.carry()
        let isNegative = (copy.digits.last ?? 0) < 0
        if isNegative {
            for index in copy.digits.indices { copy.digits[index] = -copy.digits[index] }
            copy.carry()
        }
        return (isNegative, copy.digits)
    }

    private static func text(_ magnitude: [Int64], isNegative: Bool) -> String {
        let groups = magnitude.reversed().map { digit in
            let text = String(digit)
            return String(repeating: "0", count: max(0, 9 - text.utf8.count)) + text
        }
        let whole = groups.dropLast(fractionDigits).joined()
        let fraction = groups.suffix(fractionDigits).joined()
        return (isNegative ? "-" : "") + whole + "." + fraction
    }

    private mutating func carry() {
        for index in 0..<digits.count - 1 {
            let (quotient, remainder) = digits[index].quotientAndRemainder(dividingBy: Self.base)
            let isBelow = remainder < 0
            digits[index] = isBelow ? remainder + Self.base : remainder
            digits[index + 1] += isBelow ? quotient - 1 : quotient
        }
        additionsUntilCarry = Self.mostAdditions
    }

    private static func number(_ ascii: some Sequence<UInt8>) -> Int64 {
        ascii.reduce(0) { $0 * 10 + Int64($1 &- UInt8(ascii: "0")) }
    }
}
