internal import Dispatch
internal import Foundation
public import Switchyard
public import SwitchyardCore
internal import Synchronization

/// A store in a directory of JSON files.
///
/// Writes run one at a time, under a lock on the directory which holds between processes too. Reads take no
/// lock: the files of a commit are never changed afterwards, so that those which `store.json` names are a
/// snapshot.
public final class JSONDirectoryStore: Store {
    /// The schema of the rows.
    public let schema: Schema
    /// What and where the store is.
    public let description: StoreDescription
    private let isReadOnly: Bool
    /// What was read of the directory so far; nil once the store is closed.
    private let contents: Mutex<Contents?>
    private let writers: AsyncSemaphore
    private let writes = DispatchQueue(label: "switchyard.jsondir.write")
    private let reads = DispatchQueue(label: "switchyard.jsondir.read", attributes: .concurrent)

    /// Opens the store of a directory, or makes one; it waits for the file system.
    init(path: String, schema: Schema, options: OpenOptions, busyTimeout: Duration) throws {
        self.schema = schema
        writers = AsyncSemaphore(permits: 1, timeout: busyTimeout)
        description = StoreDescription(backend: JSONDirectoryPlugin.scheme, location: path)
        isReadOnly = options.access == .readOnly
        contents = Mutex(
            try Contents(try StoreDirectory.open(path, schema: schema, options: options), schema: schema))
    }

    /// Reads from the last commit, beside a write and other reads.
    ///
    /// - Throws: What the body throws, `corrupted` for a damaged file, `inputOutput`, `cancelled` or
    ///   `closed`.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await RetryPolicy().run { _ in
            try await Cancellation.run(on: reads) { [self] cancellation in
                let driver = JSONDirectoryTransaction(try snapshot(), schema, cancellation)
                let result = try ReadTransaction.run(schema: schema, driver: driver, body)
                try cancellation.check()
                return result
            }
        }
    }

    /// Writes once no other connection or process does: all of it is kept, or none.
    ///
    /// - Throws: What the body throws, `foreignKey` for a reference to nothing, `busy` after the busy timeout
    ///   or if other processes go on writing, `corrupted` for a damaged file, `full`, `inputOutput`,
    ///   `cancelled`, `readOnly` or `closed`.
    @discardableResult
    public func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        guard !isReadOnly else { throw StoreError.openedReadOnly }
        return try await writers.withPermit {
            try await RetryPolicy().run { _ in
                try await Cancellation.run(on: writes) { [self] cancellation in
                    try directory().locked {
                        let driver = JSONDirectoryTransaction(try snapshot(), schema, cancellation)
                        let result = try WriteTransaction.run(
                            schema: schema, driver: driver, options: options, body)
                        let work = try driver.finished()
                        // A store that was closed meanwhile commits nothing.
                        try directory().commit(work, schema)
                        return result
                    }
                }
            }
        }
    }

    /// Whether the write of an operation id was committed.
    ///
    /// - Throws: As `read`.
    public func wasCommitted(_ operation: OperationID) async throws -> Bool {
        try await manifest().operations[operation.description] != nil
    }

    /// The marker in `store.json`.
    ///
    /// - Throws: As `read`.
    public func marker() async throws -> StoreMarker { try await manifest().marker }

    /// Looks for files that do not decode, rows that break their entity's rules, and references to nothing.
    ///
    /// - Throws: `inputOutput` or `closed`.
    public func check() async throws -> [String] {
        try await RetryPolicy().run { _ in
            try await Cancellation.run(on: reads) { [self] _ in
                do {
                    return try Work(try snapshot()).faults(schema)
                } catch let error as StoreError where error.code == .corrupted {
                    return ["\(error)"]
                }
            }
        }
    }

    /// Lets go of the directory.
    ///
    /// A transaction that is running can finish, but not commit.
    public func close() async throws {
        // Not through `run`, because a cancelled task closes too.
        await withCheckedContinuation { continuation in
            reads.async { [self] in
                contents.withLock { $0 = nil }
                continuation.resume()
            }
        }
    }

    private func manifest() async throws -> Manifest {
        try await RetryPolicy().run { _ in
            try await Cancellation.run(on: reads) { [self] _ in try snapshot().manifest }
        }
    }

    private func directory() throws -> StoreDirectory {
        guard let directory = contents.withLock({ $0?.directory }) else { throw StoreError.storeClosed }
        return directory
    }

    /// What the directory holds now.
    private func snapshot() throws -> Contents {
        try contents.withLock { contents in
            guard var current = contents else { throw StoreError.storeClosed }
            try current.refresh(schema)
            contents = current
            return current
        }
    }
}
