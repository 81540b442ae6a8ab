public import SwitchyardCore

/// A store of the backend.
///
/// Between its own begin and commit it calls `ReadTransaction.run` and `WriteTransaction.run`, which lend a
/// `NewBackendTransaction` to the body. What must be the same on every backend is done there.
public final class NewBackendStore: Store {
    /// The schema of the rows.
    public let schema: Schema
    /// What and where the store is.
    public let info: StoreInfo
    /// What the store's marker must say for a write to go on: hand it to `WriteTransaction.run`.
    private let fence: StoreFence
    /// Lets the writers of this process take turns.
    private let writers: AsyncSemaphore

    /// Opens the store of a place, or makes one.
    ///
    /// A new store keeps a `StoreMarker` of the schema and of the options' role; the marker of one that is there
    /// decides whether the app may open it: `admit(_:options:)`.
    init(place: String, schema: Schema, options: OpenOptions, busyTimeout: Duration) async throws {
        self.schema = schema
        info = StoreInfo(backend: NewBackendPlugin.scheme, location: place)
        fence = StoreFence(schema: schema, role: options.role)
        writers = AsyncSemaphore(permits: 1, timeout: busyTimeout)
        throw StoreError.notWritten("open")
    }

    /// Reads from one snapshot, beside a write and other reads.
    ///
    /// The body blocks, so it runs on a queue or a thread of the store's own: see `Cancellation.run`.
    public func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        throw StoreError.notWritten()
    }

    /// Writes in one serializable transaction: all of it is kept, or none.
    ///
    /// A `RetryPolicy` runs again what lost to another transaction.
    public func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        throw StoreError.notWritten()
    }

    /// Whether the write of an operation id was committed.
    public func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        throw StoreError.notWritten()
    }

    /// Looks for damage, one sentence for each fault.
    public func check() async throws -> [String] { throw StoreError.notWritten() }

    /// Closes the store: every later call throws `closed`.
    public func close() async throws { throw StoreError.notWritten() }
}
