internal import Foundation
package import GRDB
internal import SwitchyardCore

extension StoreFile {
    /// Copies the file beside itself, as it was committed last, by SQLite's online backup.
    ///
    /// The copy is a whole store in one file, for this user only, and is there once it is on disk. One of the same name is
    /// replaced. The caller holds the write lock.
    ///
    /// - Parameter name: What distinguishes the copy: it is called as the file, followed by this and `backup`.
    /// - Returns: The path of the copy.
    /// - Throws: `full`, `readOnly`, `inputOutput`; nothing is left of the copy then.
    func backUp(as name: String) throws -> String {
        let target = "\(path).\(name).backup"
        // One name for all copies: as its caller holds the write lock, nobody else is making one, and a draft that is there
        // was left by a process that was killed.
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
    ///   - bytes: Those of the other file.
    ///   - tell: Is told the number of bytes that are copied, after each part; what it throws ends the copy.
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
    ///   - tell: Is told how far it has come, every few thousand pages; what it throws ends the copy.
    /// - Throws: `readOnly`, `full`, `inputOutput` or a `DatabaseError`; what `tell` throws.
    package func fill(
        from source: DatabaseQueue, tell: @escaping (DatabaseBackupProgress) throws -> Void
    ) throws {
        close(try create())
        let copy = try DatabaseQueue(path: uri("mode=rw"))
        defer { try? copy.close() }
        try copy.inDatabase { copy in
            // Half a copy is worthless, and a whole one is flushed to disk at the end.
            try copy.execute(
                sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            try source.inDatabase { try $0.backup(to: copy, pagesPerStep: 2_000, progress: tell) }
        }
    }

    /// Copies what is in the log into the file, but for what readers of an older state keep from it.
    ///
    /// - Returns: Whether the file alone has all that is committed now; false if that is not known.
    package func checkpoint() -> Bool {
        guard let connections = try? CheckpointConnections(path: path, isStopped: { false }) else {
            return false
        }
        return connections.copy()?.isComplete == true
    }

    /// Removes the file and what SQLite keeps beside it, if they are there.
    package func removeWithLogs() throws {
        for path in [walPath, sharedMemoryPath, journalPath, path] where unlink(path) != 0 && errno != ENOENT
        {
            throw StoreError.file("removed", path, errno)
        }
    }

    /// Flushes the file to disk.
    ///
    /// Nobody may have it open: closing the descriptor drops all locks of this process on it.
    ///
    /// - Throws: `inputOutput`, `full`.
    package func sync() throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError.file("opened", path, errno) }
        defer { Foundation.close(descriptor) }
        guard flushToDisk(descriptor) else { throw StoreError.file("flushed to disk", path, errno) }
    }
}
