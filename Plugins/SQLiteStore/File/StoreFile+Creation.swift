internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore
internal import SwitchyardSQL

extension StoreFile {
    /// The file in which the store is created, before it is renamed.
    ///
    /// Its creator holds a lock on it, so a draft without a lock was left behind by a killed process.
    var draft: StoreFile { StoreFile(path: "\(directory)/.\(name).new") }

    /// Creates an empty store at the path, for this user only.
    ///
    /// It is created under another name and renamed atomically, so that a crash leaves either no store or a complete
    /// one. If several processes create it at once, one does and the others wait for it.
    ///
    /// - Throws: `notFound` if its directory is missing, `notAStore` for leftovers of another database,
    ///   `busy` if another process takes too long, `unsupported` if the file system cannot do it, `readOnly`,
    ///   `full`, `inputOutput`.
    func create(_ plan: SQLPlan, options: OpenOptions, busyTimeout: Double) throws {
        for leftover in [walPath, journalPath] where try Self.status(leftover) != nil {
            // It may be the WAL of another process that was faster.
            if try exists() { return }
            throw StoreError(
                .notAStore,
                "\(leftover) is left from a database that is not there any more. Bring that back, or move this file away; "
                    + "nothing was changed.")
        }
        // The directory may be misspelt, so it is not created: the rows would be where nobody looks for them.
        guard try directory.isEmpty || Self.status(directory) != nil else {
            throw StoreError(
                .notFound,
                "The directory \(directory) of the store \(name) is not there. Correct the path, or make the directory first."
            )
        }
        let wait = BusyWait(seconds: busyTimeout)
        var (tries, losses) = (0, 0)
        while try !exists() {
            do {
                if try makeDraft() {
                    if try fillAndPublish(plan, options: options, busyTimeout: busyTimeout) { return }
                } else if try removeAbandonedDraft() {
                    continue
                }
                guard wait.pause(after: tries) else {
                    throw StoreError(
                        .busy, "Another process is still making the store \(path); try again.")
                }
                tries += 1
            } catch {
                _ = try? removeAbandonedDraft()
                let error = StoreError.translating(error, in: plan.schema, at: path)
                // Another process may have removed the draft and published its own while this one opened it: then the
                // file does not exist, or SQLite cannot create its WAL.
                guard (error as? StoreError)?.code == .inputOutput, losses < Self.mostLosses else {
                    throw error
                }
                losses += 1
                _ = wait.pause(after: losses)
            }
        }
    }

    /// How often a draft may be lost to other processes before the error is taken for that of the disk.
    private static var mostLosses: Int { 10 }

    /// Removes a draft that a killed process has left behind.
    ///
    /// - Returns: False if the process that creates it is alive.
    /// - Throws: `inputOutput` if it cannot be removed.
    func removeAbandonedDraft() throws -> Bool {
        let draft = draft
        guard try Self.status(draft.path) != nil else { return true }
        do {
            let lock = try FileLock(path: draft.path, busyTimeout: 0, isWritable: true)
            // While the lock is held, nobody else renames another file to this name.
            guard lock.becomeExclusive(), !lock.hasMoved else { return false }
            // The draft is removed last: an interrupted removal is found by it.
            try draft.removeWithLogs()
            return true
        } catch let error as StoreError where error.code == .busy {
            return false
        }
    }

    /// Creates the draft's file for this user only; SQLite would let others read it.
    ///
    /// - Returns: False if it already exists.
    private func makeDraft() throws -> Bool {
        let descriptor = open(draft.path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw cannotBeMade(errno) }
            return false
        }
        close(descriptor)
        return true
    }

    private func cannotBeMade(_ code: CInt) -> StoreError {
        StoreError(
            .ofSystemError(code),
            "The store \(path) cannot be created: \(String(cString: strerror(code))). Make sure that there is room in "
                + "its directory and that you can write to it, or give another path.")
    }

    /// Writes tables and marker in one transaction, syncs it to disk, and renames the draft.
    ///
    /// - Returns: False if the draft belongs to another process, which took it for abandoned before it was locked.
    private func fillAndPublish(_ plan: SQLPlan, options: OpenOptions, busyTimeout: Double) throws -> Bool {
        let draft = draft
        var configuration = Configuration()
        // A connection in exclusive mode keeps its SHARED lock while it waits for the RESERVED lock, whose owner waits
        // for the SHARED lock to be released. So whoever does not get the lock gives up at once.
        configuration.busyMode = .immediateError
        var isOurs = false
        do {
            let queue = try DatabaseQueue(path: draft.uri("mode=rw"), configuration: configuration)
            try queue.inDatabase { database in
                // SQLite opens a file for reading that it cannot open for writing. Here that is another process's new
                // draft, which came between the two attempts; this process's own can be written.
                guard sqlite3_db_readonly(database.sqliteConnection, "main") == 0 else { return }
                // The transaction's lock is kept until the connection is closed, and the WAL needs no shared memory.
                // A marker must survive a loss of power; on Apple systems, only a full fsync ensures that.
                try database.execute(
                    sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
                try database.inTransaction(.immediate) {
                    isOurs = !database.hasMoved
                    guard isOurs else { return .rollback }
                    // The commit waits for connections that are about to give up.
                    try database.execute(sql: "PRAGMA busy_timeout = \(Int(busyTimeout * 1000))")
                    let registry = ConnectionRegistry()
                    defer { registry.removeAllStatements() }
                    let state = try registry.state(of: database)
                    for statement in try plan.sql.createStore(role: options.role) {
                        try database.execute(sql: statement)
                    }
                    let transaction = SQLiteTransaction(database, plan: plan, statements: state.statements)
                    try transaction.connection.run(
                        try plan.sql.insertMarker(
                            StoreMarker(schema: plan.schema, options: options)))
                    return .commit
                }
                guard isOurs else { return }
                try database.enableLog(at: path)
                // The journal has been deleted, and a WAL only appears with the next statement, so nothing is left
                // under the old name.
                if try !publish(draft) { unlink(draft.path) }
            }
            try queue.close()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && !isOurs {
            return false
        }
        return isOurs
    }

    /// Renames the draft to the store's name, unless that exists.
    ///
    /// - Returns: False if the name is taken; the draft then remains.
    /// - Throws: `unsupported` if the file system cannot do it, `readOnly`, `full`, `inputOutput`.
    package func publish(_ draft: StoreFile) throws -> Bool {
        switch renameExclusively(draft.path, to: path) {
        case 0: break
        case EEXIST: return false
        case ENOTSUP:
            throw StoreError(
                .unsupported,
                "The file system of \(path) can give a file a name neither by an exclusive renaming nor by a link, so that "
                    + "another's file could be overwritten. Give a path on a disk of this machine.")
        case let code: throw cannotBeMade(code)
        }
        syncDirectory()
        return true
    }

    /// Flushes the names of the files in the directory to disk.
    package func syncDirectory() {
        let descriptor = open(directory.isEmpty ? "/" : directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        // Not every file system can sync a directory; the store is intact either way.
        fsync(descriptor)
        close(descriptor)
    }
}

extension Database {
    /// Whether the file is no longer where it was opened.
    fileprivate var hasMoved: Bool {
        var hasMoved: CInt = 0
        sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return hasMoved != 0
    }
}
