internal import Foundation

/// The exact sum of decimals of at most 38 digits each: digits of base 10^9 on both sides of the point.
struct DecimalSum {
    /// The lowest digit weighs 10^−45; the five lowest are the fraction.
    private var digits = [Int64](repeating: 0, count: 14)
    private var additionsUntilCarry = 1 << 32

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

    /// The sum.
    ///
    /// - Throws: `arithmetic` if it has more than 38 digits.
    func value() throws -> Decimal {
        var copy = self
        copy.carry()
        let isNegative = (copy.digits.last ?? 0) < 0
        if isNegative {
            for index in copy.digits.indices { copy.digits[index] = -copy.digits[index] }
            copy.carry()
        }
        let groups = copy.digits.reversed().map { digit in
            let text = String(digit)
            return String(repeating: "0", count: max(0, 9 - text.utf8.count)) + text
        }
        let whole = groups.dropLast(Self.fractionDigits).joined()
        let fraction = groups.suffix(Self.fractionDigits).joined()
        guard let decimal = CanonicalDecimal.decimal((isNegative ? "-" : "") + whole + "." + fraction) else {
            throw StoreError.overflow
        }
        return decimal
    }

    private mutating func carry() {
        for index in 0..<digits.count - 1 {
            let (quotient, remainder) = digits[index].quotientAndRemainder(dividingBy: Self.base)
            let isBelow = remainder < 0
            digits[index] = isBelow ? remainder + Self.base : remainder
            digits[index + 1] += isBelow ? quotient - 1 : quotient
        }
        additionsUntilCarry = 1 << 32
    }

    private static func number(_ ascii: some Sequence<UInt8>) -> Int64 {
        ascii.reduce(0) { $0 * 10 + Int64($1 &- UInt8(ascii: "0")) }
    }
}
