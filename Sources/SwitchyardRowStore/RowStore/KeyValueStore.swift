internal import Foundation
internal import Synchronization

/// A store whose rows are in a ``RowStorage``: bytes by key, as LMDB and its kin keep them.
///
/// It implements the whole contract on top of the storage, except scopes. Writes run one at a time, in order of arrival;
/// reads run concurrently, each on what was committed last.
///
/// ```swift
/// return try await KeyValueStore.open(
///     schema: schema, options: options, backend: scheme, location: path, busyTimeout: .seconds(5)
/// ) { try LMDBStorage(path, options: options) }
/// ```
///
/// A condition on an id, a whole unique key or a reference finds its rows by key; any other one reads the table.
public final class KeyValueStore: Store {
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
    private let known: KeyValueSchema
    /// Nil once the store is closed.
    private let storage: Mutex<(any RowStorage)?>
    private let writers: AsyncSemaphore

    /// Opens a store, or makes one in a storage without a marker if the options allow it, off the cooperative thread pool.
    ///
    /// - Parameters:
    ///   - schema: The schema of the rows.
    ///   - options: How the store is opened.
    ///   - backend: The plugin's scheme.
    ///   - location: The location, as shown to people; it must not contain secrets.
    ///   - busyTimeout: How long a write waits for the writes before it.
    ///   - storage: Opens the storage, or makes an empty one. While it throws `busy`, it is called again, a bounded number
    ///     of times.
    /// - Returns: The store.
    /// - Throws: What the storage throws; `notFound` if there is no store, and none is to be made; as `StoreMarker.admit`.
    public static func open(
        schema: Schema, options: OpenOptions, backend: String, location: String, busyTimeout: Duration,
        _ storage: @escaping @Sendable () throws -> any RowStorage
    ) async throws -> KeyValueStore {
        try await RetryPolicy().run { _ in
            try await Cancellation.run { _ in
                let start = ContinuousClock.now
                let opened = try storage()
                let marker = try opened.marker(schema, options: options, at: location)
                try marker.admit(schema, options: options)
                let store = KeyValueStore(
                    opened, schema: schema, storeID: marker.storeID, options: options,
                    info: StoreInfo(backend: backend, location: location), busyTimeout: busyTimeout)
                store.telemetry.opened(since: start)
                return store
            }
        }
    }

    private init(
        _ storage: any RowStorage, schema: Schema, storeID: UUID, options: OpenOptions, info: StoreInfo,
        busyTimeout: Duration
    ) {
        self.schema = schema
        self.info = info
        self.busyTimeout = busyTimeout
        isReadOnly = options.access == .readOnly
        session = WriteSession(schema: schema, options: options)
        telemetry = StoreTelemetry(info, storeID: storeID, logger: options.logger)
        writers = AsyncSemaphore(permits: 1, timeout: busyTimeout, telemetry: telemetry)
        known = KeyValueSchema(schema)
        self.storage = Mutex(storage)
        commits = CommitFeed { [weak storage] in try storage?.watch($0) }
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
                    schema: schema, driver: RowTransaction(tables, cancellation: cancellation),
                    options: options, telemetry: telemetry, body)
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
                    let (result, changed) = try BusyRetry.run(for: busyTimeout, cancellation) { hasBegun in
                        try openStorage().write { rows in
                            hasBegun = true
                            let driver = RowTransaction(
                                KeyValueTables(rows, known), cancellation: cancellation)
                            let result = try WriteTransaction.run(
                                schema: schema, driver: driver, session: session, options: options,
                                telemetry: telemetry, body)
                            let (tables, changes) = try driver.finished()
                            // A store that was closed in the meantime commits nothing.
                            _ = try openStorage()
                            let changed = changes.tables.sorted().map { tables.schema.tables[$0].name }
                            return (result, changes.isEmpty ? nil : changed)
                        }
                    }
                    if let changed { commits.announce(changed) }
                    return result
                }
            }
        }
    }

    /// Returns whether the write with an operation id was committed.
    ///
    /// - Throws: As `read`.
    public func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        _ = try WriteOptions(scope: scope).scope(inStoreOf: nil)
        return try await onTables { tables, _ in try tables.contains(operation) }
    }

    /// Checks for bytes that cannot be read, rows that violate their entity's rules, and dangling references.
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

    private func openStorage() throws -> any RowStorage {
        guard let storage = storage.withLock({ $0 }) else { throw StoreError.storeClosed }
        return storage
    }

    private func onTables<Result: Sendable>(
        _ telemetry: TransactionTelemetry? = nil,
        _ work: @escaping @Sendable (KeyValueTables, Cancellation) throws -> Result
    ) async throws -> Result {
        try await RetryPolicy().run(telemetry) { _ in
            try await Cancellation.run { [self] cancellation in
                try openStorage().read { try work(KeyValueTables($0, known), cancellation) }
            }
        }
    }
}

extension RowStorage {
    /// The store's marker; for a missing store that the options allow to create, the marker of a new one.
    ///
    /// - Throws: `notFound`, `corrupted`, `schemaTooNew`.
    fileprivate func marker(
        _ schema: Schema, options: OpenOptions, at location: String
    ) throws -> StoreMarker {
        if let found = try read({ try $0.foundMarker(at: location) }) { return found }
        guard options.createsIfMissing, options.access == .readWrite else {
            throw StoreError(.notFound, "There is no store at \(location).")
        }
        return try write { rows in
            // Another process may have made it in the meantime.
            if let found = try rows.foundMarker(at: location) { return found }
            let marker = StoreMarker(schema: schema, options: options)
            try rows.put(marker.bytes(), for: .marker)
            return marker
        }
    }
}

extension RowStore {
    /// The marker; nil if there is nothing at all.
    ///
    /// - Throws: `notAStore` if there is anything else; `corrupted`, `schemaTooNew`.
    fileprivate func foundMarker(at location: String) throws -> StoreMarker? {
        if let found = try get(.marker) { return try StoreMarker.decode(bytes: found) }
        var isEmpty = true
        try scan(ClosedKeyRange([0], Array(repeating: 0xFF, count: 128)), .ascending) { _, _ in
            isEmpty = false
            return false
        }
        guard isEmpty else {
            throw StoreError(
                .notAStore,
                "What is at \(location) is not a Switchyard store: it has no marker, but other keys. Give another place; "
                    + "nothing was changed.")
        }
        return nil
    }
}
