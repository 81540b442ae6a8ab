public import Foundation
internal import SwitchyardIntents

/// The units in which amounts are stored; the raw value is the symbol.
public enum VolumeUnit: String, Sendable, Hashable, Codable, CaseIterable {
    /// Millilitres.
    case milliliters = "mL"
    /// US fluid ounces.
    case fluidOunces = "fl oz"
    /// Litres.
    case liters = "L"
    /// US cups.
    case cups = "cup"

    /// The unit with one of the names that people, files and older releases use, such as `ml`, `oz` or `fluid
    /// ounces`; nil for any other name.
    ///
    /// They are those of `VolumeText.unit(named:)`, for files and intents alike.
    public init?(named name: String) {
        guard let unit = VolumeText.unit(named: name) else { return nil }
        self.init(rawValue: unit.symbol)
    }

    /// The unit of a stored symbol; a missing or unknown one is read as millilitres.
    public init(storedSymbol symbol: String?) {
        self = symbol.flatMap { VolumeUnit(named: $0) } ?? .milliliters
    }

    /// The symbol that is stored.
    public var symbol: String { rawValue }

    /// The corresponding Foundation unit.
    public var unit: UnitVolume {
        switch self {
        case .milliliters: .milliliters
        case .fluidOunces: .fluidOunces
        case .liters: .liters
        case .cups: .cups
        }
    }
}
