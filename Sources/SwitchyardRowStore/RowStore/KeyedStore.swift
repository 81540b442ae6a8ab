internal import Foundation
internal import Synchronization

/// A store that keeps its rows by key, on a storage of either kind.
///
/// It implements the whole contract on top of the storage, except scopes: rows, constraints, savepoints, operation ids and
/// changes of the schema. Writes run one at a time, in order of arrival; reads run concurrently, each on what was committed
/// last.
///
/// - A ``RowStorage`` keeps bytes by key, as LMDB and its kin do. A condition on an id, a whole unique key or a reference
///   finds its rows by key; any other one reads the table.
/// - A ``SnapshotStorage`` loads all rows and commits them, so a backend is little more than these two functions. Use it for
///   a few thousand rows, or for as many as fit into memory if the storage keeps them there anyway.
///
/// ```swift
/// return try await KeyedStore.open(
///     schema: schema, options: options, backend: scheme, location: path, busyTimeout: .seconds(5)
/// ) { try LMDBStorage(path, options: options) }
/// ```
public final class KeyedStore: Store {
    /// The schema of the rows.
    public let schema: Schema
    /// The store's backend and location.
    public let info: StoreInfo
    /// The store's commits.
    public let commits: CommitFeed
    private let isReadOnly: Bool
    private let session: WriteSession
    private let telemetry: StoreTelemetry
    private let busyTimeout: Duration
    /// Nil once the store is closed.
    private let storage: Mutex<(any KeyedStorage)?>
    private let writers: AsyncSemaphore

    /// Opens a store, off the cooperative thread pool.
    ///
    /// - Parameters:
    ///   - schema: The schema of the rows.
    ///   - options: How the store is opened.
    ///   - info: The store's backend and location.
    ///   - busyTimeout: How long a write waits for the writes before it.
    ///   - storage: Opens the storage, and reads its marker. While it throws `busy`, it is called again, a bounded number of
    ///     times.
    /// - Returns: The store.
    /// - Throws: What the storage throws; as `StoreMarker.admit`.
    static func open(
        schema: Schema, options: OpenOptions, info: StoreInfo, busyTimeout: Duration,
        _ storage: @escaping @Sendable () throws -> (any KeyedStorage, StoreMarker)
    ) async throws -> KeyedStore {
        try await RetryPolicy().run { _ in
            try await Cancellation.run { _ in
                let start = ContinuousClock.now
                let (storage, marker) = try storage()
                try marker.admit(schema, options: options)
                let store = KeyedStore(
                    storage, schema: schema, storeID: marker.storeID, options: options, info: info,
                    busyTimeout: busyTimeout)
                store.telemetry.opened(since: start)
                return store
            }
        }
    }

    /// Creates a store on a storage whose marker admits the schema.
    init(
        _ storage: any KeyedStorage, schema: Schema, storeID: UUID, options: OpenOptions, info: StoreInfo,
        busyTimeout: Duration
    ) {
        self.schema = schema
        self.info = info
        self.busyTimeout = busyTimeout
        isReadOnly = options.access == .readOnly
        session = WriteSession(schema: schema, options: options)
        telemetry = StoreTelemetry(info, storeID: storeID, logger: options.logger)
        writers = AsyncSemaphore(permits: 1, timeout: busyTimeout, telemetry: telemetry)
        self.storage = Mutex(storage)
        commits = CommitFeed(watchingOthers: storage.watch)
    }

    /// Reads what was committed last, concurrently with a write and other reads.
    ///
    /// - Throws: What the body throws, `cancelled`, `closed`, and what the storage throws.
    public func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await telemetry.transaction(.read) { telemetry in
            try await onTables(telemetry) { [schema, session] tables, cancellation in
                // A write finds out by the marker.
                guard try session.isAsFound || tables.marker().schema.version == schema.version else {
                    throw StoreError.schemaChanged
                }
                let result = try ReadTransaction.run(
                    schema: schema, driver: tables.driver(cancellation), options: options,
                    telemetry: telemetry, body)
                try cancellation.check()
                return result
            }
        }
    }

    /// Writes once all earlier writes are done: all of its changes are kept, or none.
    ///
    /// - Throws: What the body throws, `foreignKey` for a dangling reference, `busy` after the busy timeout,
    ///   `outOfService`, `cancelled`, `readOnly`, `closed`, and what the storage throws.
    @discardableResult
    public func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        guard !isReadOnly else { throw StoreError.openedReadOnly }
        return try await telemetry.transaction(.write, author: options.author) { telemetry in
            try await writers.withPermit {
                try await Cancellation.run { [self] cancellation in
                    let storage = try openStorage()
                    return try write(to: storage, options, telemetry, cancellation, body)
                }
            }
        }
    }

    private func write<Storage: KeyedStorage, Result>(
        to storage: Storage, _ options: WriteOptions, _ telemetry: TransactionTelemetry?,
        _ cancellation: Cancellation, _ body: (WriteTransaction) throws -> Result
    ) throws -> Result {
        let (result, changed) = try BusyRetry.run(for: busyTimeout, cancellation) { hasBegun in
            try storage.write { tables in
                hasBegun = true
                let driver = RowTransaction(tables, cancellation: cancellation)
                let result = try WriteTransaction.run(
                    schema: schema, driver: driver, session: session, options: options,
                    telemetry: telemetry, body)
                let (tables, changes) = try driver.finished()
                // A store that was closed in the meantime commits nothing.
                _ = try openStorage()
                let changed = changes.tables.map { tables.schema.tables[$0].name }
                return ((result, changed), tables, changes)
            }
        }
        commits.announce(changed)
        return result
    }

    /// Returns whether the write with an operation id was committed.
    ///
    /// - Throws: As `read`.
    public func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        _ = try WriteOptions(scope: scope).scope(inStoreOf: nil)
        return try await onTables { tables, _ in try tables.contains(operation) }
    }

    /// Checks for content that cannot be read, rows that violate their entity's rules, and dangling references.
    ///
    /// - Throws: As `read`, except `corrupted`.
    public func check() async throws -> [String] {
        do {
            return try await onTables { tables, _ in try tables.faults() }
        } catch let error as StoreError where error.code == .corrupted {
            return ["\(error)"]
        }
    }

    /// Releases the storage.
    ///
    /// A running write can finish its body, but not commit.
    public func close() async throws {
        storage.withLock { $0 = nil }
        commits.close()
    }

    private func openStorage() throws -> any KeyedStorage {
        guard let storage = storage.withLock({ $0 }) else { throw StoreError.storeClosed }
        return storage
    }

    private func onTables<Result: Sendable>(
        _ telemetry: TransactionTelemetry? = nil,
        _ work: @escaping @Sendable (any RowTables, Cancellation) throws -> Result
    ) async throws -> Result {
        // The storage throws `busy` if another process writes while it is being read.
        try await RetryPolicy().run(telemetry) { _ in
            try await Cancellation.run { [self] cancellation in
                try openStorage().read { try work($0, cancellation) }
            }
        }
    }
}

extension RowTables {
    /// The driver of a read.
    fileprivate func driver(_ cancellation: Cancellation) -> any TransactionDriver {
        RowTransaction(self, cancellation: cancellation)
    }
}

/// The transactions of a ``KeyedStore``, on storage of one kind.
protocol KeyedStorage: Sendable {
    associatedtype Tables: RowTables

    /// Watches for the commits of others, without keeping the storage.
    var watch: CommitFeed.Watch { get }

    /// Runs a transaction on what was committed last.
    func read<Result>(_ body: (any RowTables) throws -> Result) throws -> Result
    /// Runs a transaction that excludes others that write, and commits the tables that the body returns.
    func write<Result>(
        _ body: (Tables) throws -> (Result, Tables, RowTransaction<Tables>.Changes)
    ) throws -> Result
}
