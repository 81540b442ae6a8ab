internal import SwitchyardIntents

extension IntentRun {
    /// The dashboard on the run's store and clock.
    var dashboard: Dashboard { Dashboard(store: context.store, author: intent, now: context.clock) }
}

extension IntentResult {
    /// The answer if a parameter's baby was removed before the intent ran.
    static var babyNotFound: IntentResult { .result(dialog: "Could not find baby.") }
}
