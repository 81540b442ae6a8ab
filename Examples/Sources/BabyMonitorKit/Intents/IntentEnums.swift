public import SwitchyardIntents

extension FeedType: IntentEnum {
    /// The type's name for people.
    public static let typeDisplayRepresentation: TypeDisplayRepresentation = "Feed Type"
    /// The cases' names for people.
    public static var caseDisplayRepresentations: [FeedType: DisplayRepresentation] {
        Dictionary(uniqueKeysWithValues: allCases.map { ($0, DisplayRepresentation(title: $0.title)) })
    }
}

extension DiaperType: IntentEnum {
    /// The type's name for people.
    public static let typeDisplayRepresentation: TypeDisplayRepresentation = "Diaper Type"
    /// The cases' names for people.
    public static var caseDisplayRepresentations: [DiaperType: DisplayRepresentation] {
        Dictionary(uniqueKeysWithValues: allCases.map { ($0, DisplayRepresentation(title: $0.title)) })
    }
}
