import Foundation
import SwitchyardIntents
import Testing

@Suite("Volumes as text")
struct VolumeTextTests {
    @Test(
        "a volume is read from a number and a unit",
        arguments: [
            ("120 ml", 120, "mL"), ("120ml", 120, "mL"), ("120 mL", 120, "mL"), ("1 Milliliter", 1, "mL"),
            ("80.0 milliliters", 80, "mL"), ("4 oz", 4, "fl oz"), ("4oz.", 4, "fl oz"),
            ("4 fl oz", 4, "fl oz"),
            ("4 fl\u{A0}oz", 4, "fl oz"), ("4\u{A0}FL. OZ", 4, "fl oz"), ("4.5 fl. oz.", 4.5, "fl oz"),
            ("1 fluid ounce", 1, "fl oz"), ("2 fluid  ounces", 2, "fl oz"), ("3 ounces", 3, "fl oz"),
            ("1,5 l", 1.5, "L"),
            ("1.5 liters", 1.5, "L"), ("1 litre", 1, "L"), ("0,125 L", 0.125, "L"), (".5 cup", 0.5, "cup"),
            ("2 cups", 2, "cup"),
            (" 90 ", 90, "mL"), ("90,5", 90.5, "mL"), ("+3 ml", 3, "mL"), ("1500 ml", 1500, "mL"),
            ("1.500 l", 1.5, "L"),
            ("0 ml", 0, "mL"),
        ])
    func parse(text: String, value: Double, symbol: String) throws {
        let volume = try VolumeText.parse(text, defaultUnit: .milliliters)
        #expect(volume.value == value)
        #expect(volume.unit.symbol == symbol)
    }

    @Test("a volume without a unit has the default unit")
    func defaultUnit() throws {
        #expect(try VolumeText.parse("4", defaultUnit: .fluidOunces).unit.symbol == "fl oz")
        #expect(try VolumeText.parse("4 ml", defaultUnit: .fluidOunces).unit.symbol == "mL")
    }

    @Test(
        "text that is not a volume is refused",
        arguments: [
            ("", "`` is not an amount, such as 120 ml or 4 fl oz."),
            ("ml", "`ml` is not an amount, such as 120 ml or 4 fl oz."),
            ("some milk", "`some milk` is not an amount, such as 120 ml or 4 fl oz."),
            ("-5 ml", "An amount cannot be negative or infinite."),
            ("5 stone", "`stone` is not a unit of volume."),
            ("5 ml or so", "`ml or so` is not a unit of volume."),
            ("1e3 ml", "`e3 ml` is not a unit of volume."),
            ("1.2.3 ml", "`1.2.3` is not a number."),
            ("1,234.5 ml", "`1,234.5` is not a number."),
            (". ml", "`.` is not a number."),
            ("- ml", "`-` is not a number."),
            ("1-2 ml", "`1-2` is not a number."),
            (
                "1,500 ml",
                "`1,500` can be read in two ways; write decimals with a point and thousands without a comma."
            ),
            ("inf", "`inf` is not an amount, such as 120 ml or 4 fl oz."),
            ("٤ ml", "`٤ ml` is not an amount, such as 120 ml or 4 fl oz."),
        ])
    func refused(text: String, message: String) async {
        let error = #expect(throws: IntentError.self) {
            try VolumeText.parse(text, defaultUnit: .milliliters)
        }
        #expect(error?.code == .invalidValue)
        #expect(error?.message == message)
    }

    @Test("a volume too large for a double is refused")
    func overflow() async {
        let text = String(repeating: "9", count: 400)
        #expect(
            #expect(throws: IntentError.self) { try VolumeText.parse(text, defaultUnit: .liters) }?.code
                == .invalidValue)
    }

    @Test(
        "a volume's unit has the names in files and in speech",
        arguments: [
            ("ml", "mL"), (" ML ", "mL"), ("milliliter", "mL"), ("milliliters", "mL"), ("fl oz", "fl oz"),
            ("fl\u{A0}oz", "fl oz"),
            ("fl. oz", "fl oz"), ("fluid ounce", "fl oz"), ("Fluid Ounces", "fl oz"), ("l", "L"),
            ("liter", "L"), ("liters", "L"),
            ("cup", "cup"), ("CUPS", "cup"), ("oz", "fl oz"), ("Oz.", "fl oz"), ("ounces", "fl oz"),
            ("fl. oz.", "fl oz"), ("millilitre", "mL"), ("litre", "L"), ("Litres", "L"),
        ])
    func names(text: String, symbol: String) {
        #expect(VolumeText.unit(named: text)?.symbol == symbol)
    }

    @Test("an unknown unit of a volume is nil", arguments: ["", "g", "ml oz", "spoon", "litr"])
    func unknownNames(text: String) {
        #expect(VolumeText.unit(named: text) == nil)
    }

    @Test("a volume is written without needless decimals")
    func text() {
        #expect(VolumeText.text(Measurement(value: 120, unit: .milliliters)) == "120 mL")
        #expect(VolumeText.text(Measurement(value: 4.5, unit: .fluidOunces)) == "4.5 fl oz")
        #expect(VolumeText.text(Measurement(value: 0.1 + 0.2, unit: .liters)) == "0.30000000000000004 L")
    }
}
