package import Foundation

extension KeyedStore {
    /// Opens a store whose storage loads and commits all rows, off the cooperative thread pool.
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
    ) async throws -> KeyedStore {
        let info = StoreInfo(backend: backend, location: location)
        return try await open(schema: schema, options: options, info: info, busyTimeout: busyTimeout) {
            let opened = try storage()
            return (WholeStorage(storage: opened), try opened.load().header.marker)
        }
    }

    /// Creates a store on a storage whose marker admits the schema.
    package convenience init(
        _ storage: any SnapshotStorage, schema: Schema, storeID: UUID, options: OpenOptions,
        info: StoreInfo, busyTimeout: Duration
    ) {
        self.init(
            WholeStorage(storage: storage), schema: schema, storeID: storeID, options: options, info: info,
            busyTimeout: busyTimeout)
    }
}

/// Snapshots as the storage of a store.
private struct WholeStorage: KeyedStorage {
    let storage: any SnapshotStorage

    var watch: CommitFeed.Watch { { [weak storage] in try storage?.watch($0) } }

    func read<Result>(_ body: (any RowTables) throws -> Result) throws -> Result {
        try body(SnapshotTables(try storage.load()))
    }

    func write<Result>(
        _ body: (SnapshotTables) throws -> (Result, SnapshotTables, RowTransaction<SnapshotTables>.Changes)
    ) throws -> Result {
        try storage.whileLocked {
            let (result, tables, changes) = try body(SnapshotTables(try storage.load()))
            if !changes.isEmpty {
                let changed = changes.tables.sorted().map { tables.schema.tables[$0].table }
                try storage.commit(tables.snapshot, changedTables: changed)
            }
            return result
        }
    }
}
