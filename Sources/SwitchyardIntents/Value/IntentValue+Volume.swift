public import Foundation

extension Measurement: IntentParameterValue where UnitType == UnitVolume {
    /// The volume itself.
    public typealias Item = Self
}

extension Measurement: IntentValue where UnitType == UnitVolume {
    /// The type as data.
    public static var valueType: IntentValueType { VolumeText.valueType }

    /// Accepts what `VolumeText` reads; a number alone is in the context's `volumeUnit`.
    public static func resolve(
        _ argument: IntentArgument, in context: IntentContext
    ) async throws -> IntentResolution<Self> {
        switch argument {
        case .quantity(let number, let unit):
            return .value(try VolumeText.measurement(number, unitName: unit))
        case .text:
            let text = try argument.text(for: valueType)
            // The context reads its unit from the locale, which is slow, so only if it is needed.
            let isNumberAlone = !text.contains(where: \.isLetter)
            let unit = isNumberAlone ? context.volumeUnit : .milliliters
            return .value(try VolumeText.parse(text, defaultUnit: unit))
        }
    }

    /// The volume with its unit's symbol.
    public var displayRepresentation: DisplayRepresentation {
        DisplayRepresentation(title: VolumeText.text(self))
    }
}
