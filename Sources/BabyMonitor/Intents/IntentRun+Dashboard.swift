internal import SwitchyardIntents

extension IntentRun {
    /// The dashboard over the run's store and clock.
    ///
    /// What the app does after each write is the `AfterWrite` that it has added to the context; nothing, if
    /// it has added none.
    var dashboard: Dashboard {
        let afterWrite = (try? dependency(AfterWrite.self)) ?? .nothing
        return Dashboard(store: context.store, afterWrite: afterWrite, now: context.clock)
    }
}

extension IntentResult {
    /// What is said when the baby of a parameter was removed before the intent got to it.
    static var babyNotFound: IntentResult { .result(dialog: "Could not find baby.") }
}
