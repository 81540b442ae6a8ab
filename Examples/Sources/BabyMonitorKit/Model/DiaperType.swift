/// What was in a diaper.
public enum DiaperType: String, Sendable, Hashable, Codable, CaseIterable {
    /// A wet one.
    case pee
    /// A dirty one.
    case poo
}

extension DiaperType {
    /// The type's name for people.
    public var title: String {
        switch self {
        case .pee: "Pee"
        case .poo: "Poo"
        }
    }
}
