public import SwitchyardIntents

/// The app's intents and the phrases that run them.
public enum BabyMonitorShortcuts: AppShortcutsProvider {
    /// The app's names, for `${app}` in phrases.
    public static let applicationNames = ["BabyMonitor", "Baby Monitor"]

    /// The app's intents.
    public static let intents: [any Intent.Type] = [
        StartFeeding.self, FinishFeeding.self, UpdateDiaperTime.self, LogCustomEvent.self,
        UndoLastAction.self, InviteMember.self,
    ]

    /// One shortcut for each intent.
    public static var appShortcuts: [AppShortcut] {
        [
            AppShortcut(
                intent: StartFeeding(), phrases: ["Start feeding for ${app}"], shortTitle: StartFeeding.title),
            AppShortcut(
                intent: FinishFeeding(), phrases: ["Finish feeding for ${app}"],
                shortTitle: FinishFeeding.title),
            AppShortcut(
                intent: UpdateDiaperTime(), phrases: ["Update diaper time for ${app}"],
                shortTitle: UpdateDiaperTime.title),
            AppShortcut(
                intent: LogCustomEvent(), phrases: ["Log custom event for ${app}"],
                shortTitle: LogCustomEvent.title),
            AppShortcut(
                intent: UndoLastAction(), phrases: ["Undo in ${app}"], shortTitle: UndoLastAction.title),
            AppShortcut(
                intent: InviteMember(), phrases: ["Invite somebody to ${app}"], shortTitle: InviteMember.title
            ),
        ]
    }

    /// The registry that runs the intents by name, by phrase or from JSON.
    ///
    /// - Throws: `IntentError` with code `declaration`, which this module's tests rule out.
    public static func registry() throws -> IntentRegistry {
        try IntentRegistry(intents, applicationNames: applicationNames, shortcuts: appShortcuts)
    }
}
