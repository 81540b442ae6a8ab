public import SwitchyardIntents

/// Starts a feed of a baby.
public struct StartFeeding: Intent {
    /// What people call the intent.
    public static let title = "Start Feeding"
    /// What the intent does.
    public static let description = "Starts a new feeding session for a baby."

    /// The baby.
    @Parameter(title: "Baby") public var baby: BabyEntity

    /// An intent without its parameters.
    public init() {}

    /// Does it, and says so.
    public func perform(_ run: IntentRun) async throws -> IntentResult {
        do {
            try await run.dashboard.startFeeding(baby.id)
        } catch let error as BabyMonitorError where error.code == .babyNotFound {
            return .babyNotFound
        }
        return .result(dialog: "Started feeding \(baby.name).")
    }
}
