/// What a write is given besides its body.
///
/// ```swift
/// let operation = OperationID()
/// try await store.write(WriteOptions(operation: operation)) { try $0.insert(feed) }
/// ```
public struct WriteOptions: Sendable, Hashable {
    /// An id to ask for the outcome by, should the connection break at the commit; nil for a write whose
    /// outcome nobody will ask for.
    public var operation: OperationID?

    /// Describes a write.
    public init(operation: OperationID? = nil) { self.operation = operation }
}
