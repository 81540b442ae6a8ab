/// What a baby was fed.
public enum FeedType: String, Sendable, Hashable, Codable, CaseIterable {
    /// Formula from a bottle.
    case babyFormula
    /// Breast milk.
    case breastFeed
    /// Solid food.
    case solid
}

extension FeedType {
    /// The type's name for people.
    public var title: String {
        switch self {
        case .babyFormula: "Baby Formula"
        case .breastFeed: "Breast Feed"
        case .solid: "Solid"
        }
    }
}
