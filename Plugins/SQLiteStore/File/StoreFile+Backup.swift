internal import Foundation
package import GRDB
internal import SwitchyardCore

extension StoreFile {
    /// Copies the last committed state of the file beside it, by SQLite's online backup.
    ///
    /// The copy is a complete store in one file, readable by this user only, and appears when it is on disk.
    /// A copy of the same name is replaced. The caller holds the write lock.
    ///
    /// - Parameter name: Distinguishes the copy: its name is that of the file, followed by this and `backup`.
    /// - Returns: The path of the copy.
    /// - Throws: `full`, `readOnly`, `inputOutput`; nothing is left of the copy then.
    func backUp(as name: String) throws -> String {
        let target = "\(path).\(name).backup"
        // One draft name for all copies: the caller holds the write lock, so no other copy is in progress,
        // and an existing draft was left by a killed process.
        let draft = StoreFile(path: path + ".backup.new")
        try draft.removeWithLogs()
        do {
            var configuration = Configuration()
            configuration.label = "Switchyard backup"
            configuration.readonly = true
            let source = try DatabaseQueue(path: uri("mode=ro"), configuration: configuration)
            defer { try? source.close() }
            try draft.fill(from: source) { _ in }
            try draft.sync()
            guard rename(draft.path, target) == 0 else { throw StoreError.file("created", target, errno) }
        } catch {
            try? draft.removeWithLogs()
            throw StoreError.translating(error, in: nil, at: draft.path)
        }
        syncDirectory()
        return target
    }

    /// Creates the file for this user only.
    ///
    /// - Returns: A descriptor to write to, which the caller closes.
    /// - Throws: `readOnly`, `full`, `inputOutput`.
    private func create() throws -> CInt {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError.file("created", path, errno) }
        return descriptor
    }

    /// Creates the file for this user only, and copies all bytes of another one into it.
    ///
    /// The file is not flushed to disk.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the other file.
    ///   - tell: Receives the number of copied bytes after each part; an error that it throws ends the copy.
    /// - Throws: `readOnly`, `full`, `inputOutput`; what `tell` throws.
    package func fill(from bytes: FileBytes, tell: (Int) throws -> Void) throws {
        let descriptor = try create()
        defer { close(descriptor) }
        var copied = 0
        try bytes.readParts { part in
            guard SmallFile.write(part, to: descriptor) else {
                let code = errno
                throw StoreError(
                    .ofSystemError(code),
                    "\(path) could not be written: \(String(cString: strerror(code))). Make sure that there is room for the "
                        + "whole file, and try again; nothing was changed.")
            }
            copied += part.count
            try tell(copied)
        }
    }

    /// Creates the file for this user only, and copies all pages of a database into it.
    ///
    /// The file is not flushed to disk.
    ///
    /// - Parameters:
    ///   - source: The database.
    ///   - tell: Receives the progress every few thousand pages; an error that it throws ends the copy.
    /// - Throws: `readOnly`, `full`, `inputOutput` or a `DatabaseError`; what `tell` throws.
    package func fill(
        from source: DatabaseQueue, tell: @escaping (DatabaseBackupProgress) throws -> Void
    ) throws {
        close(try create())
        let copy = try DatabaseQueue(path: uri("mode=rw"))
        defer { try? copy.close() }
        try copy.inDatabase { copy in
            // A partial copy is worthless, and a complete one is flushed to disk at the end.
            try copy.execute(
                sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            try source.inDatabase { try $0.backup(to: copy, pagesPerStep: 2_000, progress: tell) }
        }
    }

    /// Checkpoints the WAL, except for what readers of an older state need.
    ///
    /// - Returns: Whether the file alone contains everything committed; false if that is unknown.
    package func checkpoint() -> Bool {
        guard let connections = try? CheckpointConnections(path: path, isStopped: { false }) else {
            return false
        }
        return connections.copy()?.isComplete == true
    }

    /// Removes the file, its WAL, journal and shared memory.
    package func removeWithLogs() throws {
        for path in [walPath, sharedMemoryPath, journalPath, path] where unlink(path) != 0 && errno != ENOENT
        {
            throw StoreError.file("removed", path, errno)
        }
    }

    /// Flushes the file to disk.
    ///
    /// No connection may have it open: closing the descriptor drops all locks of this process on it.
    ///
    /// - Throws: `inputOutput`, `full`.
    package func sync() throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError.file("opened", path, errno) }
        defer { Foundation.close(descriptor) }
        guard flushToDisk(descriptor) else { throw StoreError.file("flushed to disk", path, errno) }
    }
}
