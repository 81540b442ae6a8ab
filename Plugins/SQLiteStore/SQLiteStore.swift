internal import Foundation
public import GRDB
internal import GRDBSQLite
public import SwitchyardCore
internal import SwitchyardSQL
internal import Synchronization

/// A store in one SQLite file, which any number of processes may have open.
///
/// `SQLitePlugin` opens it; `init(connection:schema:)` creates it on a connection that the app already has.
///
/// Reads run on snapshots, concurrently with each other and with one write, unless the setting `readers` is 0. A write
/// waits for the store's other writes for up to the busy timeout, and as long again for those of other connections. A
/// returned write survives the end of the process; with the setting `synchronous` at `full` it also survives a power
/// failure, as the store's marker always does.
///
/// The store checkpoints the write-ahead log (WAL) after every 1,000 pages, concurrently with reads and other
/// writes; the write that reaches the limit waits for it. It truncates a WAL of 4,000 pages: all writers then
/// wait until the earlier reads have ended, for at most a quarter of the busy timeout. If a read takes
/// longer, the WAL grows to twice its length before the next attempt.
///
/// If the file is deleted, moved or replaced while the store is open, each transaction throws `replaced`:
/// SQLite itself would keep using the file that has lost its name. Closing the store then leaves the files at
/// that path unchanged.
public final class SQLiteStore: Store, CommitCounting {
    /// The schema of the rows.
    public let schema: Schema
    /// The file, and the version of SQLite.
    public let info: StoreInfo
    /// The store's commits.
    public let commits: CommitFeed
    private let otherCommits: OtherCommits?
    let plan: SQLPlan
    let source: Source
    private let scope: StoreScope?
    private let session: WriteSession
    private let retry: RetryPolicy
    private let writers: AsyncSemaphore
    /// A permit for each connection: a transaction that waited for one inside GRDB could not be cancelled.
    let connections: AsyncSemaphore
    private let registry: ConnectionRegistry
    /// The files that the store has open; nil if each read opens them itself, and for a store in memory.
    private let files: OpenFiles?
    private let suspension: Suspension
    private let telemetry: StoreTelemetry
    let lockWait: LockWait
    private let isClosed = Atomic(false)
    /// Whether a write of the store holds SQLite's lock.
    private let hasLock = Atomic(false)
    /// Whether the app may have observers on the connection: notifying them makes GRDB read the whole schema.
    private let isLent: Atomic<Bool>
    private let closing = Mutex<Task<Void, any Error>?>(nil)

    /// Where the store's connections come from.
    enum Source: Sendable {
        /// A pool, or one connection, that the store opened and closes, and its checkpoints.
        case owned(any DatabaseWriter, Checkpoint)
        /// The app's own connection.
        case borrowed(any DatabaseWriter)
        /// A connection for each read, which changes neither file nor WAL.
        case readOnly(ReadOnlySource)

        /// The number of concurrent reads; the single connection of a queue is also used for writes.
        fileprivate var permits: Int {
            switch self {
            case .owned(is DatabaseQueue, _), .borrowed(is DatabaseQueue): 1
            case .owned(let writer, _), .borrowed(let writer): writer.configuration.maximumReaderCount
            case .readOnly(let source): source.readers
            }
        }
    }

    init(
        plan: SQLPlan, source: Source, files: OpenFiles?, info: StoreInfo, options: OpenOptions,
        retry: RetryPolicy, telemetry: StoreTelemetry,
        suspension: Suspension = Suspension(isObserved: false), writeTimeout: Duration? = nil,
        lockWait: LockWait = LockWait()
    ) {
        schema = plan.schema
        self.plan = plan
        self.source = source
        scope = options.scope
        session = WriteSession(schema: plan.schema, options: options)
        self.retry = retry
        self.telemetry = telemetry
        self.lockWait = lockWait
        writers = AsyncSemaphore(permits: 1, timeout: writeTimeout, wait: .turn, telemetry: telemetry)
        self.files = files
        self.suspension = suspension
        let isBorrowed = if case .borrowed = source { true } else { false }
        isLent = Atomic(isBorrowed)
        registry = ConnectionRegistry(isBorrowed: isBorrowed)
        connections = AsyncSemaphore(permits: source.permits, wait: .connection, telemetry: telemetry)
        self.info = info
        otherCommits = OtherCommits(of: source, at: files?.path ?? info.location) { files?.fault == nil }
        commits = otherCommits.map { others in CommitFeed { try await others.watch($0) } } ?? CommitFeed()
        if case .owned(_, let checkpoint) = source {
            // Commits on the app's connection count as well.
            checkpoint.follow(files) { [weak self] in _ = self?.startCheckpoint() }
            checkpoint.measure()
            _ = startCheckpoint()
        }
    }

    /// The underlying connection, for what only GRDB can do, such as observing changes; nil for a store that is opened
    /// read-only.
    ///
    /// Writes through it must conform to the schema, which `check()` verifies. If the file is no longer the
    /// store's, a commit fails with `SQLITE_ERROR`, and its changes are lost.
    public var connection: (any DatabaseWriter)? {
        if case .owned(_, let checkpoint) = source { checkpoint.checkCommits() }
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
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await inRead(of: try options.scopes(inStoreOf: scope)) { [schema] driver in
            try ReadTransaction.run(
                schema: schema, driver: driver, options: options, telemetry: driver.telemetry, body)
        }
    }

    /// Writes in one transaction that holds the file's write lock from its beginning.
    ///
    /// - Returns: What the body returns.
    /// - Throws: As `Store` says; `busy` if its turn or the lock did not come within the busy timeout (with `readers`
    ///   at 0, its turn comes after the reads in progress, however long they take); `suspended` between `suspend()` and
    ///   `resume()`; `replaced` if the store's files are no longer those that it opened; `configuration` while foreign
    ///   keys are off on the app's own connection.
    public func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        guard let writer else { throw StoreError.openedReadOnly }
        let scope = try options.scope(inStoreOf: scope)
        do {
            let result = try await telemetry.transaction(.write, author: options.author) { transaction in
                try await withWriteTurn {
                    try await retry.run(transaction) { _ in
                        try await write(options, in: scope, on: writer, telemetry: transaction, body)
                    }
                }
            }
            await checkpoint()
            return result
        } catch {
            // A write that is rolled back lengthens the WAL as well.
            if case .owned(_, let checkpoint) = source { checkpoint.measure() }
            await checkpoint()
            throw error
        }
    }

    /// Runs a write once.
    private func write<Result: Sendable>(
        _ options: WriteOptions, in scope: StoreScope?, on writer: any DatabaseWriter,
        telemetry: TransactionTelemetry?, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        guard !suspension.isActive else { throw StoreError.storeSuspended }
        return try await translating {
            try await withConnection(of: writer) {
                try await Interruption.run { [self] interruption in
                    try writer.writeWithoutTransaction { database in
                        try database.withDurableCommit(options.excludesWriters) {
                            try inTransaction(
                                on: database, in: scope, interruption: interruption, telemetry: telemetry
                            ) { driver in
                                if case .borrowed = source { try driver.requireForeignKeys() }
                                let result = try BodyError.wrapping {
                                    try WriteTransaction.run(
                                        schema: schema, driver: driver, session: session, options: options,
                                        telemetry: telemetry, body)
                                }
                                try driver.requireReferencesAtCommit()
                                return result
                            }
                        }
                    }
                }
            }
        }
    }

    /// Returns whether the write with an operation id was committed.
    ///
    /// - Returns: True if it was committed. False also if it was committed more than seven days ago by the device's
    ///   clock, unless it is among the last thousand.
    /// - Throws: A `StoreError` if the store cannot be queried.
    public func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        let scope = try WriteOptions(scope: scope).scope(inStoreOf: self.scope)
        return try await inRead(of: scope.map { [$0] } ?? []) { driver in try driver.hasRecorded(operation) }
    }

    /// Looks for damage: faults that SQLite's own check finds, tables, columns, keys and indexes that are missing or
    /// wrong, dangling references and rows that cannot be decoded.
    ///
    /// - Returns: The faults found, one sentence each.
    /// - Throws: A `StoreError` if the store cannot be queried.
    /// - Complexity: O(rows); it reads every one.
    public func check() async throws -> [String] {
        try await inRead(of: scope.map { [$0] } ?? []) { driver in try driver.faults() }
    }

    /// Waits for the work in progress and closes the file; the app's own connection stays open.
    ///
    /// A cancelled task closes it as well, and a failed close can be repeated.
    ///
    /// - Throws: A `StoreError` if SQLite cannot close, for instance `busy` while the app keeps a statement of
    ///   `connection`.
    public func close() async throws {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        commits.close()
        let task = closing.withLock { closing in
            let task = closing ?? Task { try await closeConnections() }
            closing = task
            return task
        }
        do {
            try await task.value
        } catch {
            closing.withLock { if $0 == task { $0 = nil } }
            throw StoreError.translating(error, in: schema, at: info.location)
        }
    }

    private func closeConnections() async throws {
        await otherCommits?.close()
        guard case .owned(let writer, let checkpoint) = source else {
            try await BlockingWork.run { try self.removeAllStatements() }
            return
        }
        await checkpoint.end()
        try await BlockingWork.run {
            try self.removeAllStatements()
            let isInPlace = self.files?.fault == nil
            // If there were readers when the pool closes its writer, the last connection to close could not checkpoint.
            (writer as? DatabasePool)?.invalidateReadOnlyConnections()
            checkpoint.disconnect()
            try writer.close()
            // The last connection to the file checkpoints when it closes. If others are open, this connection
            // does, so that a copy of the file alone does not lack rows; while another process writes, that
            // is left to it.
            if isInPlace { try? checkpoint.runAfterClose() }
        }
    }

    private func removeAllStatements() throws {
        do {
            try writer?.barrierWriteWithoutTransaction { [registry, files] database in
                registry.removeAllStatements()
                // SQLite would delete the WAL and the shared memory by their names, which may be another
                // store's now.
                if files?.fault != nil {
                    var isOn: CInt = 1
                    sqlite3_file_control(
                        database.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn)
                }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
            // The app has closed its connection, or an earlier close has got this far.
        }
    }

    /// Runs work in one snapshot.
    private func inRead<Result: Sendable>(
        of scopes: [StoreScope], _ body: @escaping @Sendable (SQLiteTransaction) throws -> Result
    ) async throws -> Result {
        let marked = { @Sendable [files] (driver: SQLiteTransaction) in
            let result = try BodyError.wrapping { try body(driver) }
            try files?.requireUnmoved()
            return result
        }
        return try await telemetry.transaction(.read) { transaction in
            try await retry.run(transaction) { _ in
                try await translating {
                    try await connections.withPermit { try await inSnapshot(of: scopes, transaction, marked) }
                }
            }
        }
    }

    private func inSnapshot<Result: Sendable>(
        of scopes: [StoreScope], _ telemetry: TransactionTelemetry?,
        _ body: @escaping @Sendable (SQLiteTransaction) throws -> Result
    ) async throws -> Result {
        switch source {
        case .owned(let writer, _), .borrowed(let writer):
            return try await Interruption.run { interruption in
                // A read on a closed queue would crash; the driver checks that first.
                try writer.unsafeRead { database in
                    let driver = try driver(on: database, scopes, telemetry: telemetry)
                    return try database.inSnapshot(isReader: writer is DatabasePool) {
                        try interruption.withStatements(of: database) { try body(driver) }
                    }
                }
            }
        case .readOnly(let source):
            try requireOpen()
            return try await source.read { [plan] database, state in
                try body(
                    SQLiteTransaction(
                        database, plan: plan, scopes: scopes, statements: state.statements,
                        telemetry: telemetry))
            }
        }
    }

    /// The version of the file as the writing connection knows it; nil if the app uses that connection as
    /// well, or a trigger may write on it.
    public func commitCount() async -> Int? {
        guard case .owned(let writer, _) = source, !isLent.load(ordering: .sequentiallyConsistent) else {
            return nil
        }
        return try? await withConnection(of: writer) {
            try await writer.writeWithoutTransaction { database in
                // The query also makes the connection notice what others have committed.
                let triggers = try Int.fetchOne(
                    database, sql: "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'")
                return triggers == 0 ? database.fileVersion.map(Int.init) : nil
            }
        }
    }

    /// Runs a write, which on a queue waits for its single connection, as reads do.
    private func withConnection<Result>(
        of writer: any DatabaseWriter, _ write: () async throws -> Result
    ) async throws -> Result {
        try await writer is DatabaseQueue ? connections.withPermit(write) : write()
    }

    /// Waits for the write's turn among this store's writes; the error of a timeout says who held the lock.
    private func withWriteTurn<Result>(_ write: () async throws -> Result) async throws -> Result {
        var hasTurn = false
        do {
            return try await writers.withPermit {
                hasTurn = true
                return try await write()
            }
        } catch let error as StoreError where error.code == .busy && !hasTurn {
            // The write whose turn it is may itself be waiting for another process.
            throw hasLock.load(ordering: .sequentiallyConsistent) ? error : StoreError.lockedByOthers
        }
    }

    /// Writes in one transaction, and commits it if the store's files are still in place.
    private func inTransaction<Result>(
        on database: Database, in scope: StoreScope?, interruption: Interruption,
        telemetry: TransactionTelemetry?, _ body: (SQLiteTransaction) throws -> Result
    ) throws -> Result {
        let driver = try driver(
            on: database, scope.map { [$0] } ?? [], suspension: suspension, telemetry: telemetry)
        let historyEnd = driver.historyEnd
        // The time that a reading connection has waited does not count for this write.
        _ = lockWait.take()
        do {
            let result = try database.inPreparedTransaction {
                tellLockWait()
                historyEnd?.begin(version: database.fileVersion)
                hasLock.store(true, ordering: .sequentiallyConsistent)
                defer { hasLock.store(false, ordering: .sequentiallyConsistent) }
                let result = try interruption.withStatements(of: database) { try body(driver) }
                try files?.requireUnmoved()
                guard !Task.isCancelled else { throw StoreError.taskCancelled }
                return result
            }
            historyEnd?.commit()
            if commits.isFollowed { announce(driver.writtenTables, in: scope, on: database) }
            return result
        } catch let error as DatabaseError where error.resultCode != .SQLITE_MISUSE {
            // At this point the connection still knows the operating system's error.
            let failure = StoreError.translating(error, in: schema, on: database, at: info.location)
            tellLockWait(failure)
            throw failure
        }
    }

    private func announce(_ tables: Set<String>, in scope: StoreScope?, on database: Database) {
        guard !tables.isEmpty else { return }
        commits.announce(schema.names(ofTables: tables), in: scope)
        // On a shared connection, the app's commits cannot be told from this one.
        if !isLent.load(ordering: .sequentiallyConsistent) { otherCommits?.noteOwnCommit(on: database) }
    }

    private func tellLockWait(_ error: (any Error)? = nil) {
        if let start = lockWait.take() { telemetry.waited(for: .lock, since: start, error: error) }
    }

    /// Returns the transaction on a connection.
    ///
    /// The store is checked to be open here, because closing waits for the user of the connection: a
    /// statement kept after that would hold the connection open.
    func driver(
        on database: Database, _ scopes: [StoreScope] = [], suspension: Suspension? = nil,
        telemetry: TransactionTelemetry? = nil
    ) throws -> SQLiteTransaction {
        try requireOpen()
        let state = try registry.state(of: database)
        return SQLiteTransaction(
            database, plan: plan, scopes: scopes, statements: state.statements, historyEnd: state.historyEnd,
            isObservable: isLent.load(ordering: .sequentiallyConsistent), suspension: suspension,
            telemetry: telemetry)
    }

    private func requireOpen() throws {
        if isClosed.load(ordering: .sequentiallyConsistent) { throw StoreError.storeClosed }
    }

    private func translating<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch {
            // GRDB reports a closed connection as misuse, but the app may have closed its own.
            if let error = error as? DatabaseError,
                error.resultCode == .SQLITE_MISUSE || isClosed.load(ordering: .sequentiallyConsistent)
            {
                throw StoreError.storeClosed
            }
            let translated = StoreError.translating(error, in: schema, at: info.location)
            guard let failure = translated as? StoreError else { throw translated }
            // A wait for a lock that is interrupted ends with SQLite's error of the lock.
            if failure.code == .busy {
                if Task.isCancelled { throw StoreError.taskCancelled }
                if suspension.isActive { throw StoreError.storeSuspended }
            }
            // Missing files cause many kinds of errors, for instance when a reading connection is opened.
            if failure.isOfFiles, let fault = files?.fault { throw fault }
            throw failure
        }
    }

    /// Starts a checkpoint if one is due, and waits for it unless writers need not.
    private func checkpoint() async {
        guard case .owned(_, let checkpoint) = source else { return }
        let running = startCheckpoint()
        if checkpoint.holdsWriter { await running?.value }
    }

    /// Returns the checkpoint in progress, or starts one if it is due.
    private func startCheckpoint() -> Task<Void, Never>? {
        guard case .owned(let writer, let checkpoint) = source,
            !isClosed.load(ordering: .sequentiallyConsistent)
        else { return nil }
        return checkpoint.start { [self] work in
            try await writers.withPermit {
                try await withConnection(of: writer) {
                    try await writer.writeWithoutTransaction { _ in work() }
                }
            }
        }
    }
}

extension StoreError {
    /// Whether the error may be caused by changes to the store's files.
    fileprivate var isOfFiles: Bool {
        [.inputOutput, .corrupted, .readOnly, .notAStore, .schemaMismatch, .backend].contains(code)
    }
}
