import SwitchyardCore
import Testing

@testable import SwitchyardModel

@Suite("Exact sums")
struct SumTests {
    @Test("a sum of doubles is rounded once, in any order")
    func doubles() throws {
        #expect(try sum([0.1, 0.2, 0.3]) == 0.6)
        #expect(try sum([Double](repeating: 0.1, count: 10)) == 1)
        #expect(try sum([1e308, 1e308, -1e308, -1e308, 1]) == 1)
        #expect(try sum([1, 1e100, 1, -1e100]) == 2)
        #expect(try sum([9_007_199_254_740_992, 1]) == 9_007_199_254_740_992)
        #expect(try sum([9_007_199_254_740_992, 1, 0x1p-1074]) == 9_007_199_254_740_994)
        #expect(try sum([0x1p-1074, 0x1p-1074]) == 0x1p-1073)
        #expect(try sum([-0.5, 0.25]) == -0.25)
        #expect(try sum([]) == 0)
        #expect(try sum([.infinity, 1]) == .infinity)
        #expect(try sum([.infinity, -.infinity]) == nil)
        #expect(throws: StoreError.self) { try sum([.greatestFiniteMagnitude, .greatestFiniteMagnitude]) }
    }

    @Test("a sum of decimals is exact to 38 digits")
    func decimals() throws {
        #expect(try decimalSum(["0.1", "0.2", "-0.30"]) == "0")
        #expect(
            try decimalSum(["99999999999999999999999999999999999998", "1"])
                == "99999999999999999999999999999999999999")
        #expect(try decimalSum(["-1000000000", "0.000000001"]) == "-999999999.999999999")
        #expect(
            try decimalSum([
                "0.0000000000000000000000000000000000001", "10000000000000000000000000000000000000",
                "-10000000000000000000000000000000000000",
            ])
                == "0.0000000000000000000000000000000000001")
        #expect(throws: StoreError.self) { try decimalSum(["99999999999999999999999999999999999999", "1"]) }
    }

    @Test("averages of decimals are rounded to 38 digits, half away from zero")
    func decimalAverages() throws {
        #expect(try decimalAverage(["20"], 3) == "6.6666666666666666666666666666666666667")
        #expect(try decimalAverage(["-1", "-1"], 3) == "-0.6666666666666666666666666666666666667")
        #expect(try decimalAverage(["1"], 3) == "0.3333333333333333333333333333333333333")
        #expect(try decimalAverage(["0.5", "0.5"], 8) == "0.125")
        #expect(try decimalAverage(["-10", "10"], 7) == "0")
        #expect(
            try decimalAverage(["99999999999999999999999999999999999999"], 2)
                == "50000000000000000000000000000000000000")
        #expect(
            try decimalAverage(["0.0000000000000000000000000000000000001"], 2)
                == "0.0000000000000000000000000000000000001")
        #expect(try decimalAverage(["-0.0000000000000000000000000000000000001"], 3) == "0")
        #expect(throws: StoreError.self) {
            try decimalAverage(["99999999999999999999999999999999999999", "1"], 2)
        }
    }

    private func sum(_ values: [Double]) throws -> Double? {
        var sum = DoubleSum()
        for value in values { sum.add(value) }
        return try sum.value()
    }

    private func decimalSum(_ texts: [String]) throws -> String? {
        CanonicalDecimal.text(try sum(of: texts).value())
    }

    private func decimalAverage(_ texts: [String], _ count: Int64) throws -> String? {
        CanonicalDecimal.text(try sum(of: texts).average(of: count))
    }

    private func sum(of texts: [String]) throws -> DecimalSum {
        var sum = DecimalSum()
        for text in texts { sum.add(try #require(CanonicalDecimal.decimal(text))) }
        return sum
    }
}
