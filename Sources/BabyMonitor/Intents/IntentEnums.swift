public import SwitchyardIntents

extension FeedType: IntentEnum {
    /// What people call it.
    public static let typeDisplayRepresentation: TypeDisplayRepresentation = "Feed Type"
    /// What people call each case.
    public static var caseDisplayRepresentations: [FeedType: DisplayRepresentation] {
        Dictionary(uniqueKeysWithValues: allCases.map { ($0, DisplayRepresentation(title: $0.title)) })
    }
}

extension DiaperType: IntentEnum {
    /// What people call it.
    public static let typeDisplayRepresentation: TypeDisplayRepresentation = "Diaper Type"
    /// What people call each case.
    public static var caseDisplayRepresentations: [DiaperType: DisplayRepresentation] {
        Dictionary(uniqueKeysWithValues: allCases.map { ($0, DisplayRepresentation(title: $0.title)) })
    }
}
