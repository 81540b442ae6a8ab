internal import Dispatch
internal import Foundation
public import GRDB
internal import GRDBSQLite
public import SwitchyardCore
internal import SwitchyardSQL
internal import Synchronization

/// A store in one SQLite file, which any number of processes may have open.
///
/// It is made by `SQLitePlugin`, or on a connection that the app has already: see `init(connection:schema:)`.
///
/// Reads run on snapshots beside each other and beside one write, unless the setting `readers` is 0. Writes
/// wait for their turn: for those of this store up to the busy timeout, and as long again for those of
/// others. A returned write survives the end of the process; with the setting `synchronous` at `full` it
/// survives a loss of power too, as the store's marker always does.
public final class SQLiteStore: Store {
    /// The schema of the rows.
    public let schema: Schema
    /// The file, and the version of SQLite.
    public let description: StoreDescription
    let plan: StorePlan
    let source: Source
    private let retry: RetryPolicy
    private let gate: WriteGate
    /// Lets in as many transactions as there are connections for them: who waited for one inside GRDB could
    /// not be cancelled.
    let turns: Gate
    private let registry: ConnectionRegistry
    private let isClosed = Atomic(false)
    /// Whether anyone can have observers on the connection: telling them makes GRDB read the whole schema.
    private let isLent: Atomic<Bool>
    private let closing = Mutex<Task<Void, any Error>?>(nil)

    /// Where the store's connections come from.
    enum Source: Sendable {
        /// A pool, or one connection, that the store opened and closes, and what brings the log in.
        case owned(any DatabaseWriter, Checkpoint)
        /// The app's own connection.
        case borrowed(any DatabaseWriter)
        /// A connection for each read, which changes neither file nor log.
        case readOnly(ReadOnlySource)

        /// How many reads there can be at a time; a queue's one connection is for writes, too.
        fileprivate var places: Int {
            switch self {
            case .owned(is DatabaseQueue, _), .borrowed(is DatabaseQueue): 1
            case .owned(let writer, _), .borrowed(let writer): writer.configuration.maximumReaderCount
            case .readOnly(let source): source.readers
            }
        }
    }

    init(
        plan: StorePlan, source: Source, location: String, retry: RetryPolicy, gate: WriteGate = WriteGate()
    ) {
        schema = plan.schema
        self.plan = plan
        self.source = source
        self.retry = retry
        self.gate = gate
        let isBorrowed = if case .borrowed = source { true } else { false }
        isLent = Atomic(isBorrowed)
        registry = ConnectionRegistry(isBorrowed: isBorrowed)
        turns = Gate(places: source.places)
        description = StoreDescription(
            backend: SQLitePlugin.scheme, location: location, version: String(cString: sqlite3_libversion()))
    }

    /// The connection beneath, for what only GRDB can do, such as observing changes; nil for a store that is
    /// opened for reading only.
    ///
    /// What is written through it must keep to the schema: `check()` tells.
    public var connection: (any DatabaseWriter)? {
        isLent.store(true, ordering: .sequentiallyConsistent)
        return writer
    }

    private var writer: (any DatabaseWriter)? {
        switch source {
        case .owned(let writer, _), .borrowed(let writer): writer
        case .readOnly: nil
        }
    }

    /// Reads from one snapshot, on one of the reading connections if there are any.
    ///
    /// - Returns: What the body returns.
    /// - Throws: As `Store` says.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await inRead { [schema] driver in
            try ReadTransaction.run(schema: schema, driver: driver, body)
        }
    }

    /// Writes in one transaction that holds the file's write lock from its beginning.
    ///
    /// - Returns: What the body returns.
    /// - Throws: As `Store` says; `busy` if turn or lock could not be had within the busy timeout. With
    ///   `readers` at 0, the turn comes after the reads that have begun, however long they take;
    ///   `configuration` while the app has foreign keys off on its own connection.
    public func write<Result: Sendable>(
        operation: OperationID?, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        guard let writer else { throw StoreError.openedReadOnly }
        return try await gate.withTurn {
            let result = try await retry.run { [self] _ in
                try await translating {
                    try await withTurn(on: writer) {
                        try await writer.write { database in
                            let driver = try driver(on: database)
                            if case .borrowed = source { try driver.requireForeignKeys() }
                            let result = try BodyError.marking {
                                try WriteTransaction.run(
                                    schema: schema, driver: driver, operation: operation, body)
                            }
                            try driver.requireReferences()
                            return result
                        }
                    }
                }
            }
            await checkpointIfDue()
            return result
        }
    }

    /// Whether the write of an operation id was committed.
    ///
    /// - Returns: False as well for one committed more than seven days ago.
    /// - Throws: A `StoreError` if the store cannot be asked.
    public func wasCommitted(_ operation: OperationID) async throws -> Bool {
        try await inRead { [plan] driver in
            try !driver.values(plan.sql.findOperation(operation)).isEmpty
        }
    }

    /// Reads the marker that the store holds about itself.
    ///
    /// - Returns: The marker.
    /// - Throws: A `StoreError` if the store cannot be asked.
    public func marker() async throws -> StoreMarker {
        try await inRead { [description] driver in
            try driver.marker(location: description.location)
        }
    }

    /// Looks for damage: SQLite's own check, tables, columns, keys and indexes that are missing or not what
    /// they should be, references to nothing, and rows that do not decode.
    ///
    /// - Returns: What was found, one sentence each.
    /// - Throws: A `StoreError` if the store cannot be asked.
    /// - Complexity: Reads every row.
    public func check() async throws -> [String] {
        try await inRead { driver in try driver.faults() }
    }

    /// Waits for the work in progress and closes the file; the app's own connection is left open.
    ///
    /// A cancelled task closes it too, and a close that has failed can be called again.
    ///
    /// - Throws: A `StoreError` if SQLite cannot close, such as `busy` while the app keeps a statement of
    ///   `connection`.
    public func close() async throws {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        let task = closing.withLock { closing in
            let task = closing ?? Task { try await closeConnections() }
            closing = task
            return task
        }
        do {
            try await task.value
        } catch {
            closing.withLock { if $0 == task { $0 = nil } }
            throw StoreError.translating(error, in: schema, at: description.location)
        }
    }

    private func closeConnections() async throws {
        do {
            try await writer?.barrierWriteWithoutTransaction { [registry, source] database in
                registry.removeAllStatements()
                // A pool closes its writer first, and readers cannot bring the log in: a copy of the file
                // alone would lack rows. If another process writes now, it will bring them in.
                if case .owned(is DatabasePool, let checkpoint) = source, checkpoint.hasLog {
                    try? checkpoint.run(holdingWriteLockOf: database)
                }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
            // The app has closed its connection, or an earlier close has got as far as this.
        }
        if case .owned(let writer, let checkpoint) = source {
            try await DispatchQueue.global().run {
                // Were there readers when the pool closes its writer, the last to close could not bring the
                // log in.
                (writer as? DatabasePool)?.invalidateReadOnlyConnections()
                try writer.close()
                // One connection alone has brought the log in, unless another process has the file open, too.
                try? checkpoint.runAfterClose()
            }
        }
    }

    /// Runs work in one snapshot.
    func inRead<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteTransaction) throws -> Result
    ) async throws -> Result {
        let marked = { @Sendable (driver: SQLiteTransaction) in
            try BodyError.marking { try body(driver) }
        }
        return try await retry.run { [self] _ in
            try await translating {
                try await turns.withTurn { try await inSnapshot(marked) }
            }
        }
    }

    private func inSnapshot<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteTransaction) throws -> Result
    ) async throws -> Result {
        switch source {
        case .owned(let writer, _), .borrowed(let writer):
            if writer is DatabasePool { return try await writer.read { try body(driver(on: $0)) } }
            // The read of a queue that has been closed would crash; here that is asked for first.
            return try await writer.unsafeRead { database in
                let driver = try driver(on: database)
                return try database.inSnapshot { try body(driver) }
            }
        case .readOnly(let source):
            try requireOpen()
            return try await source.read { [plan] database, state in
                try body(SQLiteTransaction(database, plan: plan, statements: state.statements))
            }
        }
    }

    /// Runs a write, which on a queue takes its turn among the reads.
    private func withTurn<Result>(
        on writer: any DatabaseWriter, _ write: () async throws -> Result
    ) async throws -> Result {
        try await writer is DatabaseQueue ? turns.withTurn(write) : write()
    }

    /// The transaction on a connection.
    ///
    /// Whether the store is open is asked here, where the closing waits for who has the connection: a
    /// statement kept after that would hold the connection open.
    func driver(on database: Database) throws -> SQLiteTransaction {
        try requireOpen()
        return SQLiteTransaction(
            database, plan: plan, statements: try registry.state(of: database).statements,
            isObservable: isLent.load(ordering: .sequentiallyConsistent))
    }

    private func requireOpen() throws {
        if isClosed.load(ordering: .sequentiallyConsistent) { throw StoreError.storeClosed }
    }

    private func translating<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch {
            // GRDB's own error for a closed connection is a misuse; the app may have closed its own.
            if let error = error as? DatabaseError,
                error.resultCode == .SQLITE_MISUSE || isClosed.load(ordering: .sequentiallyConsistent)
            {
                throw StoreError.storeClosed
            }
            let translated = StoreError.translating(error, in: schema, at: description.location)
            // A wait for a lock that is left on cancellation ends with what SQLite says of the lock.
            if Task.isCancelled, (translated as? StoreError)?.code == .busy {
                throw StoreError.taskCancelled
            }
            throw translated
        }
    }

    private func checkpointIfDue() async {
        guard case .owned(let writer, let checkpoint) = source, checkpoint.isDue else { return }
        // The write is committed whatever becomes of this; the next one tries again.
        try? await writer.writeWithoutTransaction { try checkpoint.run(holdingWriteLockOf: $0) }
    }
}

extension Database {
    /// Runs reads in one transaction, which writes nothing.
    fileprivate func inSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try readOnly {
            var result: Result?
            try inSavepoint {
                result = try body()
                return .commit
            }
            guard let result else { throw StoreError(.backend, "A read has ended without a result.") }
            return result
        }
    }
}
