internal import Switchyard
public import SwitchyardCore

/// A harness whose stores wrap another harness's and make one mistake.
public struct FaultyHarness: ConformanceHarness {
    /// The harness of the correct backend.
    public let base: any ConformanceHarness
    /// The mistake.
    public let fault: Fault

    /// Adds a fault to the stores of a harness.
    public init(_ base: any ConformanceHarness, fault: Fault) {
        self.base = base
        self.fault = fault
    }

    /// The backend's name and the fault's.
    public var name: String { "\(base.name) with \(fault.name)" }
    /// The backend's limitations.
    public var limitations: [StoreCapability: String] { base.limitations }

    /// Creates a store of the backend, wrapped with the fault.
    ///
    /// - Throws: Any error of the backend.
    public func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        let timeout = fault.hooks.opening == .waitsForEver ? .seconds(600) : busyTimeout
        return FaultyStore(
            try await base.makeStore(try stored(schema), busyTimeout: timeout), schema: schema, fault: fault,
            place: FaultyPlace())
    }

    /// Creates a store of the backend with scopes, wrapped with the fault.
    ///
    /// - Throws: Any error of the backend.
    public func makeScopedStore(
        _ schema: Schema, busyTimeout: Duration, scope: StoreScope
    ) async throws -> any Store {
        FaultyStore(
            try await base.makeScopedStore(try stored(schema), busyTimeout: busyTimeout, scope: scope),
            schema: schema, fault: fault, place: FaultyPlace())
    }

    /// Opens a store's place again, with the same fault.
    ///
    /// - Throws: Any error of the backend.
    public func reopen(
        _ store: any Store, schema: Schema, options: OpenOptions, busyTimeout: Duration
    ) async throws -> any Store {
        guard let store = store as? FaultyStore else { throw foreign(store) }
        var (stored, options) = (try stored(schema), options)
        switch fault.hooks.opening {
        case .forgetsOnOpening:
            return FaultyStore(
                try await base.makeStore(stored, busyTimeout: busyTimeout), schema: schema, fault: fault,
                place: FaultyPlace())
        case .keepsRowsAtClosing where !store.isClosed:
            return FaultyStore(
                try await base.makeStore(stored, busyTimeout: busyTimeout), schema: schema, fault: fault,
                place: FaultyPlace())
        case .ignoresSchema: stored = store.base.schema
        case .makesWhatIsMissing: options.createsIfMissing = true
        case .writesWhenReadOnly: options.access = .readWrite
        default: break
        }
        do {
            return FaultyStore(
                try await base.reopen(
                    store.base, schema: stored, options: options, busyTimeout: busyTimeout),
                schema: schema, fault: fault, place: store.place)
        } catch let error as StoreError
            where error.code == .corrupted && fault.hooks.opening == .startsAnewFromDamage
        {
            return FaultyStore(
                try await base.makeStore(stored, busyTimeout: busyTimeout), schema: schema, fault: fault,
                place: FaultyPlace())
        }
    }

    /// Removes the backend's store.
    public func dispose(_ store: any Store) async {
        if let store = store as? FaultyStore { await base.dispose(store.base) }
    }

    private func stored(_ schema: Schema) throws -> Schema { try fault.hooks.schema?(schema) ?? schema }
}

/// Interventions are forwarded to the backend's own store.
extension FaultyHarness {
    /// Plants a fault in the backend's store.
    ///
    /// - Throws: Any error of the backend's harness.
    public func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
        try await base.plant(fault, in: sound(store))
    }

    /// Creates a store of the backend whose connections can be cut, wrapped with the fault.
    ///
    /// - Throws: Any error of the backend.
    public func makeStoreToCut(_ schema: Schema, scope: StoreScope?) async throws -> any Store {
        FaultyStore(
            try await base.makeStoreToCut(try stored(schema), scope: scope), schema: schema, fault: fault,
            place: FaultyPlace())
    }

    /// Cuts the connections of the backend's store.
    ///
    /// - Throws: Any error of the backend's harness.
    public func cutConnections(of store: any Store) async throws -> Intervention {
        try await base.cutConnections(of: sound(store))
    }

    /// Cuts a connection of the backend's store at its next commit.
    ///
    /// - Throws: Any error of the backend's harness.
    public func cutNextCommit(of store: any Store, _ moment: CommitCut) async throws -> Intervention {
        try await base.cutNextCommit(of: sound(store), moment)
    }

    /// Makes the operation ids of the backend's store older.
    ///
    /// - Throws: Any error of the backend's harness.
    public func ageOperations(of store: any Store, by age: Duration) async throws -> Intervention {
        try await base.ageOperations(of: sound(store), by: age)
    }

    /// Replaces the marker of the backend's store.
    ///
    /// - Throws: Any error of the backend's harness.
    public func replaceMarker(by json: String, in store: any Store) async throws -> Intervention {
        try await base.replaceMarker(by: json, in: sound(store))
    }

    /// Changes the structure of the backend's store.
    ///
    /// - Throws: Any error of the backend's harness.
    public func change(_ change: StructureChange, under store: any Store) async throws -> Intervention {
        try await base.change(change, under: sound(store))
    }

    /// Does work while something else holds the lock of the backend's store.
    ///
    /// - Throws: Any error of the work.
    public func whileLocked(
        _ store: any Store, _ work: LockedWork
    ) async throws -> Intervention {
        try await base.whileLocked(sound(store), work)
    }

    private func sound(_ store: any Store) throws -> any Store {
        guard let store = store as? FaultyStore else { throw foreign(store) }
        return store.base
    }

    private func foreign(_ store: any Store) -> StoreError {
        StoreError(.invalidArgument, "The store was not made by this harness: \(store.info.location).")
    }
}
