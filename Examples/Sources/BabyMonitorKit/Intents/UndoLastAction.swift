internal import Switchyard
public import SwitchyardIntents

/// Undoes the last change on this device, whether the app, a widget or an intent made it.
public struct UndoLastAction: Intent {
    /// The intent's name for people.
    public static let title = "Undo"
    /// What the intent does.
    public static let description = "Undoes the last change that was made on this device."

    /// Creates the intent.
    public init() {}

    /// Undoes the change and says so.
    public func perform(_ run: IntentRun) async throws -> IntentResult {
        guard try await run.dashboard.undoLastChange(on: run.dependency(Device.self)) else {
            return .result(dialog: "There is nothing to undo.")
        }
        return .result(dialog: "Undid the last change.")
    }
}
