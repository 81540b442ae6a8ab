public import Foundation

/// Volumes as people write them: `120 ml`, `4 oz`, `1.5 l`.
public enum VolumeText {
    /// Reads a number and a unit, or a number alone.
    ///
    /// - Parameters:
    ///   - text: A number that `DecimalText` reads and a unit that `unit(named:)` knows, with or without a
    ///     space between them.
    ///   - defaultUnit: The unit of a number alone.
    /// - Returns: The volume, in the unit as written.
    /// - Throws: `IntentError` `invalidValue`, also for a negative number.
    public static func parse(_ text: String, defaultUnit: UnitVolume) throws -> Measurement<UnitVolume> {
        let text = text.trimmed
        let end = text.firstIndex { !"0123456789.,+-".contains($0) } ?? text.endIndex
        guard end > text.startIndex else {
            throw IntentError(.invalidValue, "\(text.quoted) is not \(valueType.description).")
        }
        let unitName = String(text[end...]).trimmed
        return try measurement(
            try DecimalText.parse(String(text[..<end])),
            unit: unitName.isEmpty ? defaultUnit : try requiredUnit(unitName))
    }

    /// Combines a number and a unit's name.
    ///
    /// - Throws: `IntentError` `invalidValue`, if the unit is unknown or the number negative or not finite.
    static func measurement(_ number: Double, unitName: String) throws -> Measurement<UnitVolume> {
        try measurement(number, unit: try requiredUnit(unitName))
    }

    /// A volume for people, with the unit's symbol: `120 mL`, `4.5 fl oz`.
    public static func text(_ volume: Measurement<UnitVolume>) -> String {
        "\(DecimalText.text(volume.value)) \(volume.unit.symbol)"
    }

    /// The unit that a symbol or name stands for, whether a person says it or a file holds it; nil for an unknown one.
    ///
    /// They are ml, milliliter(s), millilitre(s); fl oz, floz, oz, ounce(s), fluid ounce(s), the short forms also with
    /// points; l, liter(s), litre(s); cup(s). Case, white space at the ends, and the kind of white space are ignored.
    public static func unit(named name: String) -> UnitVolume? {
        switch normalised(name) {
        case "ml", "milliliter", "milliliters", "millilitre", "millilitres": .milliliters
        case "fl oz", "fl. oz", "fl oz.", "fl. oz.", "floz", "fluid ounce", "fluid ounces", "oz", "oz.",
            "ounce",
            "ounces":
            .fluidOunces
        case "l", "liter", "liters", "litre", "litres": .liters
        case "cup", "cups": .cups
        default: nil
        }
    }

    static let valueType = IntentValueType(
        name: "volume", description: "an amount, such as 120 ml or 4 fl oz")

    private static func measurement(_ number: Double, unit: UnitVolume) throws -> Measurement<UnitVolume> {
        guard number.isFinite, number >= 0 else {
            throw IntentError(.invalidValue, "An amount cannot be negative or infinite.")
        }
        return Measurement(value: number, unit: unit)
    }

    private static func requiredUnit(_ name: String) throws -> UnitVolume {
        guard let unit = unit(named: name) else {
            throw IntentError(
                .invalidValue, "\(name.quoted) is not a unit of volume.",
                choices: ["ml", "fl oz", "l", "cup"])
        }
        return unit
    }

    /// Lower case, with each run of white space, including no-break spaces, as one space.
    private static func normalised(_ name: String) -> String {
        name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
