import Foundation
import SwitchyardCSV
import SwitchyardConformance
import Testing

@Suite("Numbers and UUIDs as text")
struct NumberTextTests {
    private func double(_ text: String) -> Double? {
        Array(text.utf8).withUnsafeBytes { NumberText.double($0) }
    }

    private func integer(_ text: String) -> Int64? {
        Array(text.utf8).withUnsafeBytes { NumberText.integer($0) }
    }

    private func written(_ double: Double) throws -> String {
        let sink = MemoryByteSink()
        var writer = CSVWriter(sink)
        try writer.write(double)
        try writer.finish()
        return sink.text
    }

    @Test(
        "text is read as the nearest double",
        arguments: [
            ("80.0", 80), ("80", 80), ("080.00", 80), ("+1.5", 1.5), ("-0.1", -0.1), (".5", 0.5), ("5.", 5),
            ("1e3", 1000),
            ("1E-3", 0.001), ("1e+2", 100), ("0.30000000000000004", 0.30000000000000004),
            ("9007199254740993", 9_007_199_254_740_992),
            ("123456789012345678901234567890", 1.2345678901234568e29),
            ("179769313486231570000e288", 1.7976931348623157e308),
            ("5e-324", .leastNonzeroMagnitude), ("1e-400", 0),
            ("2.2250738585072011e-308", Double.leastNormalMagnitude.nextDown),
            ("0.00000000000000000000001", 1e-23), ("0.1234567890123456789", 0.12345678901234568),
            ("inf", .infinity),
            ("-inf", -.infinity), ("72057594037927945", 72_057_594_037_927_952),
            ("0.0000000000000000000000000000000000000000000001", 1e-46),
        ])
    func readingDoubles(_ text: String, _ expected: Double) {
        #expect(double(text)?.bitPattern == expected.bitPattern)
    }

    @Test("the sign of a textual zero is read")
    func negativeZero() {
        #expect(double("-0.0")?.sign == .minus)
        #expect(double("0.0")?.sign == .plus)
    }

    @Test(
        "text that is not a number is refused as a double",
        arguments: [
            "", ".", "-", "+", "e5", "1e", "1e+", "1.2.3", "1,5", " 1", "1 ", "0x1p3", "nan", "NaN", "Inf",
            "infinity", "+inf",
            "--1", "+-1", "1e999", "-1e999", "1_000", "１", "1\0", "1f", "80mL",
        ])
    func notDoubles(_ text: String) {
        #expect(double(text) == nil)
    }

    @Test(
        "doubles are written as Swift prints them",
        arguments: [
            (80, "80.0"), (-80, "-80.0"), (0, "0.0"), (-0.0, "-0.0"), (0.1, "0.1"), (-2.5, "-2.5"),
            (120.5, "120.5"), (3.75, "3.75"),
            (0.30000000000000004, "0.30000000000000004"), (0.09999999999999999, "0.09999999999999999"),
            (99_999_999_999_999.9, "99999999999999.9"), (999_999_999_999_999, "999999999999999.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"), (1e-7, "1e-07"), (.leastNonzeroMagnitude, "5e-324"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
            (.infinity, "inf"), (-.infinity, "-inf"),
        ])
    func writingDoubles(_ value: Double, _ expected: String) throws {
        #expect(try written(value) == expected)
        #expect(NumberText.text(value) == expected)
    }

    @Test("generated doubles are written as Swift prints them, and read back bit for bit")
    func generatedDoubles() throws {
        var (generator, seed) = SeededGenerator.announced("NumberTextTests.generatedDoubles")
        for round in 0..<20_000 {
            let value =
                switch round % 4 {
                case 0: Double(bitPattern: generator.next())
                case 1: Double(Int64.random(in: -1_000_000...1_000_000, using: &generator)) / 10
                case 2: Double(Int64.random(in: -1_000_000_000...1_000_000_000, using: &generator)) / 1000
                default: (Double(Int.random(in: -5000...5000, using: &generator)) / 10).nextUp
                }
            guard !value.isNaN else { continue }
            let text = try written(value)
            #expect(text == value.description, "Seed \(seed), round \(round)")
            #expect(double(text)?.bitPattern == value.bitPattern, "Seed \(seed), round \(round)")
        }
    }

    @Test("generated decimal text is read as the standard library reads it")
    func generatedText() {
        var (generator, seed) = SeededGenerator.announced("NumberTextTests.generatedText")
        for round in 0..<20_000 {
            let digits = String(generator.next()).prefix(Int.random(in: 1...20, using: &generator))
            let point = Int.random(in: 0...digits.count, using: &generator)
            let zeros = String(repeating: "0", count: Int.random(in: 0...25, using: &generator))
            let text = digits.prefix(point) + "." + (point == 0 ? zeros : "") + digits.dropFirst(point)
            #expect(
                double(String(text))?.bitPattern == Double(text)?.bitPattern,
                "Seed \(seed), round \(round), \(text)")
        }
    }

    @Test("integers of 64 bits are read, and nothing else")
    func integers() {
        #expect(integer("0") == 0)
        #expect(integer("-0") == 0)
        #expect(integer("+42") == 42)
        #expect(integer("007") == 7)
        #expect(integer("9223372036854775807") == .max)
        #expect(integer("-9223372036854775808") == .min)
        for text in [
            "", "-", "+", "9223372036854775808", "-9223372036854775809", "92233720368547758070", "1.0", " 1",
            "1 ", "0x10", "１",
            "--1", "1\0",
        ] {
            #expect(integer(text) == nil, "\(text)")
        }
    }

    @Test("UUIDs are read in either case, and nothing else")
    func uuids() throws {
        let expected = try #require(UUID(uuidString: "0192A3B4-C5D6-7E8F-9A0B-1C2D3E4F5A6B"))
        for text in ["0192A3B4-C5D6-7E8F-9A0B-1C2D3E4F5A6B", "0192a3b4-c5d6-7e8f-9a0b-1c2d3e4f5a6b"] {
            #expect(Array(text.utf8).withUnsafeBytes { UUIDText.uuid($0) } == expected)
        }
        for text in [
            "", "0192A3B4C5D67E8F9A0B1C2D3E4F5A6B", "0192A3B4-C5D6-7E8F-9A0B-1C2D3E4F5A6",
            "0192A3B4-C5D6-7E8F-9A0B-1C2D3E4F5A6BB",
            "0192A3B4-C5D6-7E8F-9A0B1-C2D3E4F5A6B", "G192A3B4-C5D6-7E8F-9A0B-1C2D3E4F5A6B",
            "{192A3B4-C5D6-7E8F-9A0B-1C2D3E4F5A6B",
            "0192A3B4-C5D6-7E8F-9A0B-1C2D3E4F5A6:", "0192A3B4-C5D6-7E8F-9A0B-1C2D3E4F5A6@",
        ] {
            #expect(Array(text.utf8).withUnsafeBytes { UUIDText.uuid($0) } == nil, "\(text)")
        }
    }
}
