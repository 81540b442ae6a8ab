import BabyMonitorKit
import Foundation
import Testing

@Suite("A unit of volume")
struct VolumeUnitTests {
    @Test(
        "a unit of volume has many names",
        arguments: [
            ("ml", .milliliters), ("mL", .milliliters), (" ML ", .milliliters), ("milliliter", .milliliters),
            ("Milliliters", .milliliters), ("fl oz", .fluidOunces), ("FL OZ", .fluidOunces),
            ("fl\u{A0}oz", .fluidOunces), ("fl. oz", .fluidOunces), ("fluid ounce", .fluidOunces),
            ("fluid ounces", .fluidOunces), ("l", .liters), ("L", .liters), ("liter", .liters),
            ("liters\n", .liters),
            ("cup", .cups), ("Cups", .cups), ("oz", .fluidOunces), ("Ounces", .fluidOunces),
            ("litre", .liters), ("millilitres", .milliliters),
        ] as [(String, VolumeUnit)])
    func aliases(name: String, unit: VolumeUnit) {
        #expect(VolumeUnit(named: name) == unit)
    }

    @Test(
        "an unknown or missing unit of volume is read as millilitres",
        arguments: ["", "spoon", "mll", "stone"])
    func unknown(symbol: String) {
        #expect(VolumeUnit(named: symbol) == nil)
        #expect(VolumeUnit(storedSymbol: symbol) == .milliliters)
        #expect(VolumeUnit(storedSymbol: nil) == .milliliters)
    }

    @Test("a unit of volume is stored by its symbol")
    func symbols() {
        #expect(VolumeUnit.allCases.map(\.symbol) == ["mL", "fl oz", "L", "cup"])
        #expect(VolumeUnit.allCases.map(\.unit.symbol) == ["mL", "fl oz", "L", "cup"])
    }

    @Test("a unit of volume gives a feed its amount")
    func amount() throws {
        var feed = FeedSession(startTime: time("2025-11-06T18:34:39.946Z"))
        #expect(feed.amount == nil)
        feed.amountUnitSymbol = "fl oz"
        #expect(feed.amount == nil)
        feed.amountValue = 4
        let amount = try #require(feed.amount)
        #expect(amount.value == 4)
        #expect(amount.unit == .fluidOunces)
        feed.amountUnitSymbol = "drops"
        #expect(feed.amount?.unit == .milliliters)
        #expect(feed.amount?.value == 4)
    }
}
