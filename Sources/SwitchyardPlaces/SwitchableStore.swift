internal import Synchronization

/// A store that is followed wherever it is switched to, while the app runs.
///
/// It opens the store where its data is now, whatever place the app was configured with: the store that was left says so
/// itself, and the app's `PlaceRegistry` tells it where that one is out of reach. After a switch the next transaction opens the
/// successor, live queries and observers carry on there, and a write that was refused because of the switch is run again.
///
/// ```swift
/// let store = try await SwitchableStore.open(
///     StorePlace(url: url, registry: plugins, schema: schema), registry: places
/// ) { url in StorePlace(url: url, registry: plugins, schema: schema) }
/// ```
///
/// While a switch holds back the writers, a write waits until the switch is committed or given up. A process that writes
/// learns of a switch by that; one that only reads learns of it by the registry.
///
/// The history of the old store stays there. A token of it is refused by the new one as one of an earlier history.
public final class SwitchableStore: Store {
    /// How long a write waits for the end of a switch, unless said otherwise.
    public static let defaultTimeout = Duration.seconds(30)
    /// How often work is begun again that a store has refused which is the one to use.
    private static let mostRefusals = 3

    private let options: OpenOptions
    private let registry: PlaceRegistry?
    private let timeout: Duration
    private let place: @Sendable (String) async throws -> StorePlace
    /// Held while the store is being left for its successor.
    private let leaving = AsyncSemaphore(permits: 1)
    private let state: Mutex<State>

    private struct State {
        var opened: Opened
        var isClosed = false
        /// The closing of the stores that were left.
        var closings: [Task<Void, Never>] = []
    }

    private struct Opened: Sendable {
        let store: any Store
        let location: String
        /// Counts the stores that were open before.
        var number = 0
        /// The state of the registry when its record was read.
        var stamp: PlaceRegistry.Stamp?
    }

    private init(
        _ opened: Opened, options: OpenOptions, registry: PlaceRegistry?,
        timeout: Duration, place: @escaping @Sendable (String) async throws -> StorePlace
    ) {
        state = Mutex(State(opened: opened))
        self.options = options
        self.registry = registry
        self.timeout = timeout
        self.place = place
    }

    /// Opens a store where it is now.
    ///
    /// - Parameters:
    ///   - configured: Where the app is configured to look for it.
    ///   - options: How it is opened. A switch holds back no opening for reading only.
    ///   - registry: The records of the app's switched stores; nil if it has none.
    ///   - timeout: How long to wait for the end of a switch.
    ///   - place: Makes a place of the location of a successor, which has no password.
    /// - Returns: The store.
    /// - Throws: What opening the store throws; `outOfService` if it was taken out of service, or if a switch was not
    ///   completed in time (`incompleteCopy` for its copy); `identityConflict` if its successor is not there, or if a store of
    ///   the same identity is in use at the configured place, which the registry says it has left; what the registry throws where no store says where the data is; what `place` throws.
    public static func open(
        _ configured: StorePlace, options: OpenOptions = OpenOptions(), registry: PlaceRegistry? = nil,
        timeout: Duration = defaultTimeout,
        place: @escaping @Sendable (String) async throws -> StorePlace
    ) async throws -> SwitchableStore {
        let search = PlaceSearch(options: options, timeout: timeout, place: place)
        let stamp = registry?.stamp
        let direction = try await registry?.direction(from: configured, logger: options.logger, place)
        let found =
            switch direction {
            case .elsewhere(let record): try await search.open(try await place(record.location), as: record)
            case .here(let isKnown): try await search.open(configured, mayCreate: !isKnown)
            case nil: try await search.open(configured, mayCreate: true)
            }
        await found.note(in: registry, options)
        return SwitchableStore(
            Opened(store: found.store, location: found.location, stamp: stamp), options: options,
            registry: registry, timeout: timeout, place: place)
    }

    /// The location of the store that is open now.
    public var location: String { state.withLock(\.opened.location) }
    /// The schema of the store.
    public var schema: Schema { base.schema }
    /// The backend and location of the store that is open now.
    public var info: StoreInfo { base.info }
    /// The commits, which go on with those of the successor.
    public var commits: CommitFeed { base.commits }

    private var base: any Store { state.withLock(\.opened.store) }

    /// Reads from one snapshot.
    ///
    /// - Throws: As `Store` says; what opening a successor throws.
    public func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await following { try await $0.read(options, body) }
    }

    /// Writes in one serializable transaction, to the successor if the store has been switched.
    ///
    /// - Throws: As `Store` says; `outOfService` if a switch was not completed in time, or the store was taken out of
    ///   service; what opening a successor throws.
    public func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await following { try await $0.write(options, body) }
    }

    /// Returns whether the write with an operation id was committed, before a switch or after it.
    ///
    /// - Throws: As `Store` says; what opening a successor throws.
    public func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        try await following { try await $0.wasCommitted(operation, in: scope) }
    }

    /// Checks the store that is open now for damage.
    ///
    /// - Throws: As `Store` says.
    public func check() async throws -> [String] { try await following { try await $0.check() } }

    /// Closes the store.
    ///
    /// - Throws: As `Store` says.
    public func close() async throws {
        let (opened, closings) = state.withLock { state in
            state.isClosed = true
            return (state.opened, state.closings)
        }
        for closing in closings { await closing.value }
        try await opened.store.close()
    }

    /// Runs work in the store that has the data, and again in its successor if it was left meanwhile.
    private func following<Result>(_ work: (any Store) async throws -> Result) async throws -> Result {
        let limit = ContinuousClock.now + timeout
        var refusals = 0
        while true {
            let opened = try await current()
            do {
                return try await work(opened.store)
            } catch let error as StoreError where error.code.refusesService {
                if try await leave(opened, because: error, until: limit) { continue }
                // A switch may just have been given up; but not each time.
                refusals += 1
                guard refusals <= Self.mostRefusals else { throw error }
            } catch let error as StoreError where error.code == .closed && hasLeft(opened) {
                // It was closed before the work began.
            }
        }
    }

    private func hasLeft(_ opened: Opened) -> Bool {
        state.withLock { !$0.isClosed && $0.opened.number != opened.number }
    }

    /// The store that has the data, as far as the registry tells.
    private func current() async throws -> Opened {
        let opened = state.withLock(\.opened)
        guard let registry, registry.stamp != opened.stamp else { return opened }
        return try await leaving.withPermit {
            let opened = state.withLock(\.opened)
            let stamp = registry.stamp
            // Another store may be in the configured place now.
            if let record = try await successor(of: opened, in: registry) {
                let found = try await search.open(try await place(record.location), as: record)
                try await replace(opened, by: found, stamp)
            } else {
                state.withLock { $0.opened.stamp = stamp }
            }
            return state.withLock(\.opened)
        }
    }

    /// Where the store that is open has gone, as the registry says and its own marker does not deny.
    private func successor(of opened: Opened, in registry: PlaceRegistry) async throws -> PlaceRecord? {
        let records = try await registry.readContents()
        let route = records.route(from: opened.location)
        guard route.isKnown else { return nil }
        guard let marker = try? await opened.store.marker() else { return route.end }
        // A store that is in use goes on being used; the next opening tells that there are two.
        guard case .elsewhere(let record) = try? await records.direction(from: opened.location, marker, place)
        else { return nil }
        return record
    }

    /// Opens the successor of a store that has refused a write, unless that takes writes again.
    ///
    /// - Returns: Whether another store is open now.
    private func leave(
        _ opened: Opened, because error: StoreError, until limit: ContinuousClock.Instant
    ) async throws -> Bool {
        try await leaving.withPermit {
            guard !hasLeft(opened) else { return true }
            let marker = try await opened.store.marker()
            guard marker.hasBeenLeft else {
                if marker.role == .active { return false }
                throw error
            }
            let found = try await search.open(after: opened.location, marker, until: limit)
            guard let found else { return false }
            await found.note(in: registry, options)
            try await replace(opened, by: found, opened.stamp)
            return true
        }
    }

    private var search: PlaceSearch {
        PlaceSearch(options: options, timeout: timeout, place: place)
    }

    /// Goes on with another store.
    private func replace(
        _ opened: Opened, by found: PlaceSearch.Found, _ stamp: PlaceRegistry.Stamp?
    ) async throws {
        let isClosed = state.withLock { state in
            guard !state.isClosed else { return true }
            state.opened = Opened(
                store: found.store, location: found.location, number: opened.number + 1, stamp: stamp)
            opened.store.commits.move(to: found.store.commits)
            // Its transactions may take a while, and nobody needs to wait for them. If the store cannot be closed, its file
            // stays open for reading until the process ends.
            state.closings.append(Task { _ = try? await opened.store.close() })
            return false
        }
        guard !isClosed else {
            try await found.store.close()
            throw StoreError.storeClosed
        }
    }
}

extension PlaceSearch.Found {
    /// Notes where the store was found, so that it is found when the place that was left is out of reach.
    fileprivate func note(in registry: PlaceRegistry?, _ options: OpenOptions) async {
        guard let registry, !steps.isEmpty, options.access == .readWrite else { return }
        // It was found without the note, and will be again.
        _ = try? await BlockingWork.run { for step in steps { try registry.note(step) } }
    }
}
