/// Where a ``SnapshotStore`` keeps its rows: a file, a directory, a variable.
///
/// ```swift
/// final class OneFile: SnapshotStorage {
///     func load() throws -> Snapshot { … }
///     func commit(_ snapshot: Snapshot, changedTables: [String]) throws { … }
///     func whileLocked<Result>(_ work: () throws -> Result) throws -> Result { … }
/// }
/// ```
///
/// Its functions may block: they are called on threads that run no tasks, `load` on several at a time. It is
/// released once the store is closed and the last transaction has ended.
public protocol SnapshotStorage: AnyObject, Sendable {
    /// What was committed last.
    ///
    /// Each transaction begins with it. Storage that others can write keeps what it has read, and reads what has
    /// changed since.
    ///
    /// - Throws: `busy` if another process wrote meanwhile, after which it is called again; `corrupted` for what
    ///   cannot be read, `schemaTooNew`, `schemaMismatch`, `inputOutput`.
    func load() throws -> Snapshot

    /// Keeps a snapshot in the place of the last one: all of it, or nothing if it throws.
    ///
    /// - Parameters:
    ///   - snapshot: What `load` has given to a write, and the write has changed.
    ///   - changedTables: The tables whose rows have changed; none if it was the header alone.
    /// - Throws: `full`, `readOnly`, `inputOutput`.
    func commit(_ snapshot: Snapshot, changedTables: [String]) throws

    /// Does the work of a write, `load` and `commit` among it, while no other process and no other store on the
    /// same place writes.
    ///
    /// Writes of one store come one at a time by themselves, which the default leaves it at.
    ///
    /// - Throws: `busy` at once, and not after a wait, if somebody else writes; what the work throws.
    func whileLocked<Result>(_ work: () throws -> Result) throws -> Result
}

extension SnapshotStorage {
    /// Does the work.
    ///
    /// - Throws: What the work throws.
    public func whileLocked<Result>(_ work: () throws -> Result) throws -> Result { try work() }
}
