internal import Foundation
internal import GRDB
internal import SwitchyardCore
internal import SwitchyardSQL

extension StoreFile {
    /// Makes an empty store at the path, for this user alone.
    ///
    /// It is made under another name and given its own in one step, so that a crash leaves either no store or
    /// a whole one, and two processes that make it at once both end up with the same.
    ///
    /// - Throws: `notFound` if its directory is missing, `notAStore` for leftovers of another database,
    ///   `readOnly`, `full`, `inputOutput`.
    func create(_ plan: StorePlan) throws {
        for leftover in [walPath, journalPath] where try Self.status(leftover) != nil {
            // Another process that was faster has its log there.
            if try exists() { return }
            throw StoreError(
                .notAStore,
                "\(leftover) is left from a database that is not there any more. Bring that back, or move this file away; "
                    + "nothing was changed.")
        }
        // A directory that is misspelt is not to be made: the rows would be where nobody looks for them.
        guard try directory.isEmpty || Self.status(directory) != nil else {
            throw StoreError(
                .notFound,
                "The directory \(directory) of the store \(name) is not there. Correct the path, or make the directory first."
            )
        }
        let draft = StoreFile(path: "\(directory)/.\(name).\(UUID().uuidString).new")
        defer { unlink(draft.path) }
        let descriptor = open(draft.path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw cannotBeMade(errno) }
        Foundation.close(descriptor)
        do {
            try draft.fill(plan)
        } catch {
            unlink(draft.journalPath)
            unlink(draft.walPath)
            unlink(draft.sharedMemoryPath)
            throw StoreError.translating(error, in: plan.schema, at: path)
        }
        try draft.publish(as: self)
    }

    private func cannotBeMade(_ code: CInt) -> StoreError {
        StoreError(
            .ofSystemError(code),
            "The store \(path) cannot be made: \(String(cString: strerror(code))). See that there is room in its directory "
                + "and that you can write to it, or give another path.")
    }

    /// Writes tables and marker in one transaction, and synchronises it to the disk.
    private func fill(_ plan: StorePlan) throws {
        let queue = try DatabaseQueue(path: path)
        let registry = ConnectionRegistry()
        try queue.inDatabase { database in
            // A marker must survive a loss of power; on Apple systems only a full synchronisation sees to
            // that.
            try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
            let state = try registry.state(of: database)
            try database.inTransaction(.immediate) {
                for statement in try plan.sql.createStore() { try database.execute(sql: statement) }
                let transaction = SQLiteTransaction(database, plan: plan, statements: state.statements)
                try transaction.run(try plan.sql.insertMarker(StoreMarker(schema: plan.schema)))
                return .commit
            }
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            registry.removeAllStatements()
        }
        try queue.close()
    }

    /// Gives the finished file its name, unless another process was faster.
    private func publish(as target: StoreFile) throws {
        // A link, unlike a renaming, never replaces a file that is there.
        if link(path, target.path) != 0 {
            let code = errno
            if code == EEXIST { return }
            // Some file systems have no links; a renaming is then the next best.
            guard code == EPERM || code == ENOTSUP || code == EOPNOTSUPP else {
                throw target.cannotBeMade(code)
            }
            guard try Self.status(target.path) == nil else { return }
            guard rename(path, target.path) == 0 else { throw target.cannotBeMade(errno) }
        }
        let descriptor = open(target.directory.isEmpty ? "/" : target.directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        // Not every file system can synchronise a directory; the store is whole either way.
        fsync(descriptor)
        Foundation.close(descriptor)
    }
}
