internal import Switchyard
public import SwitchyardCore

/// How the suite reaches one backend: what a plugin's own tests provide.
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
/// What follows `plant` has a default that says that it cannot be done. Write what the backend allows: a
/// requirement that nobody could test is reported with the reason, and not as kept.
public protocol ConformanceHarness: Sendable {
    /// The backend's name, for messages and for capabilities' reasons.
    var name: String { get }
    /// What the backend cannot do, with the reason: requirements that need it are reported with the reason,
    /// not skipped in silence. Usually the plugin's own `limitations`.
    var limitations: [StoreCapability: String] { get }

    /// Makes an empty store at a place of its own.
    ///
    /// - Parameters:
    ///   - schema: The schema of the rows.
    ///   - busyTimeout: How long a write waits for another one before it is `busy`, whatever the backend
    ///     calls that setting.
    /// - Returns: The store.
    /// - Throws: What the backend throws; the requirement fails then.
    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store
    /// Makes an empty store at a place of its own, whose rows are divided into scopes, and opens it in one.
    ///
    /// Never called for a backend without `scopes`.
    ///
    /// - Parameters:
    ///   - schema: The schema of the rows.
    ///   - busyTimeout: As for `makeStore`.
    ///   - scope: The scope in which the store is opened.
    /// - Returns: The store.
    /// - Throws: What the backend throws; the requirement fails then.
    func makeScopedStore(
        _ schema: Schema, busyTimeout: Duration, scope: StoreScope
    ) async throws -> any Store
    /// Opens the place of a store once more, as a second process would.
    ///
    /// The first one may be open, closed or disposed of. Never called for a backend without `durability`.
    ///
    /// - Parameters:
    ///   - store: The store that was made at the place.
    ///   - schema: The schema to open with.
    ///   - options: What to open it for, and whether to make it if it is gone.
    /// - Returns: A store beside the first one.
    /// - Throws: What the backend throws, which the requirement may expect.
    func reopen(_ store: any Store, schema: Schema, options: OpenOptions) async throws -> any Store
    /// Removes a store and its place; called once for each store that was made, when it is no longer used.
    func dispose(_ store: any Store) async
    /// Puts a value that the schema does not allow into a row behind the store's back, as a person with a
    /// database tool could.
    ///
    /// - Returns: Whether it is there now, or why the backend lets no reader ever meet such a value.
    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention

    /// Makes an empty store as `makeStore` does, or with a scope as `makeScopedStore` does, whose connections the next
    /// two can cut: through a proxy, say.
    func makeStoreToCut(_ schema: Schema, scope: StoreScope?) async throws -> any Store
    /// Cuts all connections that a store of `makeStoreToCut` has to its server at this moment, idle or not.
    ///
    /// - Returns: Once they are cut; new ones succeed.
    func cutConnections(of store: any Store) async throws -> Intervention
    /// Cuts the connection over which a store of `makeStoreToCut` sends its next commit, at that moment.
    ///
    /// - Returns: At once; the next write of the store meets the cut, once.
    func cutNextCommit(of store: any Store, _ moment: CommitCut) async throws -> Intervention
    /// Makes each operation id that a store has noted so much older.
    func ageOperations(of store: any Store, by age: Duration) async throws -> Intervention
    /// Changes the structure of a store that is open.
    func change(_ change: StructureChange, under store: any Store) async throws -> Intervention
    /// Does work while something other than the store, such as another process, holds the lock that a write
    /// of the store needs.
    ///
    /// - Returns: Whether the work was done; it throws what the work throws.
    func whileLocked(
        _ store: any Store, _ work: @escaping @Sendable () async throws -> Void
    ) async throws -> Intervention
}

extension ConformanceHarness {
    /// No limitation.
    public var limitations: [StoreCapability: String] { [:] }

    /// Throws `unsupported`, for a backend that keeps no scopes apart.
    public func makeScopedStore(
        _ schema: Schema, busyTimeout: Duration, scope: StoreScope
    ) async throws -> any Store {
        throw StoreError(
            .unsupported,
            "The harness of \(name) makes no store with scopes, and declares no limit of scopes.")
    }

    /// Throws `unsupported`, for a backend whose stores end with the process.
    public func reopen(
        _ store: any Store, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        throw StoreError(
            .unsupported, "The harness of \(name) opens no store again, and declares no limit of durability.")
    }

    /// Closes the store.
    public func dispose(_ store: any Store) async { try? await store.close() }

    /// A store of `makeStore` or `makeScopedStore`, which waits for others for a minute.
    public func makeStoreToCut(_ schema: Schema, scope: StoreScope?) async throws -> any Store {
        guard let scope else { return try await makeStore(schema, busyTimeout: .seconds(60)) }
        return try await makeScopedStore(schema, busyTimeout: .seconds(60), scope: scope)
    }

    /// Cuts nothing.
    public func cutConnections(of store: any Store) async throws -> Intervention {
        .impossible(reason: "The harness of \(name) cuts no connections.")
    }

    /// Cuts nothing.
    public func cutNextCommit(of store: any Store, _ moment: CommitCut) async throws -> Intervention {
        .impossible(reason: "The harness of \(name) cuts no connections.")
    }

    /// Ages nothing.
    public func ageOperations(of store: any Store, by age: Duration) async throws -> Intervention {
        .impossible(reason: "The harness of \(name) makes no operation ids older.")
    }

    /// Changes nothing.
    public func change(_ change: StructureChange, under store: any Store) async throws -> Intervention {
        .impossible(reason: "The harness of \(name) changes no structure.")
    }

    /// Does not do the work.
    public func whileLocked(
        _ store: any Store, _ work: @escaping @Sendable () async throws -> Void
    ) async throws -> Intervention {
        .impossible(reason: "The harness of \(name) holds no lock of another process.")
    }
}
