import BabyMonitor
import Foundation
import Testing

@Suite("The feeding interval")
struct FeedTermTests {
    @Test("is three hours at first")
    func standard() {
        #expect(FeedTerm.standard == 10_800)
        #expect(BabyProfile(name: "Mia").feedTerm == 10_800)
    }

    @Test("is chosen between 30 and 480 minutes in steps of 15")
    func choices() throws {
        #expect(FeedTerm.choices.count == 31)
        #expect(FeedTerm.choices.prefix(4) == [30, 45, 60, 75])
        #expect(FeedTerm.choices.last == 480)
        #expect(try FeedTerm.seconds(minutes: 30) == 1800)
        #expect(try FeedTerm.seconds(minutes: 195) == 11_700)
        #expect(try FeedTerm.seconds(minutes: 480) == 28_800)
    }

    @Test("is nothing else", arguments: [-15, 0, 15, 29, 31, 44, 481, 495, Int.max])
    func refused(minutes: Int) {
        #expect { try FeedTerm.seconds(minutes: minutes) } throws: { error in
            (error as? BabyMonitorError)?.code == .invalidFeedTerm
        }
    }
}

@Suite("A unit of volume")
struct VolumeUnitTests {
    @Test(
        "has many names",
        arguments: [
            ("ml", .milliliters), ("mL", .milliliters), (" ML ", .milliliters), ("milliliter", .milliliters),
            ("Milliliters", .milliliters), ("fl oz", .fluidOunces), ("FL OZ", .fluidOunces),
            ("fl\u{A0}oz", .fluidOunces), ("fl. oz", .fluidOunces), ("fluid ounce", .fluidOunces),
            ("fluid ounces", .fluidOunces), ("l", .liters), ("L", .liters), ("liter", .liters),
            ("liters\n", .liters),
            ("cup", .cups), ("Cups", .cups),
        ] as [(String, VolumeUnit)])
    func aliases(name: String, unit: VolumeUnit) {
        #expect(VolumeUnit(named: name) == unit)
    }

    @Test("is read as millilitres where it is unknown or missing", arguments: ["", "spoon", "mll", "oz"])
    func unknown(symbol: String) {
        #expect(VolumeUnit(named: symbol) == nil)
        #expect(VolumeUnit(storedSymbol: symbol) == .milliliters)
        #expect(VolumeUnit(storedSymbol: nil) == .milliliters)
    }

    @Test("is stored by its symbol")
    func symbols() {
        #expect(VolumeUnit.allCases.map(\.symbol) == ["mL", "fl oz", "L", "cup"])
        #expect(VolumeUnit.allCases.map(\.unit.symbol) == ["mL", "fl oz", "L", "cup"])
    }

    @Test("gives a feed its amount")
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
