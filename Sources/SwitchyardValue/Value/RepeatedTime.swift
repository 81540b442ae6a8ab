/// The meaning of a time that the clocks of a zone show twice, as in the hour after summer time ends.
///
/// The text of such a time does not say which one is meant. `refused` is the default for all times without a
/// zone, so that no hour is guessed. A time that the clocks skip when summer time begins is always refused.
public enum RepeatedTime: String, Sendable, Hashable, Codable, CaseIterable {
    /// Neither: the value is a fault.
    case refused
    /// The earlier one, by the clock before it was changed.
    case first
    /// The later one, by the clock after it was changed.
    case second
}
