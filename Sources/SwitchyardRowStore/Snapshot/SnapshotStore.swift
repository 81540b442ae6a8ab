package import Foundation
internal import Synchronization

/// A store whose transactions work on rows in memory, wherever its ``SnapshotStorage`` keeps them.
///
/// It implements the whole contract on top of the storage: rows, constraints, savepoints and operation ids. Writes run
/// one at a time, in order of arrival; reads run concurrently on the last committed snapshot.
/// A backend of this kind is little more than `load` and `commit`.
///
/// A transaction loads all rows of the store, so use it for a few thousand rows, or for as many as fit into memory if
/// the storage keeps them there anyway.
public final class SnapshotStore: Store {
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
    private let storage: Mutex<(any SnapshotStorage)?>
    private let writers: AsyncSemaphore

    /// Opens a store, off the cooperative thread pool.
    ///
    /// - Parameters:
    ///   - schema: The schema of the rows.
    ///   - options: How the store is opened.
    ///   - backend: The plugin's scheme.
    ///   - location: The location, as shown to people; it must not contain secrets.
    ///   - busyTimeout: How long a write waits for the writes before it.
    ///   - storage: Opens or creates the storage. While it throws `busy`, it is called again, a bounded number of
    ///     times.
    /// - Returns: The store.
    /// - Throws: What the storage throws; `schemaTooNew`, `schemaMismatch` or `outOfService` if the stored marker does
    ///   not allow it.
    public static func open(
        schema: Schema, options: OpenOptions, backend: String, location: String, busyTimeout: Duration,
        _ storage: @escaping @Sendable () throws -> any SnapshotStorage
    ) async throws -> SnapshotStore {
        try await RetryPolicy().run { _ in
            try await Cancellation.run { _ in
                let start = ContinuousClock.now
                let opened = try storage()
                let marker = try opened.load().header.marker
                try marker.admit(schema, options: options)
                let store = SnapshotStore(
                    opened, schema: schema, storeID: marker.storeID, options: options,
                    info: StoreInfo(backend: backend, location: location),
                    busyTimeout: busyTimeout)
                store.telemetry.opened(since: start)
                return store
            }
        }
    }

    /// Creates a store on a storage whose marker admits the schema.
    package init(
        _ storage: any SnapshotStorage, schema: Schema, storeID: UUID, options: OpenOptions,
        info: StoreInfo, busyTimeout: Duration
    ) {
        self.schema = schema
        self.info = info
        self.busyTimeout = busyTimeout
        isReadOnly = options.access == .readOnly
        session = WriteSession(schema: schema, options: options)
        telemetry = StoreTelemetry(info, storeID: storeID, logger: options.logger)
        writers = AsyncSemaphore(permits: 1, timeout: busyTimeout, telemetry: telemetry)
        self.storage = Mutex(storage)
        commits = CommitFeed { [weak storage] in try storage?.watch($0) }
    }

    /// Reads from the last committed snapshot, concurrently with a write and other reads.
    ///
    /// - Throws: What the body throws, `cancelled`, `closed`, and what the storage throws.
    public func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await telemetry.transaction(.read) { telemetry in
            try await onSnapshot(telemetry) { [schema, session] snapshot, cancellation in
                // A write finds out by the marker.
                guard session.isAsFound || snapshot.schema.version == schema.version else {
                    throw StoreError.schemaChanged
                }
                let driver = RowTransaction(SnapshotTables(snapshot), cancellation: cancellation)
                let result = try ReadTransaction.run(
                    schema: schema, driver: driver, options: options, telemetry: telemetry, body)
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
                    try whileLocked(cancellation) { storage in
                        let driver = RowTransaction(
                            SnapshotTables(try storage.load()), cancellation: cancellation)
                        let result = try WriteTransaction.run(
                            schema: schema, driver: driver, session: session, options: options,
                            telemetry: telemetry, body)
                        let (tables, changes) = try driver.finished()
                        // A store that was closed in the meantime commits nothing.
                        _ = try openStorage()
                        if !changes.isEmpty {
                            let changed = changes.tables.sorted().map { tables.schema.tables[$0] }
                            try storage.commit(tables.snapshot, changedTables: changed.map(\.table))
                            commits.announce(changed.map(\.name))
                        }
                        return result
                    }
                }
            }
        }
    }

    /// Returns whether the write with an operation id was committed.
    ///
    /// - Throws: As `read`.
    public func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        _ = try WriteOptions(scope: scope).scope(inStoreOf: nil)
        return try await onSnapshot { snapshot, _ in snapshot.header.operations.contains(operation) }
    }

    /// Checks for content that the storage cannot read, rows that violate their entity's rules, and dangling
    /// references.
    ///
    /// - Throws: As `read`, except `corrupted`.
    public func check() async throws -> [String] {
        do {
            return try await onSnapshot { snapshot, _ in try SnapshotTables(snapshot).faults() }
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

    private func openStorage() throws -> any SnapshotStorage {
        guard let storage = storage.withLock({ $0 }) else { throw StoreError.storeClosed }
        return storage
    }

    private func onSnapshot<Result: Sendable>(
        _ telemetry: TransactionTelemetry? = nil,
        _ work: @escaping @Sendable (Snapshot, Cancellation) throws -> Result
    ) async throws -> Result {
        // The storage throws `busy` if another process writes while it is being read.
        try await RetryPolicy().run(telemetry) { _ in
            try await Cancellation.run { [self] cancellation in
                try work(try openStorage().load(), cancellation)
            }
        }
    }

    /// Runs a write while nobody else writes; blocks until it can, or until the busy timeout has passed.
    private func whileLocked<Result>(
        _ cancellation: Cancellation, _ work: (any SnapshotStorage) throws -> Result
    ) throws -> Result {
        let storage = try openStorage()
        return try BusyRetry.run(for: busyTimeout, cancellation) { hasBegun in
            try storage.whileLocked {
                hasBegun = true
                return try work(storage)
            }
        }
    }
}
