public import SwitchyardCore

/// A store of the backend.
///
/// Between its begin and its commit it calls `ReadTransaction.run` and `WriteTransaction.run`, which pass the body a
/// transaction around a `NewBackendTransaction`, and implement everything that is the same on all backends.
public final class NewBackendStore: Store {
    /// The schema of the rows.
    public let schema: Schema
    /// What and where the store is.
    public let info: StoreInfo
    /// Where writes are announced once they are committed: call `announce`, and `close()` when the store is closed.
    public let commits = CommitFeed()
    /// What the writes have in common: pass it to `WriteTransaction.run`.
    private let session: WriteSession
    /// Serialises the writes of this process.
    private let writers: AsyncSemaphore

    /// Opens the store at a path, or creates one.
    ///
    /// A new store stores a `StoreMarker` with the schema and the options' role; the marker of an existing store
    /// decides whether the app may open it: see `admit(_:options:)`.
    init(path: String, schema: Schema, options: OpenOptions, busyTimeout: Duration) async throws {
        self.schema = schema
        info = StoreInfo(backend: NewBackendPlugin.scheme, location: path)
        session = WriteSession(schema: schema, options: options)
        writers = AsyncSemaphore(permits: 1, timeout: busyTimeout)
        throw StoreError.notWritten("open")
    }

    /// Reads from one snapshot, concurrently with a write and other reads.
    ///
    /// The body blocks, so run it on a queue or a thread of the store's own; see `Cancellation.run`.
    public func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        throw StoreError.notWritten()
    }

    /// Writes in one serializable transaction: all of it is committed, or nothing.
    ///
    /// A `RetryPolicy` repeats a transaction after a serialization failure.
    public func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        throw StoreError.notWritten()
    }

    /// Returns whether the write with an operation id was committed.
    public func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        throw StoreError.notWritten()
    }

    /// Looks for damage; returns one sentence for each fault.
    public func check() async throws -> [String] { throw StoreError.notWritten() }

    /// Closes the store: every later call throws `closed`.
    public func close() async throws { throw StoreError.notWritten() }
}
