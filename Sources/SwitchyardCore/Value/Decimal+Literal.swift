internal import Foundation

// Foundation makes a Decimal of a literal by way of a double, multiplied by ten until it is an integer of 64
// bits: `4.99` becomes 4.990000000000001024 (Decimal.init(_: Double) of swift-foundation).

extension Decimal {
    /// The digits of the literal that this value must come from; nil if it need not come from one.
    ///
    /// It comes from a literal if a double that is written with at most 15 digits, as many as every double
    /// keeps, becomes just this value, which has more digits and is another number. Of values with so many
    /// digits that come from elsewhere, fewer than one in ten thousand look alike, by trial.
    var misreadLiteral: String? {
        guard let text = CanonicalDecimal.text(self), text.significantDigits > 15,
            let nearest = Double(text), nearest.isFinite
        else { return nil }
        // The products round, each by half a unit at most.
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
    /// The number of digits of a number's text, but for zeros at either end and an exponent.
    fileprivate var significantDigits: Int {
        let digits = utf8.prefix { $0 != UInt8(ascii: "e") }.filter { (48...57).contains($0) }
        let zero = UInt8(ascii: "0")
        return digits.drop { $0 == zero }.reversed().drop { $0 == zero }.count
    }
}

extension StoreError {
    /// Refuses a decimal constant whose digits are not those that were written.
    static func requireExact(_ value: Decimal) throws {
        guard let literal = value.misreadLiteral else { return }
        throw StoreError(
            .invalidArgument,
            "A decimal constant has other digits than the literal that it was written as: Swift makes "
                + "4.990000000000001024 of 4.99, for example. Write the number as text, as in 'let rate = "
                + "Decimal(string: \"4.99\")!', and compare with that. Rows written with such a literal have its digits, too.",
            detail: "\(value) of \(literal)")
    }
}
