/// How often something is to be taken, with the names that the app's files of JSON have always had.
public enum Frequency: String, CaseIterable, Codable, Sendable {
    case daily, twiceADay, threeTimesADay, fourTimesADay, sixTimesADay
    case weekly, twiceWeekly, threeTimesWeekly, fourTimesWeekly
    case monthly, twiceMonthly, threeTimesMonthly
    case none
}

/// What became of the files of JSON when the store was made.
public enum FilesOutcome: String, CaseIterable, Codable, Sendable {
    /// Their rows were imported.
    case imported
    /// The store had rows already, and the files were not looked at.
    case skipped
}
