internal import Switchyard
public import SwitchyardCore

/// Gives the suite access to one backend; a plugin's tests implement it.
///
/// ```swift
/// struct MemoryHarness: ConformanceHarness {
///     let name = "memory"
///     let limitations = MemoryPlugin.limitations
///     func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
///         MemoryStore(schema: schema, busyTimeout: busyTimeout)
///     }
///     func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
///         .impossible(reason: "Nobody but the store can reach its rows.")
///     }
/// }
///
/// @Test("the memory store keeps the contract", arguments: Requirement.all)
/// func contract(_ requirement: Requirement) async throws {
///     let reason = try await requirement.verify(MemoryHarness())
///     #expect(reason == expectedReasons[requirement.number])
/// }
/// ```
///
/// The methods after `plant` have defaults that report that they are impossible. Implement those that the backend
/// allows: a requirement that could not be tested is reported with the reason, and does not count as met.
public protocol ConformanceHarness: Sendable {
    /// The backend's name, for messages and for capabilities' reasons.
    var name: String { get }
    /// What the backend does not support, with the reason. Requirements that need it report the reason instead
    /// of being skipped silently. Usually these are the plugin's own `limitations`.
    var limitations: [StoreCapability: String] { get }

    /// Creates an empty store at a place of its own.
    ///
    /// - Parameters:
    ///   - schema: The schema of the rows.
    ///   - busyTimeout: How long a write waits for another one before it fails with `busy`, under
    ///     whichever name the backend has for that setting.
    /// - Returns: The store.
    /// - Throws: Any error of the backend; the requirement then fails.
    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store
    /// Creates an empty store with scopes at a place of its own, and opens it in one scope.
    ///
    /// This is never called for a backend without `scopes`.
    ///
    /// - Parameters:
    ///   - schema: The schema of the rows.
    ///   - busyTimeout: As for `makeStore`.
    ///   - scope: The scope in which to open the store.
    /// - Returns: The store.
    /// - Throws: Any error of the backend; the requirement then fails.
    func makeScopedStore(
        _ schema: Schema, busyTimeout: Duration, scope: StoreScope
    ) async throws -> any Store
    /// Opens a store's place again, as a second process would.
    ///
    /// The first store may be open, closed or disposed of. This is never called for a backend without `durability`.
    ///
    /// - Parameters:
    ///   - store: The store that was created at the place.
    ///   - schema: The schema to open with.
    ///   - options: How to open it, and whether to create it if it is gone.
    ///   - busyTimeout: As for `makeStore`.
    /// - Returns: Another store at the same place.
    /// - Throws: Any error of the backend, which the requirement may expect.
    func reopen(
        _ store: any Store, schema: Schema, options: OpenOptions, busyTimeout: Duration
    ) async throws -> any Store
    /// Removes a store and its place; called once for each created store, when it is no longer used.
    func dispose(_ store: any Store) async
    /// Writes a value that the schema does not allow into a row behind the store's back, as a person with a
    /// database tool could.
    ///
    /// - Returns: Whether the value was written, or why no reader of the backend can ever meet such a value.
    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention

    /// Creates an empty store like `makeStore`, or with a scope like `makeScopedStore`, whose connections the next
    /// two methods can cut, for example through a proxy.
    func makeStoreToCut(_ schema: Schema, scope: StoreScope?) async throws -> any Store
    /// Cuts all connections, idle or not, that a store of `makeStoreToCut` currently has to its server.
    ///
    /// - Returns: When they are cut; new ones succeed.
    func cutConnections(of store: any Store) async throws -> Intervention
    /// Cuts the connection over which a store of `makeStoreToCut` sends its next commit, at the given moment.
    ///
    /// - Returns: Immediately; the store's next write is cut off, once.
    func cutNextCommit(of store: any Store, _ moment: CommitCut) async throws -> Intervention
    /// Makes every operation id recorded by a store older.
    func ageOperations(of store: any Store, by age: Duration) async throws -> Intervention
    /// Replaces the JSON of a store's marker, as a damaged disk or a person with a tool could.
    func replaceMarker(by json: String, in store: any Store) async throws -> Intervention

    /// Changes the structure of an open store.
    func change(_ change: StructureChange, under store: any Store) async throws -> Intervention
    /// Does work while something other than the store, such as another process, holds the lock that a write to
    /// the store needs.
    ///
    /// For a backend whose lock is that of its `StoreDirectory`:
    ///
    /// ```swift
    /// let descriptor = Foundation.open(store.info.location, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    /// defer { Foundation.close(descriptor) }
    /// guard flock(descriptor, LOCK_EX) == 0 else { throw CocoaError(.fileLocking) }
    /// try await work()
    /// return .done
    /// ```
    ///
    /// - Returns: Whether the work was done; errors of the work are thrown.
    func whileLocked(_ store: any Store, _ work: LockedWork) async throws -> Intervention
}

extension ConformanceHarness {
    /// No limitations.
    public var limitations: [StoreCapability: String] { [:] }

    /// Throws `unsupported`, for a backend without scopes.
    public func makeScopedStore(
        _ schema: Schema, busyTimeout: Duration, scope: StoreScope
    ) async throws -> any Store {
        throw StoreError(
            .unsupported,
            "The harness of \(name) cannot create a store with scopes, and declares no limit on scopes.")
    }

    /// Throws `unsupported`, for a backend whose stores end with the process.
    public func reopen(
        _ store: any Store, schema: Schema, options: OpenOptions, busyTimeout: Duration
    ) async throws -> any Store {
        throw StoreError(
            .unsupported, "The harness of \(name) cannot reopen a store, and declares no limit on durability."
        )
    }

    /// Closes the store.
    public func dispose(_ store: any Store) async { try? await store.close() }

    /// Creates a store with `makeStore` or `makeScopedStore` whose writes wait up to a minute.
    public func makeStoreToCut(_ schema: Schema, scope: StoreScope?) async throws -> any Store {
        guard let scope else { return try await makeStore(schema, busyTimeout: .seconds(60)) }
        return try await makeScopedStore(schema, busyTimeout: .seconds(60), scope: scope)
    }

    /// Cuts nothing.
    public func cutConnections(of store: any Store) async throws -> Intervention {
        .impossible(reason: "The harness of \(name) cannot cut connections.")
    }

    /// Cuts nothing.
    public func cutNextCommit(of store: any Store, _ moment: CommitCut) async throws -> Intervention {
        .impossible(reason: "The harness of \(name) cannot cut connections.")
    }

    /// Ages nothing.
    public func ageOperations(of store: any Store, by age: Duration) async throws -> Intervention {
        .impossible(reason: "The harness of \(name) cannot age operation ids.")
    }

    /// Replaces nothing.
    public func replaceMarker(by json: String, in store: any Store) async throws -> Intervention {
        .impossible(reason: "The harness of \(name) cannot replace the marker.")
    }

    /// Changes nothing.
    public func change(_ change: StructureChange, under store: any Store) async throws -> Intervention {
        .impossible(reason: "The harness of \(name) cannot change the structure.")
    }

    /// Does not do the work.
    public func whileLocked(_ store: any Store, _ work: LockedWork) async throws -> Intervention {
        .impossible(reason: "The harness of \(name) cannot hold another process's lock.")
    }
}

/// The work that `ConformanceHarness.whileLocked` does, by calling it.
///
/// A closure would have another type in a module without the upcoming feature `NonisolatedNonsendingByDefault`, so that the
/// harness's function would silently not be the one that the protocol requires.
public struct LockedWork: Sendable {
    private let work: @Sendable () async throws -> Void

    init(_ work: @escaping @Sendable () async throws -> Void) { self.work = work }

    /// Does the work.
    ///
    /// - Throws: What the requirement finds.
    public func callAsFunction() async throws { try await work() }
}
