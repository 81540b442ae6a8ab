internal import SwitchyardCore

/// The committed state of a store in memory, which may be open several times.
final class SharedMemory: Sendable {
    private struct State: Sendable {
        /// Nil as long as no store was made.
        var snapshot: Snapshot?
        /// Whether a store is writing.
        var isLocked = false
        var watches: [ObjectIdentifier: Watch] = [:]
    }

    private struct Watch: Sendable {
        /// The storage of the store that watches.
        let owner: ObjectIdentifier
        let body: @Sendable () -> Void
    }

    private let state: Monitor<State>

    init(_ snapshot: Snapshot?) { state = Monitor(State(snapshot: snapshot)) }

    /// Makes the store, if it is missing and the options allow it, or admits it.
    ///
    /// - Throws: `notFound` if it is missing; what `StoreMarker.admit` throws.
    func open(_ schema: Schema, options: OpenOptions) throws -> Snapshot {
        try state.withLock { state in
            if let snapshot = state.snapshot {
                try snapshot.header.marker.admit(schema, options: options)
                return snapshot
            }
            guard options.createsIfMissing, options.access == .readWrite else {
                throw StoreError(.notFound, "There is no store in this place of memory.")
            }
            let snapshot = Snapshot(schema: schema, options: options)
            state.snapshot = snapshot
            return snapshot
        }
    }

    func load() throws -> Snapshot {
        guard let snapshot = state.withLock(\.snapshot) else { throw StoreError.storeClosed }
        return snapshot
    }

    /// Replaces the state, and tells the stores that watch for the commits of others.
    func commit(_ snapshot: Snapshot, by owner: ObjectIdentifier) {
        let others = state.withLock { state in
            state.snapshot = snapshot
            return state.watches.values.filter { $0.owner != owner }
        }
        for watch in others { watch.body() }
    }

    /// Runs a write while no other store writes.
    ///
    /// - Throws: `busy` if one does; what the work throws.
    func whileLocked<Result>(_ work: () throws -> Result) throws -> Result {
        let isFree = state.withLock { state in
            defer { state.isLocked = true }
            return !state.isLocked
        }
        guard isFree else {
            throw StoreError(.busy, "Another store on the same memory is writing; try again.")
        }
        defer { state.withLock { $0.isLocked = false } }
        return try work()
    }

    /// Calls the body after each commit of another storage, until the object that it returns is released.
    func watch(by owner: ObjectIdentifier, _ body: @escaping @Sendable () -> Void) -> any Sendable & AnyObject
    {
        let token = WatchToken(self)
        state.withLock { $0.watches[ObjectIdentifier(token)] = Watch(owner: owner, body: body) }
        return token
    }

    fileprivate func endWatch(_ token: ObjectIdentifier) {
        state.withLock { $0.watches[token] = nil }
    }
}

/// Ends a watch when it is released.
private final class WatchToken: Sendable {
    private let memory: SharedMemory

    init(_ memory: SharedMemory) { self.memory = memory }

    deinit { memory.endWatch(ObjectIdentifier(self)) }
}

/// The storage of one opened store.
final class MemoryStorage: SnapshotStorage {
    private let memory: SharedMemory

    init(_ memory: SharedMemory) { self.memory = memory }

    func load() throws -> Snapshot { try memory.load() }

    func commit(_ snapshot: Snapshot, changedTables: [String]) throws {
        memory.commit(snapshot, by: ObjectIdentifier(self))
    }

    func whileLocked<Result>(_ work: () throws -> Result) throws -> Result {
        try memory.whileLocked(work)
    }

    func watch(_ body: @escaping @Sendable () -> Void) throws -> (any Sendable & AnyObject)? {
        memory.watch(by: ObjectIdentifier(self), body)
    }
}
