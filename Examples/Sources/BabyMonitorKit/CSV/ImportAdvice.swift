/// How to correct cells that an import found invalid.
public enum ImportAdvice: String, Sendable, Hashable, Codable, CaseIterable, CustomStringConvertible {
    /// A timestamp has an unknown form.
    case timestamps
    /// A timestamp names no zone, and none was given for the file.
    case timeZone
    /// The clocks of the file's zone show a timestamp twice.
    case repeatedTime
    /// A unit is unknown.
    case units
    /// A feed type is unknown.
    case feedTypes

    /// The advice, as a sentence.
    public var description: String {
        switch self {
        case .timestamps:
            "Write timestamps as 2025-11-06T18:34:39Z, 2025-11-06T18:34:39.946Z or 2025-11-06 18:34:39+09:00."
        case .timeZone:
            "Timestamps without a zone, such as 2025-11-06T18:34:39 or 2025-11-06 18:34, need the zone of their clocks."
        case .repeatedTime:
            "When summer time ends, clocks show an hour twice: choose the first or the second."
        case .units: "The units are mL, fl oz, L and cup, or their names."
        case .feedTypes: "The feed types are babyFormula, breastFeed and solid."
        }
    }
}
