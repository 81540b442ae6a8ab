internal import Foundation
internal import GRDB
internal import SwitchyardCore
internal import SwitchyardSQL

extension StoreFile {
    /// The file in which the store is created, before it is renamed.
    ///
    /// It belongs to the process that holds the lock of the directory. A draft that exists when the lock is
    /// taken was left by a killed process.
    var draft: StoreFile { StoreFile(path: "\(directory)/.\(name).new") }

    /// Creates an empty store at the path, for this user only.
    ///
    /// It is created under another name, closed, and renamed atomically, so that a crash leaves either no
    /// store or a complete one. If several processes create it at once, one does and the others wait for it.
    /// Apple's SQLite refuses to use a file that is renamed while it is open.
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
                "\(leftover) is left from a database that no longer exists. Bring that back, or move this "
                    + "file away; nothing was changed.")
        }
        // The directory may be misspelt, so it is not created: the rows would be lost from sight.
        guard try directory.isEmpty || Self.status(directory) != nil else {
            throw StoreError(
                .notFound,
                "The directory \(directory) of the store \(name) does not exist. Correct the path, or create "
                    + "the directory first."
            )
        }
        let wait = BusyWait(seconds: busyTimeout)
        var tries = 0
        while try !exists() {
            do {
                try whileMaking {
                    guard try !exists() else { return }
                    try makeDraft(plan, options)
                    // Another process may have put a file there, which is inspected next.
                    if try !publish(draft) { try draft.removeWithLogs() }
                }
            } catch let error as StoreError where error.code == .busy {
                guard wait.pause(after: tries) else {
                    throw StoreError(.busy, "Another process is still making the store \(path); try again.")
                }
                tries += 1
            }
        }
    }

    /// Removes a draft that a killed process has left behind, unless a process is creating the store now.
    ///
    /// - Throws: `busy`; `inputOutput` if it cannot be removed.
    func removeAbandonedDraft() throws {
        guard try Self.status(draft.path) != nil else { return }
        try whileMaking {}
    }

    /// Runs work while holding the lock of the directory, and leaves no draft before it or after it.
    ///
    /// - Throws: `busy` at once if another process holds the lock; what the work throws.
    private func whileMaking(_ work: () throws -> Void) throws {
        let place = directory.isEmpty ? "/" : directory
        guard access(place, W_OK) == 0 else { throw cannotBeMade(errno) }
        let directory = try StoreDirectory(place, isWritable: true, createsIfMissing: false)
        try directory.whileLocked {
            try draft.removeWithLogs()
            do {
                try work()
            } catch {
                try? draft.removeWithLogs()
                throw error
            }
        }
    }

    private func cannotBeMade(_ code: CInt) -> StoreError {
        StoreError(
            .ofSystemError(code),
            "The store \(path) cannot be created: \(String(cString: strerror(code))). Make sure that there is room in "
                + "its directory and that you can write to it, or give another path.")
    }

    /// Writes tables and marker to the draft in one transaction, synced to disk.
    private func makeDraft(_ plan: SQLPlan, _ options: OpenOptions) throws {
        // SQLite would let others read it.
        let descriptor = open(draft.path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw cannotBeMade(errno) }
        close(descriptor)
        do {
            let queue = try DatabaseQueue(path: draft.uri("mode=rw"))
            defer { try? queue.close() }
            try queue.inDatabase { database in
                database.removesLogOnClose()
                // The WAL needs no shared memory. A marker must survive a loss of power; on Apple's systems, only a full fsync
                // ensures that.
                try database.execute(
                    sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
                try database.inTransaction(.immediate) {
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
                try database.enableLog(at: path)
            }
            try queue.close()
        } catch {
            throw StoreError.translating(error, in: plan.schema, at: path)
        }
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
    package func syncDirectory() { flushDirectory(directory.isEmpty ? "/" : directory) }
}
