import Testing

@testable import TableCopy

@Suite("Forms of values")
struct FormTests {
    @Test("a copied double becomes the shortest decimal that reads back as the same double")
    func decimals() {
        let expected: [(Double, String?)] = [
            (0.99, "0.99"), (-0.01, "-0.01"), (1e-7, "0.0000001"), (1.5e-10, "0.00000000015"),
            (12_345_678.9, "12345678.9"),
            (100, "100"), (0, "0"), (1e20, "100000000000000000000"), (1.25e20, "125000000000000000000"),
            (0.1 + 0.2, "0.30000000000000004"), (1_152_921_504_606_846_976, "1152921504606846976"),
            (9_223_372_036_854_775_808, "9223372036854775808".replacing("5808", with: "6000")),
            (1e37, "1" + zeros(37)),
            (1e38, nil), (1e-38, nil), (1e-37, "0." + zeros(36) + "1"),
            (.infinity, nil), (-0.0, nil),
            (.leastNonzeroMagnitude, nil),
        ]
        for (double, text) in expected {
            #expect(PlainDecimal(double)?.text == text, "\(double)")
            if let text { #expect(Double(text) == double) }
        }
        #expect(PlainDecimal(0.99)?.whole == 0)
        #expect(PlainDecimal(0.99)?.fraction == 2)
        #expect(PlainDecimal(1234.5)?.whole == 4)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let double = Double(
                sign: .plus, exponent: .random(in: -60...100, using: &random),
                significand: .random(in: 1..<2, using: &random))
            if let decimal = PlainDecimal(double) { #expect(Double(decimal.text) == double) }
        }
    }

    private func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

    private func form(_ text: String) -> TextForm? {
        var text = text
        return text.withUTF8 { TextForm(of: UnsafeRawBufferPointer($0)) }
    }

    @Test("only texts that a time reproduces are copied as times")
    func times() {
        for text in [
            "2024-02-29", "0001-01-01", "9999-12-31 23:59:59", "2024-01-01T00:00:00", "2024-01-01T00:00:00Z",
            "2024-01-01 00:00:00.1", "1969-12-31 23:59:59.999999", "2024-01-01 00:00:00.000Z",
        ] {
            #expect(form(text) != nil, "\(text)")
        }
        for text in [
            "", "2024", "2023-02-29", "0000-01-01", "2024-1-01", "2024-01-01 00:00", "2024-01-01 24:00:00",
            "2024-01-01 00:00:60", "2024-01-01 00:00:00.", "2024-01-01 00:00:00.1234567",
            "2024-01-01t00:00:00",
            "2024-01-01T00:00:00z", "2024-01-01 00:00:00+00:00", "2024-01-01 ", "2024-01-01\n",
            "2024-01-01 00:00:00,1",
            "12024-01-01", "2024-01-01Z",
        ] {
            #expect(form(text) == nil, "\(text)")
        }
        #expect(form("2024-01-01 00:00:00") == .second)
        #expect(form("2024-01-01 00:00:00.10") != form("2024-01-01 00:00:00.1"))
    }

    @Test("a copy splits SQL into words as SQLite does")
    func tokens() {
        let sql = #"a"b ""c" [d e]`f`'it''s'x'0F'1.5e-3 0x1F>=--end ) "#
        #expect(
            SQLToken.tokens(of: sql).map { "\($0.kind) \($0.text)" } == [
                "word a", "quotedName b \"c", "quotedName d e", "quotedName f", "text it's", "blob 0F",
                "number 1.5e-3",
                "number 0x1F", "symbol >=",
            ])
        #expect(SQLToken.tokens(of: "/* never closed").isEmpty)
        #expect(SQLToken.tokens(of: "'never closed").map(\.text) == ["never closed"])
        let list = SQLToken.tokens(of: "x (a, f(b, c)) y").parenthesised()
        #expect(list?.inner.parts.map(\.count) == [1, 6])
        #expect(list?.end == 10)
    }
}
