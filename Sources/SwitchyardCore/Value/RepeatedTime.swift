/// Which moment a time stands for that the clocks of a zone show twice, as they do in the hour after summer time ends.
///
/// Nothing in such a time says which one is meant. `refused` is the default wherever times without a zone are read, so
/// that nobody gets an hour that was guessed. A time that the clocks skip when summer time begins is refused in any case.
public enum RepeatedTime: String, Sendable, Hashable, Codable, CaseIterable {
    /// Neither: the value is a fault.
    case refused
    /// The earlier one, by the clock before it was changed.
    case first
    /// The later one, by the clock after it was changed.
    case second
}
