public import SwitchyardCore
internal import Synchronization

/// A store in memory: for previews and tests, and the model that the other backends are compared with.
///
/// It keeps the whole contract but durability: its rows are gone when it is. Writes run one at a time, in the
/// order of their coming, on a thread of their own; reads run beside them on the last committed state.
public struct MemoryStore: Store {
    private let base: SnapshotStore

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - schema: The schema of the rows.
    ///   - options: Whether rows may be written, and what the store is for; one that is opened for reading stays
    ///     empty.
    ///   - busyTimeout: How long a write waits for those before it.
    public init(
        schema: Schema, options: OpenOptions = OpenOptions(), busyTimeout: Duration = .seconds(5)
    ) {
        let empty = Snapshot(schema: schema, role: options.role)
        base = SnapshotStore(
            MemoryStorage(empty), schema: schema, storeID: empty.header.marker.storeID, options: options,
            description: StoreDescription(backend: MemoryPlugin.scheme, location: "memory"),
            busyTimeout: busyTimeout)
    }

    /// The schema of the rows.
    public var schema: Schema { base.schema }
    /// What the store is.
    public var description: StoreDescription { base.description }

    /// Reads from the last committed state, beside a write and other reads.
    ///
    /// - Throws: What the body throws, `cancelled` or `closed`.
    public func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result { try await base.read(options, body) }

    /// Writes once all writers that came before are done: all of it is kept, or none.
    ///
    /// - Throws: What the body throws, `foreignKey` for a reference to nothing, `busy` after the busy
    ///   timeout, `outOfService`, `cancelled`, `readOnly` or `closed`.
    @discardableResult
    public func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result { try await base.write(options, body) }

    /// Whether the write of an operation id was committed.
    ///
    /// - Throws: `closed`.
    public func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        try await base.wasCommitted(operation, in: scope)
    }

    /// Looks for rows that break their entity's rules, and references to nothing.
    ///
    /// - Throws: `closed`.
    public func check() async throws -> [String] { try await base.check() }

    /// Lets the rows go.
    ///
    /// A transaction that is running can finish, but not commit.
    public func close() async throws { try await base.close() }
}

/// A variable.
private final class MemoryStorage: SnapshotStorage {
    private let snapshot: Mutex<Snapshot>

    init(_ snapshot: Snapshot) { self.snapshot = Mutex(snapshot) }

    func load() throws -> Snapshot { snapshot.withLock { $0 } }

    func commit(_ snapshot: Snapshot, changedTables: [String]) throws {
        self.snapshot.withLock { $0 = snapshot }
    }
}
