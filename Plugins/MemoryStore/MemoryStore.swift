internal import Dispatch
internal import HashTreeCollections
public import SwitchyardCore
internal import Synchronization

/// A store in memory: for previews and tests, and the model that the other backends are compared with.
///
/// It keeps the whole contract but durability: its rows are gone when it is. Writes run one at a time, in the
/// order of their coming, on a thread of their own; reads run beside them on the last committed state.
public final class MemoryStore: Store {
    /// The schema of the rows.
    public let schema: Schema
    /// What the store is.
    public let description: StoreDescription
    private let isReadOnly: Bool
    private let fence: StoreFence
    /// The committed state; nil once the store is closed.
    private let state: Mutex<MemoryState?>
    private let writers: AsyncSemaphore
    private let writes = DispatchQueue(label: "switchyard.memory.write")
    private let reads = DispatchQueue(label: "switchyard.memory.read", attributes: .concurrent)

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - schema: The schema of the rows.
    ///   - access: Whether rows may be written; without it the store stays empty.
    ///   - busyTimeout: How long a write waits for those before it.
    public init(
        schema: Schema, access: OpenOptions.Access = .readWrite, busyTimeout: Duration = .seconds(5)
    ) {
        self.schema = schema
        writers = AsyncSemaphore(permits: 1, timeout: busyTimeout)
        description = StoreDescription(backend: MemoryPlugin.scheme, location: "memory")
        isReadOnly = access == .readOnly
        fence = StoreFence(schema: schema, role: .active)
        state = Mutex(MemoryState(schema, role: .active))
    }

    /// Reads from the last committed state, beside a write and other reads.
    ///
    /// - Throws: What the body throws, `cancelled` or `closed`.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        guard !Task.isCancelled else { throw StoreError.taskCancelled }
        let snapshot = try snapshot()
        return try await Cancellation.run(on: reads) { [schema] cancellation in
            let driver = MemoryTransaction(snapshot, schema: schema, cancellation: cancellation)
            let result = try ReadTransaction.run(schema: schema, driver: driver, body)
            try cancellation.check()
            return result
        }
    }

    /// Writes once all writers that came before are done: all of it is kept, or none.
    ///
    /// - Throws: What the body throws, `foreignKey` for a reference to nothing, `busy` after the busy
    ///   timeout, `cancelled`, `readOnly` or `closed`.
    @discardableResult
    public func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        guard !isReadOnly else { throw StoreError.openedReadOnly }
        return try await writers.withPermit {
            let snapshot = try snapshot()
            return try await Cancellation.run(on: writes) { [self] cancellation in
                let driver = MemoryTransaction(snapshot, schema: schema, cancellation: cancellation)
                let result = try WriteTransaction.run(
                    schema: schema, driver: driver, fence: fence, options: options, body)
                let finished = try driver.finished()
                try state.withLock { state in
                    guard state != nil else { throw StoreError.storeClosed }
                    state = finished
                }
                return result
            }
        }
    }

    /// Whether the write of an operation id was committed.
    ///
    /// - Throws: `closed`.
    public func wasCommitted(_ operation: OperationID) async throws -> Bool {
        try snapshot().operations[operation] != nil
    }

    /// Looks for rows that break their entity's rules, and references to nothing.
    ///
    /// - Throws: `closed`.
    public func check() async throws -> [String] {
        let snapshot = try snapshot()
        return try await Cancellation.run(on: reads) { [schema] _ in try snapshot.faults(schema) }
    }

    /// Lets the rows go.
    ///
    /// A transaction that is running can finish, but not commit.
    public func close() async throws {
        state.withLock { $0 = nil }
    }

    private func snapshot() throws -> MemoryState {
        guard let snapshot = state.withLock({ $0 }) else { throw StoreError.storeClosed }
        return snapshot
    }
}

extension MemoryState {
    /// What is wrong with the rows, one sentence each.
    fileprivate func faults(_ schema: Schema) throws -> [String] {
        var faults: [String] = []
        for entity in schema.entities {
            let rules = try RowRules(entity, schema: schema)
            var references = References()
            try table(entity).rows.forEach { row in
                do { try rules.check(row.values) } catch { faults.append("\(error)") }
                references.wrote(row.id, of: entity)
                return true
            }
            do { try references.check(self, schema: schema) } catch { faults.append("\(error)") }
        }
        return faults
    }
}
