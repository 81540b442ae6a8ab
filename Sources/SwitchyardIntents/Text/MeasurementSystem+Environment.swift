public import Foundation

extension Locale.MeasurementSystem {
    /// The system of units that a POSIX process's environment asks for; nil if it names no territory, as `C`
    /// does not.
    ///
    /// The territory is that of the first of `LC_ALL`, `LC_MEASUREMENT` and `LANG` that is set and not empty
    /// (POSIX.1-2024, XBD 8.2). On Linux, Foundation's current locale ignores these variables.
    public init?(environment: [String: String]) {
        let value = ["LC_ALL", "LC_MEASUREMENT", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
        // language_TERRITORY.codeset@modifier
        guard let name = value?.prefix(while: { $0 != "." && $0 != "@" }), name.contains("_") else {
            return nil
        }
        self = Locale(identifier: String(name)).measurementSystem
    }
}
