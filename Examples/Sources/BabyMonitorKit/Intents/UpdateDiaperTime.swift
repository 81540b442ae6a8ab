public import SwitchyardIntents

/// Logs a diaper change of a baby.
public struct UpdateDiaperTime: Intent {
    /// The intent's name for people.
    public static let title = "Log Diaper Change"
    /// What the intent does.
    public static let description = "Records the last diaper change time for a baby."

    /// The baby.
    @Parameter(title: "Baby") public var baby: BabyEntity
    /// What was in the diaper.
    @Parameter(title: "Type", default: .pee) public var type: DiaperType

    /// Creates the intent with only its default values.
    public init() {}

    /// Logs the change and says so.
    public func perform(_ run: IntentRun) async throws -> IntentResult {
        do {
            try await run.dashboard.logDiaperChange(baby.id, type: type)
        } catch let error as BabyMonitorError where error.code == .babyNotFound {
            return .babyNotFound
        }
        return .result(dialog: "Logged \(type.title) diaper for \(baby.name)")
    }
}
