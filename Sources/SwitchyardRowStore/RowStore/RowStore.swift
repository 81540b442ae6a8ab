/// One transaction on a store that keeps bytes by key, in the order of the keys: all that a key-value backend implements.
///
/// The driver above it does the rest: rows, the rules of their entities, unique keys, references, the log of operations,
/// the marker and changes of the schema. See ``RowStorage`` for the transactions, and ``KeyedStore`` for the store.
///
/// Keys have from 2 to 128 bytes, and are ordered as their bytes are, the shorter one first if it begins the other. Values
/// have up to `Limits.rowBytes` and a few bytes for each column. Operations throw `StoreError`.
public protocol RowStore: AnyObject {
    /// The value of a key; nil without one.
    func get(_ key: [UInt8]) throws -> [UInt8]?

    /// Sets the value of a key, whether it has one or not.
    ///
    /// - Throws: `full`, `inputOutput`.
    func put(_ value: [UInt8], for key: [UInt8]) throws

    /// Removes a key and its value, if it is there.
    func delete(_ key: [UInt8]) throws

    /// Calls the body with the keys of a range and their values, in order or the other way round, until it returns false.
    ///
    /// The body may call `get` and `scan`, and changes nothing.
    ///
    /// - Parameters:
    ///   - range: The first and the last key, which need not be there.
    ///   - direction: The order.
    ///   - body: Receives each key and its value.
    /// - Throws: What the body throws.
    func scan(
        _ range: ClosedKeyRange, _ direction: SortDirection, _ body: ([UInt8], [UInt8]) throws -> Bool
    ) throws

    /// Begins a savepoint inside those that are open.
    func savepoint() throws
    /// Keeps what was done since the last savepoint that is open, and forgets it.
    func release() throws
    /// Undoes what was done since the last savepoint that is open, and forgets it.
    func rollback() throws
}

/// The keys from one to another, both included.
public struct ClosedKeyRange: Sendable {
    /// The first key.
    public let first: [UInt8]
    /// The last key.
    public let last: [UInt8]

    /// The keys from one to another.
    public init(_ first: [UInt8], _ last: [UInt8]) {
        self.first = first
        self.last = last
    }

    /// Whether a key is one of them.
    public func contains(_ key: [UInt8]) -> Bool {
        !key.lexicographicallyPrecedes(first) && !last.lexicographicallyPrecedes(key)
    }
}

/// Where a ``KeyedStore`` keeps its rows.
///
/// Its functions may block: they are called off the cooperative thread pool, `read` on several threads at a time.
public protocol RowStorage: AnyObject, Sendable {
    /// Runs a transaction that sees what was committed last and nothing that is committed meanwhile.
    ///
    /// The body calls `get` and `scan` alone.
    ///
    /// - Throws: What the body throws; `inputOutput`, `corrupted`.
    func read<Result>(_ body: (any RowStore) throws -> Result) throws -> Result

    /// Runs a transaction that excludes all others that write, also those of other processes, and commits unless the body
    /// throws.
    ///
    /// - Throws: `busy` if somebody else is writing, at once rather than after a wait; what the body throws; `full`,
    ///   `readOnly`, `inputOutput`.
    func write<Result>(_ body: (any RowStore) throws -> Result) throws -> Result

    /// Watches for the commits of others while anybody follows the store.
    ///
    /// Leave out the store's own commits, which are announced with their entities: a follower would read everything again for
    /// each.
    ///
    /// - Parameter body: Is called after each of them, on any thread, until the object that is returned is released.
    /// - Returns: What keeps the watch alive; nil, as by default, if nobody else can commit.
    /// - Throws: `inputOutput`.
    func watch(_ body: @escaping @Sendable () -> Void) throws -> (any Sendable & AnyObject)?
}

extension RowStorage {
    /// Returns nil: nobody else can commit.
    public func watch(_ body: @escaping @Sendable () -> Void) throws -> (any Sendable & AnyObject)? { nil }
}
