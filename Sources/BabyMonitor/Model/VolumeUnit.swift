public import Foundation
internal import SwitchyardIntents

/// The units in which amounts are stored; the raw value is the symbol that is written.
public enum VolumeUnit: String, Sendable, Hashable, Codable, CaseIterable {
    /// Millilitres.
    case milliliters = "mL"
    /// US fluid ounces.
    case fluidOunces = "fl oz"
    /// Litres.
    case liters = "L"
    /// US cups.
    case cups = "cup"

    /// Takes one of the names that files and older releases use for a unit, such as `ml` or `fluid ounces`;
    /// nil for any other.
    ///
    /// The case of the name, white space around it and the kind of white space in it do not matter.
    public init?(named name: String) {
        guard let unit = VolumeText.unit(symbol: name) else { return nil }
        self.init(rawValue: unit.symbol)
    }

    /// The unit that a stored symbol means: one that is missing or unknown is read as millilitres.
    public init(storedSymbol symbol: String?) {
        self = symbol.flatMap { VolumeUnit(named: $0) } ?? .milliliters
    }

    /// The symbol that is stored.
    public var symbol: String { rawValue }

    /// The unit as Foundation knows it.
    public var unit: UnitVolume {
        switch self {
        case .milliliters: .milliliters
        case .fluidOunces: .fluidOunces
        case .liters: .liters
        case .cups: .cups
        }
    }
}
