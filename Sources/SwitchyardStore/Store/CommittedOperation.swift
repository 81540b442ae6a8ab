/// The id of a committed write, as a store remembers it and another store takes it over.
public struct CommittedOperation: Sendable, Hashable {
    /// The id.
    public let id: OperationID
    /// When the write was committed, in microseconds since 1970.
    public let time: Int64

    /// Creates an entry.
    public init(_ id: OperationID, time: Int64) {
        self.id = id
        self.time = time
    }
}
