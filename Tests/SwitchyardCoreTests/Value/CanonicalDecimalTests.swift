import Foundation
import SwitchyardCore
import Testing

@Suite("Decimals as text")
struct CanonicalDecimalTests {
    @Test(
        "decimals are read with any number of zeros, and written without",
        arguments: [
            ("12.50", "12.5"), ("0", "0"), ("-0", "0"), ("-0.00", "0"), ("007", "7"), ("-007.070", "-7.07"),
            ("0.5", "0.5"), ("-0.001", "-0.001"), ("100", "100"), ("1000000.000", "1000000"),
            ("9999999999999999999", "9999999999999999999"), ("18446744073709551616", "18446744073709551616"),
            ("-0.12345678901234567890", "-0.1234567890123456789"),
            (
                "00012345678901234567890123456789012345678.0",
                "12345678901234567890123456789012345678"
            ),
            (
                "-0.1234567890123456789012345678901234567",
                "-0.1234567890123456789012345678901234567"
            ),
        ])
    func read(text: String, canonical: String) throws {
        let decimal = try #require(CanonicalDecimal.decimal(text))
        #expect(!decimal.isNaN)
        #expect(decimal == Decimal(string: text, locale: nil))
        #expect(CanonicalDecimal.text(decimal) == canonical)
    }

    @Test(
        "malformed and overlong decimals are refused",
        arguments: [
            "", "-", ".", "-.", "1.", ".5", "-.5", "--1", "+1", "1-", "1.2.3", "1..2", " 1", "1 ", "1e3",
            "0x1",
            "1,5", "\u{661}", "NaN", "1.\u{0}",
            "123456789012345678901234567890123456789", "-0.12345678901234567890123456789012345678",
        ])
    func refused(text: String) { #expect(CanonicalDecimal.decimal(text) == nil) }

    /// Foundation's own parser is another implementation.
    @Test("decimals are the numbers that Foundation reads")
    func foundation() throws {
        for _ in 0..<5_000 {
            let whole = (0..<Int.random(in: 1...24)).map { _ in "\(Int.random(in: 0...9))" }.joined()
            let fraction = (0..<Int.random(in: 0...13)).map { _ in "\(Int.random(in: 0...9))" }.joined()
            let text = (Bool.random() ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction)
            let (found, expected) = (CanonicalDecimal.decimal(text), Decimal(string: text, locale: nil))
            #expect(found == expected, "\(text)")
            #expect(found?.description == expected?.description, "\(text)")
            #expect(found?.hashValue == expected?.hashValue, "\(text)")
        }
    }
}
