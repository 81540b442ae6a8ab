internal import Foundation
internal import GRDB
internal import GRDBSQLite
package import SwitchyardCore
internal import SwitchyardSQL

/// One snapshot of any SQLite file, which need not be a store, read without changing the file, its WAL or its journal.
package final class FileSnapshot {
    private let file: StoreFile
    private let source: StoreFile.ReadSource
    private let database: Database
    private let standIns = StandInCollations()

    private init(_ file: StoreFile, _ source: StoreFile.ReadSource, _ database: Database) {
        (self.file, self.source, self.database) = (file, source, database)
    }

    /// Calls the body with a snapshot, on this thread, which may block; a statement ends when the task is cancelled.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - busyTimeout: How many seconds to wait for a writer.
    ///   - copyingLog: Whether a file with a WAL is read from a private copy of both. Otherwise SQLite may create or rebuild
    ///     the shared memory beside them.
    ///   - body: Reads from the snapshot.
    /// - Returns: What the body returns.
    /// - Throws: `notFound`; `notAStore` for anything but an SQLite database; `busy`, `full`, `inputOutput`; what `body`
    ///   throws.
    package static func read<Value>(
        _ path: String, busyTimeout: Double, copyingLog: Bool = false, _ body: (FileSnapshot) throws -> Value
    ) throws -> Value {
        let file = StoreFile(path: path)
        guard let status = try StoreFile.status(file.path) else {
            throw StoreError(.notFound, "There is no file at \(file.path). Check its name.")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.notAStore, "\(file.path) is not a file. Give the path of an SQLite database.")
        }
        let lock = try FileLock(path: file.path, busyTimeout: busyTimeout)
        defer { withExtendedLifetime(lock) {} }
        let (queue, source) = try file.open(under: lock, busyTimeout: busyTimeout, copyingLog: copyingLog)
        do {
            return try queue.read { database in
                // The thread belongs to this task for the whole read.
                sqlite3_progress_handler(
                    database.sqliteConnection, 100_000, { _ in Task.isCancelled ? 1 : 0 }, nil)
                defer { sqlite3_progress_handler(database.sqliteConnection, 0, nil, nil) }
                return try body(FileSnapshot(file, source, database))
            }
        } catch {
            if Task.isCancelled, error is DatabaseError { throw StoreError.taskCancelled }
            throw file.translating(error)
        }
    }

    /// Calls the body with each row of a query.
    ///
    /// The cells are valid until the body returns.
    ///
    /// - Throws: As `requireUnchanged`; SQLite's errors, which `read` translates; what `body` throws.
    package func forEachRow(_ sql: String, _ body: (UnsafeBufferPointer<Cell>) throws -> Void) throws {
        try requireUnchanged()
        let cursor = CellCursor(try database.makeStatement(sql: sql))
        let count = cursor._statement.columnCount
        try withUnsafeTemporaryAllocation(of: Cell.self, capacity: count) { cells in
            cells.initialize(repeating: Cell())
            try cursor.forEach { statement in
                cells.fill(from: statement)
                try body(UnsafeBufferPointer(cells))
            }
        }
    }

    /// Whether SQLite can run a query with its own functions and collations.
    ///
    /// - Throws: As `requireUnchanged`; SQLite's other errors.
    package func canPrepare(_ sql: String) throws -> Bool {
        try requireUnchanged()
        do { _ = try database.makeStatement(sql: sql) } catch let error as DatabaseError
            where error.resultCode == .SQLITE_ERROR
        { return false }
        return true
    }

    /// From now on, compares by bytes for collations that SQLite does not know.
    ///
    /// - Throws: SQLite's errors.
    package func standInForCollations() throws {
        standIns.install(on: database)
        // SQLite marks each index that it cannot use in its schema, and uses none of them before it reads the
        // schema again.
        try database.execute(sql: "PRAGMA writable_schema = RESET")
    }

    /// The number of comparisons by a collation that SQLite does not know.
    package var standInComparisons: Int { standIns.comparisons }

    /// The first fault that SQLite's quick check finds: damage, or else a value that breaks a constraint.
    ///
    /// - Returns: Nil for a sound file, and for one that SQLite cannot check without an app's functions.
    package func firstFault() throws -> String? {
        var answer: String?
        do {
            try forEachRow("PRAGMA quick_check(1)") { cells in
                answer = String(decoding: cells[0].bytes, as: UTF8.self)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR { return nil }
        return answer == "ok" ? nil : answer
    }

    /// Compares the tables with several plans.
    ///
    /// - Throws: As `Database.comparing`.
    func compared(with plans: [SQLPlan]) throws -> InPlaceAdoption {
        let registry = ConnectionRegistry()
        defer { registry.removeAllStatements() }
        return try database.comparing(with: plans, registry).found
    }

    /// The marker of the store; nil for a database that is not a store of Switchyard.
    ///
    /// - Throws: `corrupted` or `schemaTooNew` if it cannot be read; as `forEachRow`.
    package func storeMarker() throws -> StoreMarker? {
        try requireUnchanged()
        return try database.storeMarker(of: file)
    }

    /// The collation of a table's column.
    package func collation(of column: String, in table: String) -> String? {
        var name: UnsafePointer<CChar>?
        let code = sqlite3_table_column_metadata(
            database.sqliteConnection, "main", table, column, nil, &name, nil, nil, nil)
        return code == SQLITE_OK ? name.map { String(cString: $0) } : nil
    }

    /// Checks that what was read is one state of the database: a file without a WAL is read without SQLite's locks.
    ///
    /// Call it at the end; every query begins with it.
    ///
    /// - Throws: `busy` if another process has begun to write to the file.
    package func requireUnchanged() throws {
        guard case .file = source, try file.hasLog() else { return }
        throw StoreError(
            .busy, "Another process opened \(file.path) for writing while it was read. Run this again.")
    }
}

extension StoreFile {
    /// Opens the file without changing it, or a copy if it cannot be read in place.
    fileprivate func open(
        under lock: FileLock, busyTimeout: Double, copyingLog: Bool
    ) throws -> (queue: DatabaseQueue, source: ReadSource) {
        var source = try readSource(under: lock)
        if copyingLog, case .fileAndLog = source { source = .copy(try copy(under: lock)) }
        do {
            return (try open(source, busyTimeout: busyTimeout), source)
        } catch {
            guard case .fileAndLog = source, error.mayComeOfSharedMemory else { throw translating(error) }
            let copy = ReadSource.copy(try copy(under: lock))
            return (try open(copy, busyTimeout: busyTimeout), copy)
        }
    }

    private func open(_ source: ReadSource, busyTimeout: Double) throws -> DatabaseQueue {
        var configuration = Configuration()
        if case .copy = source {} else { configuration.readonly = true }
        configuration.busyMode = BusyWait.atMost(busyTimeout)
        configuration.label = "Switchyard"
        let queue = try DatabaseQueue(path: uri(source), configuration: configuration)
        // SQLite reads the file only now, and creates the shared memory.
        try queue.read { try $0.execute(sql: "SELECT count(*) FROM sqlite_master") }
        return queue
    }

    /// Translates an error of SQLite for a file that need not be a store.
    fileprivate func translating(_ error: any Error) -> any Error {
        // What the body throws may be about more than SQLite knows.
        if error is StoreError { return error }
        guard let error = StoreError.translating(error, in: nil, at: path) as? StoreError else {
            return error
        }
        switch error.code {
        case .notAStore:
            return StoreError(
                .notAStore, "The file \(path) is not an SQLite database.", detail: error.detail)
        case .corrupted where error.detail != nil:
            return StoreError(
                .corrupted, "The file \(path) is damaged or cut short. Restore it from a backup.",
                detail: error.detail)
        default: return error
        }
    }
}
