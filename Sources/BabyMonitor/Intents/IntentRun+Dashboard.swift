internal import SwitchyardIntents

extension IntentRun {
    /// The dashboard on the run's store and clock.
    ///
    /// After each write it runs the `AfterWrite` that the app added to the context, if any.
    var dashboard: Dashboard {
        let afterWrite = (try? dependency(AfterWrite.self)) ?? .nothing
        return Dashboard(store: context.store, author: intent, afterWrite: afterWrite, now: context.clock)
    }
}

extension IntentResult {
    /// The answer if a parameter's baby was removed before the intent ran.
    static var babyNotFound: IntentResult { .result(dialog: "Could not find baby.") }
}
