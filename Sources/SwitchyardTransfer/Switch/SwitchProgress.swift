/// How far a switch has come, as `StoreSwitch.run` tells it.
public struct SwitchProgress: Sendable, Hashable {
    /// What is being done.
    public let step: Step
    /// The number of rows copied so far, and the number that the old store had at the beginning.
    public let rows: Int, total: Int
    /// The time since the switch was begun or resumed.
    public let elapsed: Duration

    /// What is being done.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// Rows are being copied.
        case copying
        /// Indexes and foreign keys are being made in the new store.
        case indexing
        /// The two stores are being compared.
        case verifying
        /// The old store is being told to take no more writes.
        case fencing
        /// What was written last is being copied and compared, while writers wait.
        case settling
        /// The new store is the one to use.
        case committed
    }
}
