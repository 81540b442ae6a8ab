/// The progress of a switch, as `StoreSwitch.run` reports it.
public struct SwitchProgress: Sendable, Hashable {
    /// What is being done.
    public let phase: SwitchPhase
    /// The number of rows copied so far, and the number that the old store had when it was counted last.
    public let rows: Int, total: Int
    /// The time since the switch was begun or resumed.
    public let elapsed: Duration
    /// The pace of copying while rows are copied; nil otherwise.
    public internal(set) var pace: Pace?

    /// How fast rows are being copied.
    public struct Pace: Sendable, Hashable {
        /// The number of rows copied, and of the bytes that they take in memory, since the switch was begun or resumed.
        public let rows: Int, bytes: Int
        /// The number of rows copied in a second.
        public let rowsPerSecond: Double
        /// How long the rest will take at this pace.
        public let remaining: Duration
    }
}
