extension KeyedStore {
    /// Opens a store of bytes by key, or makes one in a storage without a marker if the options allow it, off the cooperative
    /// thread pool.
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
    ) async throws -> KeyedStore {
        let info = StoreInfo(backend: backend, location: location)
        return try await open(schema: schema, options: options, info: info, busyTimeout: busyTimeout) {
            let opened = try storage()
            let marker = try opened.marker(schema, options: options, at: location)
            return (KeyValueStorage(storage: opened, known: KeyValueSchema(schema)), marker)
        }
    }
}

/// Bytes by key as the storage of a store.
private struct KeyValueStorage: KeyedStorage {
    let storage: any RowStorage
    let known: KeyValueSchema

    var watch: CommitFeed.Watch { { [weak storage] in try storage?.watch($0) } }

    func read<Result>(_ body: (any RowTables) throws -> Result) throws -> Result {
        try storage.read { try body(KeyValueTables($0, known)) }
    }

    func write<Result>(
        _ body: (KeyValueTables) throws -> (Result, KeyValueTables, RowTransaction<KeyValueTables>.Changes)
    ) throws -> Result {
        try storage.write { try body(KeyValueTables($0, known)).0 }
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
