internal import Foundation
public import GRDB
internal import GRDBSQLite
public import Logging
public import SwitchyardCore
internal import SwitchyardSQL

extension SQLiteStore {
    /// The number of attempts to begin a write; each one waits for its share of the busy timeout.
    private static var attempts: Int { 3 }

    static func open(
        path: String, schema: Schema, options: OpenOptions, busyTimeout: Double, readers: Int,
        isFullySynchronous: Bool, observesSuspension: Bool
    ) async throws -> SQLiteStore {
        let start = ContinuousClock.now
        let file = StoreFile(path: path)
        // Inspecting, creating and opening files blocks.
        let plan = try await BlockingWork.run {
            let plan = try SQLPlan(schema, isScoped: options.scope != nil, of: file)
            if try file.exists() {
                // The store is complete without this, so a failure is ignored.
                if options.access == .readWrite { try? file.removeAbandonedDraft() }
                return plan
            }
            guard options.createsIfMissing, options.access == .readWrite else {
                throw StoreError(
                    .notFound, "There is no store at \(file.path).")
            }
            try file.create(plan, options: options, busyTimeout: busyTimeout)
            return plan
        }
        let storeID = try await file.inspect(plan, options: options, busyTimeout: busyTimeout)
        let info = describe(file.path)
        let telemetry = StoreTelemetry(info, storeID: storeID, logger: options.logger)
        let retry = RetryPolicy(attempts: attempts)
        guard options.access == .readWrite else {
            telemetry.opened(since: start)
            let source = ReadOnlySource(
                file: file, schema: schema, busyTimeout: busyTimeout, readers: max(readers, 1))
            return SQLiteStore(
                plan: plan, source: .readOnly(source), files: nil, info: info,
                options: options, retry: retry, telemetry: telemetry)
        }
        let suspension = Suspension(isObserved: observesSuspension)
        let checkpoint = Checkpoint(
            path: file.path, isOfCopy: options.role == .copying, busyTimeout: busyTimeout,
            suspension: suspension, telemetry: telemetry)
        let lockWait = LockWait()
        var configuration = Configuration()
        configuration.busyMode = BusyWait.atMost(
            busyTimeout / Double(attempts), unless: suspension, noting: lockWait)
        configuration.label = "Switchyard"
        // An incomplete copy may refer to rows that come later. A rebuilt table is dropped in between, and
        // SQLite would treat its rows as deleted.
        configuration.foreignKeysEnabled = options.role != .copying && !options.changesSchema
        configuration.observesSuspensionNotifications = observesSuspension
        configuration.prepareDatabase { database in
            // Apple's SQLite would leave the WAL and the shared memory behind when the store is closed.
            database.removesLogOnClose()
            guard let connection = database.sqliteConnection, !database.configuration.readonly else { return }
            try database.enableLog(at: file.path)
            // The configuration retains this closure and the checkpoint for as long as the connection lives.
            checkpoint.register(on: connection)
        }
        // Opening the writer writes to the file, so it waits for other processes as a write does.
        let (writer, files) = try await retry.run { [configuration] _ in
            try await BlockingWork.run {
                try file.requireWritable()
                do {
                    return try openWriter(
                        file, configuration: configuration, readers: readers,
                        mostLogBytes: checkpoint.mostBytes, isFullySynchronous: isFullySynchronous)
                } catch {
                    throw StoreError.translating(error, in: schema, at: file.path)
                }
            }
        }
        telemetry.opened(since: start)
        return SQLiteStore(
            plan: plan, source: .owned(writer, checkpoint), files: files, info: info,
            options: options, retry: retry, telemetry: telemetry, suspension: suspension,
            writeTimeout: .seconds(busyTimeout), lockWait: lockWait)
    }

    private static func describe(_ location: String) -> StoreInfo {
        StoreInfo(
            backend: SQLitePlugin.scheme, location: location, version: String(cString: sqlite3_libversion()))
    }

    private static func openWriter(
        _ file: StoreFile, configuration: Configuration, readers: Int, mostLogBytes: Int,
        isFullySynchronous: Bool
    ) throws -> (any DatabaseWriter, OpenFiles) {
        var configuration = configuration
        let writer: any DatabaseWriter
        if readers > 0 {
            configuration.maximumReaderCount = readers
            writer = try DatabasePool(path: file.path, configuration: configuration)
        } else {
            writer = try DatabaseQueue(path: file.path, configuration: configuration)
        }
        let files = try writer.writeWithoutTransaction { database in
            // A pool sets this itself; a queue does not.
            if readers == 0 { try database.execute(sql: "PRAGMA synchronous = NORMAL") }
            // Truncates a WAL that is restarted after a very large transaction.
            try database.execute(sql: "PRAGMA journal_size_limit = \(mostLogBytes)")
            // Two more threads sort the entries of a new index while the table is read.
            try database.execute(sql: "PRAGMA threads = 2")
            if isFullySynchronous {
                try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
            }
            // A connection only opens its WAL when it reads.
            try database.execute(sql: "SELECT 1 FROM sqlite_master LIMIT 1")
            return try OpenFiles(
                path: file.path, suffixes: ["", "-wal", "-shm"], of: database.sqliteConnection)
        }
        return (writer, files)
    }
}

extension SQLiteStore {
    /// Opens a store on an existing connection of the app, beside the app's own tables.
    ///
    /// A missing store is created, with scopes if one is given.
    ///
    /// The store does not close the connection and does not change its settings: the busy timeout,
    /// synchronization and checkpoints are up to the app. Only a change of the store's own marker is always
    /// synchronized. Foreign keys must be on, as they are by default in GRDB, and each write checks them. An
    /// in-memory queue works as well. Once the app has closed the connection, the store throws `closed`.
    ///
    /// - Parameters:
    ///   - connection: The app's connection.
    ///   - schema: The schema that the app declares.
    ///   - scope: The scope whose rows transactions see if they name no other; nil for a store without scopes.
    ///   - logger: The logger of the store, as in `OpenOptions`.
    /// - Throws: `schemaMismatch` or `schemaTooNew` if the existing store has another schema, `scopeMismatch` if it has
    ///   scopes and none is given or the other way round, `corrupted` if it lacks a table or a column, `notAStore` if a
    ///   table of the app has the name of an entity, `configuration` if foreign keys are off.
    public convenience init(
        connection: any DatabaseWriter, schema: Schema, scope: StoreScope? = nil, logger: Logger = .current
    ) async throws {
        let file = connection.path.hasPrefix("/") ? StoreFile(path: connection.path) : nil
        let plan = try SQLPlan(schema, isScoped: scope != nil, of: file)
        let options = OpenOptions(scope: scope, logger: logger)
        let location = connection.path
        let (files, storeID) = try await Self.adopt(
            connection, plan: plan, options: options, location: location)
        let info = Self.describe(location)
        self.init(
            plan: plan, source: .borrowed(connection), files: files, info: info,
            options: options, retry: RetryPolicy(attempts: Self.attempts),
            telemetry: StoreTelemetry(info, storeID: storeID, logger: logger),
            suspension: Suspension(isObserved: connection.configuration.observesSuspensionNotifications))
    }

    /// Checks the existing store, or creates one.
    ///
    /// It does not change the journal mode, which is up to the app.
    ///
    /// - Returns: The database file, nil for an in-memory connection, and the identity of the store.
    private static func adopt(
        _ connection: any DatabaseWriter, plan: SQLPlan, options: OpenOptions, location: String
    ) async throws -> (OpenFiles?, storeID: UUID) {
        do {
            return try await connection.write { database in
                let registry = ConnectionRegistry()
                defer { registry.removeAllStatements() }
                let transaction = SQLiteTransaction(
                    database, plan: plan, statements: try registry.state(of: database).statements)
                try transaction.requireForeignKeys()
                if try database.tableExists(SQLGenerator.markerTable) {
                    let marker = try transaction.marker()
                    try marker.admit(plan.schema, options: options)
                    let catalog = try transaction.connection.catalog()
                    for statement in try plan.completion(in: catalog, role: options.role) {
                        try database.execute(sql: statement)
                    }
                    let faults = try plan.columnFaults(in: try transaction.connection.catalog())
                    guard faults.isEmpty else { throw StoreError.damaged(at: location, faults) }
                    return (try files(of: database), marker.storeID)
                }
                for entity in plan.schema.tables where try database.tableExists(entity.table) {
                    throw StoreError(
                        .notAStore,
                        "The database has a table \(entity.table) already, which is not the store's.",
                        entity: entity.name)
                }
                for statement in try plan.sql.createStore() { try database.execute(sql: statement) }
                let marker = StoreMarker(schema: plan.schema, options: options)
                try transaction.connection.run(try plan.sql.insertMarker(marker))
                return (try files(of: database), marker.storeID)
            }
        } catch {
            throw StoreError.translating(error, in: plan.schema, at: location)
        }
    }

    private static func files(of database: Database) throws -> OpenFiles? {
        let connection = database.sqliteConnection
        return try StoreError.file(of: connection).map {
            try OpenFiles(path: $0, suffixes: [""], of: connection)
        }
    }
}
