public import SwitchyardIntents

/// Starts feeding a baby.
public struct StartFeeding: Intent {
    /// The intent's name for people.
    public static let title = "Start Feeding"
    /// What the intent does.
    public static let description = "Starts a new feeding session for a baby."

    /// The baby.
    @Parameter(title: "Baby") public var baby: BabyEntity

    /// Creates the intent without values.
    public init() {}

    /// Starts the feed and says so.
    public func perform(_ run: IntentRun) async throws -> IntentResult {
        do {
            try await run.dashboard.startFeeding(baby.id)
        } catch let error as BabyMonitorError where error.code == .babyNotFound {
            return .babyNotFound
        }
        return .result(dialog: "Started feeding \(baby.name).")
    }
}
