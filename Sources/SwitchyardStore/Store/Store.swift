/// A store of an app's rows: the protocol that models, services and commands are written against.
///
/// Writes are serializable and reads see one snapshot, on every backend. The closures are synchronous and run off the
/// cooperative thread pool. They may run again from the start after a conflict with another writer, and must
/// therefore have no effects outside the transaction.
public protocol Store: Sendable {
    /// The schema that the app declared when it opened the store.
    var schema: Schema { get }
    /// The store's backend and location.
    var info: StoreInfo { get }
    /// Where the backend announces what was committed, for `changes()` and `observe(_:)` to follow.
    var commits: CommitFeed { get }

    /// Reads from one snapshot.
    ///
    /// - Parameters:
    ///   - options: The options of the read, such as the scopes whose rows it sees.
    ///   - body: Reads from the transaction; it may run again from the start.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or a `StoreError`; `cancelled` if the task is cancelled.
    func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result

    /// Writes in one serializable transaction: all of its changes are kept, or none.
    ///
    /// After a serialization failure, a deadlock or a busy store the write is retried a bounded number of times; the
    /// body then runs again from the start.
    ///
    /// - Parameters:
    ///   - options: The options of the write, such as an id to look up its outcome by.
    ///   - body: Writes to the transaction; it may run again from the start.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or a `StoreError`: `serialization` or `busy` when the retries are used
    ///   up, `outOfService` if the store has been superseded since it was opened, `outcomeUnknown` if the commit may or
    ///   may not have happened, `duplicateOperation` if a write was committed under the same operation id before,
    ///   `cancelled` if the task is cancelled.
    @discardableResult
    func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result

    /// Returns whether the write with an operation id was committed.
    ///
    /// Each scope has its own operation ids. Outcomes are kept for `OperationID.retention`, by the server's clock.
    /// Where the only clock is the device's, which can be wrong, the last `OperationID.leastKept` outcomes are kept
    /// whatever their age.
    ///
    /// - Parameters:
    ///   - operation: The id that the write was given.
    ///   - scope: The scope that the write was given; nil for the one that the store was opened with.
    /// - Returns: Whether the write was committed.
    /// - Throws: A `StoreError` if the store cannot be read; `scopeMismatch` for a scope of a store that has none.
    func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool

    /// Checks the store for damage: rows that do not decode, dangling references, and what the backend itself reports.
    ///
    /// - Returns: One sentence for each fault; empty if the store is intact.
    /// - Complexity: Reads every row.
    func check() async throws -> [String]

    /// Ends all work and releases files and connections. A closed store throws `closed`.
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

    /// Returns whether the write with an operation id was committed, in the scope that the store was opened with.
    ///
    /// - Throws: As `wasCommitted(_:in:)`.
    public func wasCommitted(_ operation: OperationID) async throws -> Bool {
        try await wasCommitted(operation, in: nil)
    }

    /// Writes in one serializable transaction: all of its changes are kept, or none.
    ///
    /// - Throws: As `write(_:_:)`.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await write(WriteOptions(), body)
    }

    /// Reads the store's marker: its identity, role and schema.
    ///
    /// - Throws: A `StoreError` if the store cannot be read.
    public func marker() async throws -> StoreMarker { try await read { try $0.driver.maintenance.marker() } }

    /// Changes the store's role.
    ///
    /// Every process that has the store open learns of the change at its next write, which throws `outOfService`; no
    /// write that began before the change is committed after it. Reads go on. This `Store` cannot write any more
    /// either: open the store again in its new role.
    ///
    /// ```swift
    /// try await old.changeRole(to: .superseded, successor: "postgres://server/family")
    /// ```
    ///
    /// - Parameters:
    ///   - role: The new role.
    ///   - successor: The location of the store that replaces it, such as its URL; a password in it is masked.
    /// - Throws: As `write(_:_:)`; `outOfService` if the store's role had already changed.
    public func changeRole(to role: StoreRole, successor: String? = nil) async throws {
        try await write(.ofMarker) { transaction in
            var marker = try transaction.driver.maintenance.marker()
            marker.role = role
            marker.successor = successor.map { Redaction.redact($0) }
            try transaction.driver.maintenance.setMarker(marker)
        }
    }
}
