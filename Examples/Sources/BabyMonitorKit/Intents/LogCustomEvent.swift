public import SwitchyardIntents

/// Logs an event of a user-defined type.
public struct LogCustomEvent: Intent {
    /// The intent's name for people.
    public static let title = "Log Custom Event"
    /// What the intent does.
    public static let description = "Records a custom event for a baby."

    /// The baby.
    @Parameter(title: "Baby") public var baby: BabyEntity
    /// The type of the event.
    @Parameter(title: "Event Type") public var eventType: EventTypeEntity

    /// Creates the intent without values.
    public init() {}

    /// Logs the event and says so.
    public func perform(_ run: IntentRun) async throws -> IntentResult {
        do {
            let event = try await run.dashboard.logCustomEvent(baby.id, type: eventType.id)
            return .result(
                dialog: "Logged \(event.eventTypeEmoji) \(event.eventTypeName) for \(baby.name)")
        } catch let error as BabyMonitorError where error.code == .babyNotFound {
            return .babyNotFound
        }
    }
}
