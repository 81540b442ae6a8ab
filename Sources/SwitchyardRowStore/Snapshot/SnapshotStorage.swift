/// Where a ``KeyedStore`` keeps its rows: a file, a directory, a variable.
///
/// ```swift
/// final class OneFile: SnapshotStorage {
///     func load() throws -> Snapshot { … }
///     func commit(_ snapshot: Snapshot, changedTables: [String]) throws { … }
///     func whileLocked<Result>(_ work: () throws -> Result) throws -> Result { … }
/// }
/// ```
///
/// Its functions may block: they are called off the cooperative thread pool, `load` on several threads at a time. The
/// storage is released once the store is closed and the last transaction has ended.
public protocol SnapshotStorage: AnyObject, Sendable {
    /// Returns the snapshot that was committed last.
    ///
    /// Each transaction begins with this call. Storage that other processes can write should keep what it has read, and
    /// read only what has changed since.
    ///
    /// - Throws: `busy` if another process wrote in the meantime, after which it is called again; `corrupted` if the
    ///   content cannot be read; `schemaTooNew`, `schemaMismatch`, `inputOutput`.
    func load() throws -> Snapshot

    /// Replaces the last snapshot atomically: if it throws, the last snapshot remains.
    ///
    /// - Parameters:
    ///   - snapshot: The snapshot that `load` returned to a write, with the changes of the write.
    ///   - changedTables: The tables whose rows have changed; empty if only the header has. If the write has changed the
    ///     schema, the snapshot has tables of the new one, and what is kept of others is to be removed.
    /// - Throws: `full`, `readOnly`, `inputOutput`.
    func commit(_ snapshot: Snapshot, changedTables: [String]) throws

    /// Runs a write, including its `load` and `commit`, while it excludes writes of other processes and of other stores
    /// on the same location.
    ///
    /// A store serializes its own writes. The default implementation adds no further lock.
    ///
    /// - Throws: `busy` if somebody else is writing, at once rather than after a wait; what the work throws.
    func whileLocked<Result>(_ work: () throws -> Result) throws -> Result

    /// Watches for the commits of others while anybody follows the store.
    ///
    /// Leave out the store's own commits, which are announced with their entities: a follower would read everything again for
    /// each.
    ///
    /// - Parameter body: Is called after each of them, on any thread, until the object that is returned is released.
    /// - Returns: What keeps the watch alive; nil, as by default, if nobody else can commit.
    /// - Throws: `inputOutput`.
    func watch(_ body: @escaping @Sendable () -> Void) throws -> (any Sendable & AnyObject)?
}

extension SnapshotStorage {
    /// Runs the work without a lock.
    ///
    /// - Throws: What the work throws.
    public func whileLocked<Result>(_ work: () throws -> Result) throws -> Result { try work() }

    /// Returns nil: nobody else can commit.
    public func watch(_ body: @escaping @Sendable () -> Void) throws -> (any Sendable & AnyObject)? { nil }
}
