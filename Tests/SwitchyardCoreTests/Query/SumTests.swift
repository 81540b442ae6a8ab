import Testing

@testable import SwitchyardCore

@Suite("Exact sums")
struct SumTests {
    @Test("doubles are rounded once, whatever their order")
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

    @Test("decimals are exact to 38 digits")
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

    private func sum(_ values: [Double]) throws -> Double? {
        var sum = DoubleSum()
        for value in values { sum.add(value) }
        return try sum.value()
    }

    private func decimalSum(_ texts: [String]) throws -> String? {
        var sum = DecimalSum()
        for text in texts { sum.add(try #require(CanonicalDecimal.decimal(text))) }
        return CanonicalDecimal.text(try sum.value())
    }
}
