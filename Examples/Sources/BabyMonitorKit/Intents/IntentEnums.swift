public import SwitchyardIntents
public import SwitchyardMirror

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

extension HouseholdRole: @retroactive IntentValue, @retroactive IntentEnum {
    /// The type's name for people.
    public static let typeDisplayRepresentation: TypeDisplayRepresentation = "Role"
    /// The cases' names for people.
    public static let caseDisplayRepresentations: [HouseholdRole: DisplayRepresentation] = [
        .owner: "Owner", .member: "Member", .reader: "Reader",
    ]
}
