package import Foundation

// Foundation converts a Decimal literal by way of a double, which it multiplies by ten until it is a 64-bit integer:
// `4.99` becomes 4.990000000000001024 (Decimal.init(_: Double) of swift-foundation).

extension Decimal {
    /// The literal that this value was misread from; nil if it need not come from a literal.
    ///
    /// The value comes from a literal if it has more than 15 digits and a double of at most 15 digits, which
    /// every double keeps, converts to exactly this value. Fewer than one in ten thousand other values with
    /// as many digits are mistaken for one, as trials have shown.
    package var misreadLiteral: String? {
        guard let text = CanonicalDecimal.text(self), text.significantDigits > 15,
            let nearest = Double(text), nearest.isFinite
        else { return nil }
        // Each product is rounded by at most half a unit.
        var (below, above) = (nearest, nearest)
        for _ in 0...16 {
            for double in [below, above] where Decimal(double) == self {
                let literal = "\(double)"
                guard literal.significantDigits <= 15, let exact = Decimal(string: literal, locale: nil),
                    exact != self
                else { continue }
                return CanonicalDecimal.text(exact)
            }
            (below, above) = (below.nextDown, above.nextUp)
        }
        return nil
    }
}

extension String {
    /// The number of digits in a number's text, without zeros at either end and without an exponent.
    fileprivate var significantDigits: Int {
        let digits = utf8.prefix { $0 != UInt8(ascii: "e") }.filter { (48...57).contains($0) }
        let zero = UInt8(ascii: "0")
        return digits.drop { $0 == zero }.reversed().drop { $0 == zero }.count
    }
}

extension StoreError {
    /// Throws if a decimal constant differs from the literal that it was written as.
    package static func requireExact(_ value: Decimal) throws {
        guard let literal = value.misreadLiteral else { return }
        throw StoreError(
            .invalidArgument,
            "A decimal constant differs from the literal that it was written as: Swift turns 4.99 into "
                + "4.990000000000001024, for example. Write the number as text, as in 'let rate = "
                + "Decimal(string: \"4.99\")!', and compare with that. Rows written with such a literal have "
                + "the wrong digits as well.",
            detail: "\(value) of \(literal)")
    }
}
