/// A place that holds an app's rows: the one protocol that models, services and commands are written against.
///
/// Writes are serializable and reads see one snapshot, on every backend. The closures are synchronous: they
/// run off the cooperative thread pool, may be run again from their start when another writer got in between,
/// and must therefore have no effect outside the transaction.
public protocol Store: Sendable {
    /// The schema that the app declared when it opened the store.
    var schema: Schema { get }
    /// What and where the store is.
    var description: StoreDescription { get }

    /// Reads from one snapshot.
    ///
    /// - Parameters:
    ///   - options: What else the read is given, such as the scopes whose rows it sees.
    ///   - body: Reads; it may be run again from its start.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or a `StoreError`. A cancelled task ends it with `cancelled`.
    func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result

    /// Writes in one serializable transaction: all of it is kept, or none.
    ///
    /// A serialization failure, deadlock or busy store is retried a bounded number of times; the body is then
    /// run again from its start.
    ///
    /// - Parameters:
    ///   - options: What else the write is given, such as an id to ask for its outcome by.
    ///   - body: Writes; it may be run again from its start.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or a `StoreError`: `serialization` or `busy` when the retries are used
    ///   up, `outOfService` if the store has been superseded since it was opened, `outcomeUnknown` if the commit may or may not have happened, `duplicateOperation` if a write was
    ///   committed under the same operation id before, `cancelled` if the task was.
    @discardableResult
    func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result

    /// Whether the write of an operation id was committed.
    ///
    /// Operation ids are kept for each scope by itself. Outcomes are kept for `OperationID.retention`, by the server's clock. Where the only clock is the
    /// device's, which can be wrong, the last `OperationID.leastKept` outcomes are kept whatever it says.
    ///
    /// - Parameters:
    ///   - operation: The id that the write was given.
    ///   - scope: The scope that the write was given; nil for the one in which the store was opened.
    /// - Returns: Whether it was.
    /// - Throws: A `StoreError` if the store cannot be asked; `scopeMismatch` for a scope of a store that has none.
    func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool

    /// Looks for damage: rows that do not decode, references to nothing, and what the backend itself finds.
    ///
    /// - Returns: What was found, one sentence each; nothing if all is well.
    /// - Complexity: Reads every row.
    func check() async throws -> [String]

    /// Ends all work and lets go of files and connections. A closed store throws `closed`.
    func close() async throws
}

extension Store {
    /// Reads from one snapshot.
    ///
    /// - Throws: As `read(_:_:)`.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await read(ReadOptions(), body)
    }

    /// Whether the write of an operation id was committed, in the scope in which the store was opened if it has any.
    ///
    /// - Throws: As `wasCommitted(_:in:)`.
    public func wasCommitted(_ operation: OperationID) async throws -> Bool {
        try await wasCommitted(operation, in: nil)
    }

    /// Writes in one serializable transaction: all of it is kept, or none.
    ///
    /// - Throws: As `write(_:_:)`.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await write(WriteOptions(), body)
    }

    /// Reads what the store says of itself.
    ///
    /// - Throws: A `StoreError` if the store cannot be asked.
    public func marker() async throws -> StoreMarker { try await read { try $0.driver.marker() } }

    /// Changes what the store is for.
    ///
    /// Every process that has it open learns of it with its next write, which is refused with `outOfService`; no write
    /// that had begun before is kept afterwards. Reading goes on. The store itself cannot be written through this opening any more, either: open it in its new role.
    ///
    /// ```swift
    /// try await old.changeRole(to: .superseded, successor: "postgres://server/family")
    /// ```
    ///
    /// - Parameters:
    ///   - role: The new role.
    ///   - successor: The place of the store that replaces it, such as its URL; a password in it is masked.
    /// - Throws: As `write(_:_:)`; `outOfService` if it had lost its role before.
    public func changeRole(to role: StoreRole, successor: String? = nil) async throws {
        try await write { transaction in
            var marker = try transaction.driver.marker()
            marker.role = role
            marker.successor = successor.map { Redaction.redact($0) }
            try transaction.driver.setMarker(marker)
        }
    }
}

/// What and where a store is, for people.
///
/// It holds no secret.
public struct StoreDescription: Sendable, Hashable, Codable {
    /// The plugin's scheme, such as `sqlite`.
    public let backend: String
    /// The place: a path, or host and database; never a password.
    public let location: String
    /// The backend's own version, such as `3.40.1`; empty where there is none.
    public let version: String

    /// Describes a store.
    public init(backend: String, location: String, version: String = "") {
        self.backend = backend
        self.location = location
        self.version = version
    }
}
