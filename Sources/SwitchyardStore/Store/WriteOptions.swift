/// The options of a write.
///
/// ```swift
/// let operation = OperationID()
/// try await store.write(WriteOptions(operation: operation)) { try $0.insert(feed) }
/// ```
public struct WriteOptions: Sendable, Hashable {
    /// An id to look up the outcome by if the connection is lost during the commit; nil if it is never looked
    /// up.
    public var operation: OperationID?
    /// The author: a part of the program, such as its widget or an import.
    ///
    /// It appears in the log and in traces, so it must not contain a secret. The author `migration` is
    /// reserved for migrations; its writes are not offered for undo.
    public var author: String?
    /// The scope whose rows are written and read; nil for the one that the store was opened with.
    public var scope: StoreScope?
    /// Whether the write changes the store's marker, and so must not overlap with any other, and must survive a loss of
    /// power: another store may be told next that it has happened.
    package var excludesWriters = false
    /// On whose behalf the rows are written, for a database that asks; nil for nobody's.
    package var identity: ScopeIdentity?

    /// The author of what a migration writes.
    package static let migration = "migration"

    /// Creates the options of a write.
    public init(operation: OperationID? = nil, author: String? = nil, scope: StoreScope? = nil) {
        self.operation = operation
        self.author = author
        self.scope = scope
    }

    /// The options of a write that changes the store's marker.
    package static var ofMarker: WriteOptions {
        var options = WriteOptions()
        options.excludesWriters = true
        return options
    }

    /// The scope of the write, given the scope that the store was opened with, if any.
    ///
    /// - Returns: The scope; nil in a store without scopes.
    /// - Throws: `scopeMismatch` if the options name a scope and the store has none.
    public func scope(inStoreOf own: StoreScope?) throws -> StoreScope? {
        guard own != nil || scope == nil else { throw StoreError.scopesUnknown }
        return scope ?? own
    }
}
