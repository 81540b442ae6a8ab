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
    /// The scope whose rows are written and read; nil for the one in which the store was opened.
    public var scope: StoreScope?

    /// Describes a write.
    public init(operation: OperationID? = nil, scope: StoreScope? = nil) {
        self.operation = operation
        self.scope = scope
    }

    /// The scope of the write in a store that was opened in a scope, or in none.
    ///
    /// - Returns: The scope; nil in a store whose rows are not divided.
    /// - Throws: `scopeMismatch` if the store's rows are not divided and a scope is named.
    public func scope(inStoreOf own: StoreScope?) throws -> StoreScope? {
        guard own != nil || scope == nil else { throw StoreError.scopesUnknown }
        return scope ?? own
    }
}
