public import SwitchyardCore

/// A store in memory, for previews and tests; also the reference against which other backends are compared.
///
/// It fulfils the whole contract except durability: its rows disappear with it. Writes run one at a time, in
/// order of arrival, on a thread of their own; reads run concurrently on the last committed state.
public struct MemoryStore: Store {
    private let base: KeyedStore

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - schema: The schema of the rows.
    ///   - options: Whether the store is writable, and what it is for; a store opened for reading stays empty.
    ///   - busyTimeout: How long a write waits for the writes before it.
    public init(
        schema: Schema, options: OpenOptions = OpenOptions(), busyTimeout: Duration = .seconds(5)
    ) {
        let empty = Snapshot(schema: schema, options: options)
        self.init(empty, in: SharedMemory(empty), schema: schema, options: options, busyTimeout: busyTimeout)
    }

    fileprivate init(
        _ snapshot: Snapshot, in memory: SharedMemory, schema: Schema, options: OpenOptions,
        busyTimeout: Duration
    ) {
        base = KeyedStore(
            MemoryStorage(memory), schema: schema, storeID: snapshot.header.marker.storeID, options: options,
            info: StoreInfo(backend: MemoryPlugin.scheme, location: "memory"), busyTimeout: busyTimeout)
    }

    /// A place in memory, where a store is made, opened and switched as in any other place.
    ///
    /// Its rows last as long as the place is kept.
    public static func place(_ schema: Schema) -> StorePlace {
        let open = opener()
        return StorePlace("memory:") { options in try open(schema, options) }
    }

    /// A function that opens a store in one place in memory with a schema, again and again, as an app opens a file.
    ///
    /// The rows last as long as the function is kept. It throws as the plugins of other places do.
    public static func opener() -> @Sendable (Schema, OpenOptions) throws -> MemoryStore {
        let memory = SharedMemory(nil)
        return { schema, options in
            try MemoryPlugin.requireNoScope(options)
            let snapshot = try memory.open(schema, options: options)
            return MemoryStore(
                snapshot, in: memory, schema: schema, options: options, busyTimeout: .seconds(5))
        }
    }

    /// The schema of the rows.
    public var schema: Schema { base.schema }
    /// Describes the store.
    public var info: StoreInfo { base.info }
    /// The store's commits.
    public var commits: CommitFeed { base.commits }

    /// Reads the last committed state, concurrently with a write and other reads.
    ///
    /// - Throws: Anything that the body throws, `cancelled` or `closed`.
    public func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result { try await base.read(options, body) }

    /// Writes after all earlier writers have finished; either everything is committed or nothing.
    ///
    /// - Throws: Anything that the body throws, `foreignKey` for a dangling reference, `busy` after the busy
    ///   timeout, `outOfService`, `cancelled`, `readOnly` or `closed`.
    @discardableResult
    public func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result { try await base.write(options, body) }

    /// Whether the write with an operation id was committed.
    ///
    /// - Throws: `closed`.
    public func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        try await base.wasCommitted(operation, in: scope)
    }

    /// Finds rows that break their entity's rules, and dangling references.
    ///
    /// - Throws: `closed`.
    public func check() async throws -> [String] { try await base.check() }

    /// Releases the rows.
    ///
    /// A running transaction can finish, but not commit.
    public func close() async throws { try await base.close() }
}
