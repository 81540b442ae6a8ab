public import Switchyard

/// How the suite reaches one backend: what a plugin's own tests provide.
///
/// ```swift
/// struct MemoryHarness: ConformanceHarness {
///     let name = "memory"
///     let limitations = MemoryPlugin.limitations
///     func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
///         MemoryStore(schema: schema, busyTimeout: busyTimeout)
///     }
///     func plant(_ fault: PlantedFault, in store: any Store) async throws -> PlantedFault.Outcome {
///         .refusedByBackend(reason: "Nobody but the store can reach its rows.")
///     }
/// }
///
/// @Test("the memory store keeps the contract", arguments: ContractRow.all)
/// func contract(_ row: ContractRow) async throws {
///     let reason = try await row.verify(MemoryHarness())
///     #expect(reason == expectedReasons[row.number])
/// }
/// ```
public protocol ConformanceHarness: Sendable {
    /// The backend's name, for messages and for capabilities' reasons.
    var name: String { get }
    /// What the backend cannot do, with the reason: rows that need it are reported with the reason, not
    /// skipped in silence. Usually the plugin's own `limitations`.
    var limitations: [StoreCapability: String] { get }

    /// Makes an empty store at a place of its own.
    ///
    /// - Parameters:
    ///   - schema: The schema of the rows.
    ///   - busyTimeout: How long a write waits for another one before it is `busy`, whatever the backend
    ///     calls that setting.
    /// - Returns: The store.
    /// - Throws: What the backend throws; the row fails then.
    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store
    /// Opens the place of a store once more, as a second process would.
    ///
    /// The first one may be open, closed or disposed of. Never called for a backend without `durability`.
    ///
    /// - Parameters:
    ///   - store: The store that was made at the place.
    ///   - schema: The schema to open with.
    ///   - options: What to open it for, and whether to make it if it is gone.
    /// - Returns: A store beside the first one.
    /// - Throws: What the backend throws, which the row may expect.
    func reopen(_ store: any Store, schema: Schema, options: OpenOptions) async throws -> any Store
    /// Removes a store and its place; called once for each store that was made, when it is no longer used.
    func dispose(_ store: any Store) async
    /// Puts a value that the schema does not allow into a row behind the store's back, as a person with a
    /// database tool could.
    ///
    /// - Returns: Whether it is there now; or, if the backend itself refuses such a value, so that no reader
    ///   can ever meet it, the reason, which `ContractRow.verify` passes on.
    func plant(_ fault: PlantedFault, in store: any Store) async throws -> PlantedFault.Outcome
}

extension ConformanceHarness {
    /// No limitation.
    public var limitations: [StoreCapability: String] { [:] }

    /// Throws `unsupported`, for a backend whose stores end with the process.
    public func reopen(
        _ store: any Store, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        throw StoreError(
            .unsupported, "The harness of \(name) opens no store again, and declares no limit of durability.")
    }

    /// Closes the store.
    public func dispose(_ store: any Store) async { try? await store.close() }
}

/// A change for `ConformanceHarness.plant` to make: a fault in every row of an entity, or in its table.
public enum PlantedFault: Sendable, Hashable {
    /// Text in a column of integers.
    case text(entity: String, attribute: String)
    /// An integer other than 0 and 1 in a column of booleans.
    case integerTwo(entity: String, attribute: String)
    /// The integer 300 in a column of an `Int8`.
    case wideInteger(entity: String, attribute: String)
    /// The raw value `unheard-of` in a column of an enum.
    case unknownCase(entity: String, attribute: String)
    /// A column more in the table of an entity, which may be nil.
    case furtherColumn(entity: String)
    /// The bytes C3 28, which are no UTF-8, in a column of text.
    case invalidUTF8(entity: String, attribute: String)

    /// What came of the attempt to plant a fault.
    public enum Outcome: Sendable, Hashable {
        /// The fault is there.
        case planted
        /// The backend lets nobody make such a fault, for a reason told in a sentence.
        case refusedByBackend(reason: String)
    }
}
