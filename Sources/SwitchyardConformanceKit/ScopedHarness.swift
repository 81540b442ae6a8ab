internal import Switchyard
public import SwitchyardCore

/// A harness whose stores each use one scope of a shared store, for a backend with scopes.
///
/// Another scope of the same store contains rows with ids and values that the tests also use. `Requirement.verify`
/// expects that those rows are neither seen nor changed.
///
/// ```swift
/// @Test("PostgreSQL keeps in a scope", arguments: Requirement.all)
/// func contract(_ requirement: Requirement) async throws {
///     try await requirement.verify(ScopedHarness(PostgresHarness()))
/// }
/// ```
public struct ScopedHarness: ConformanceHarness {
    /// The harness of the backend.
    public let base: any ConformanceHarness
    /// The scope in which stores are opened.
    public let scope = StoreScope()
    /// The scope that contains the other rows.
    let beside = StoreScope()

    /// Wraps a harness so that its stores are opened in a scope.
    public init(_ base: any ConformanceHarness) { self.base = base }

    /// The backend's name, with a note about the scope.
    public var name: String { "\(base.name) in a scope" }
    /// The backend's limitations.
    public var limitations: [StoreCapability: String] { base.limitations }

    /// Creates a store whose own scope is empty.
    ///
    /// - Throws: Any error of the backend.
    public func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        try await makeScopedStore(schema, busyTimeout: busyTimeout, scope: scope)
    }

    /// Creates a store that is opened in a scope of its own.
    ///
    /// - Throws: Any error of the backend.
    public func makeScopedStore(
        _ schema: Schema, busyTimeout: Duration, scope: StoreScope
    ) async throws -> any Store {
        try await withRowsBeside(
            try await base.makeScopedStore(schema, busyTimeout: busyTimeout, scope: scope))
    }

    /// Opens a store's place again, in the same scope unless the options name one.
    ///
    /// - Throws: Any error of the backend.
    public func reopen(
        _ store: any Store, schema: Schema, options: OpenOptions, busyTimeout: Duration
    ) async throws -> any Store {
        var options = options
        options.scope = options.scope ?? scope
        return try await base.reopen(store, schema: schema, options: options, busyTimeout: busyTimeout)
    }

    /// Removes the backend's store.
    public func dispose(_ store: any Store) async { await base.dispose(store) }

    /// Inserts rows into the other scope.
    private func withRowsBeside(_ store: any Store) async throws -> any Store {
        try await store.write(WriteOptions(scope: beside)) { tx in
            for entity in tx.schema.entities {
                try tx.insertRows(into: entity.name, SampleRows.of(entity))
            }
        }
        return store
    }

    /// All rows of the other scope, by entity; nil if the store's place is gone.
    func rowsBeside(_ store: any Store) async throws -> [String: [[StoredValue]]]? {
        do {
            return try await allRows(of: store)
        } catch let error as StoreError where error.code == .closed {
            do {
                let options = OpenOptions(access: .readOnly, createsIfMissing: false, scope: beside)
                let again = try await base.reopen(
                    store, schema: store.schema, options: options, busyTimeout: .seconds(60))
                let rows = try await allRows(of: again)
                try await again.close()
                return rows
            } catch let error as StoreError where error.code == .notFound {
                return nil
            }
        }
    }

    private func allRows(of store: any Store) async throws -> [String: [[StoredValue]]] {
        try await store.read(ReadOptions(scopes: [beside])) { tx in
            let rows = try tx.schema.entities.map { ($0.name, try tx.fetchRows(of: $0.name)) }
            return Dictionary(rows, uniquingKeysWith: { first, _ in first })
        }
    }
}

/// Interventions are forwarded to the backend's harness.
extension ScopedHarness {
    /// Plants a fault.
    ///
    /// - Throws: Any error of the backend's harness.
    public func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
        try await base.plant(fault, in: store)
    }

    /// Creates a store whose connections can be cut.
    ///
    /// - Throws: Any error of the backend.
    public func makeStoreToCut(_ schema: Schema, scope: StoreScope?) async throws -> any Store {
        try await withRowsBeside(try await base.makeStoreToCut(schema, scope: scope ?? self.scope))
    }

    /// Cuts the connections of a store.
    ///
    /// - Throws: Any error of the backend's harness.
    public func cutConnections(of store: any Store) async throws -> Intervention {
        try await base.cutConnections(of: store)
    }

    /// Cuts a connection of a store at its next commit.
    ///
    /// - Throws: Any error of the backend's harness.
    public func cutNextCommit(of store: any Store, _ moment: CommitCut) async throws -> Intervention {
        try await base.cutNextCommit(of: store, moment)
    }

    /// Makes the operation ids of a store older.
    ///
    /// - Throws: Any error of the backend's harness.
    public func ageOperations(of store: any Store, by age: Duration) async throws -> Intervention {
        try await base.ageOperations(of: store, by: age)
    }

    /// Replaces the marker of the backend's store.
    ///
    /// - Throws: Any error of the backend's harness.
    public func replaceMarker(by json: String, in store: any Store) async throws -> Intervention {
        try await base.replaceMarker(by: json, in: store)
    }

    /// Changes the structure of a store.
    ///
    /// - Throws: Any error of the backend's harness.
    public func change(_ change: StructureChange, under store: any Store) async throws -> Intervention {
        try await base.change(change, under: store)
    }

    /// Does work while something else holds the lock of a store.
    ///
    /// - Throws: Any error of the work.
    public func whileLocked(
        _ store: any Store, _ work: LockedWork
    ) async throws -> Intervention {
        try await base.whileLocked(store, work)
    }
}
