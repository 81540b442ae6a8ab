internal import Foundation
internal import SQLiteStore
internal import SwitchyardCore

/// The file that an export creates or replaces.
struct ExportTarget {
    let path: String

    /// Checks that the export would not replace a store.
    ///
    /// - Parameter store: The file of the exported store, if it is a file.
    /// - Throws: `UsageError` if the target is that file or one that SQLite keeps beside it, under whatever
    ///   name, or any other SQLite database.
    func requireNoStore(_ store: String?) throws {
        let files = store.map { store in ["", "-wal", "-shm", "-journal"].map { Self.resolved(store) + $0 } }
        if let file = files?.first(where: isSame) {
            throw UsageError(
                "The export cannot be written to \(path): \(file) belongs to the store that is exported, and would be "
                    + "destroyed. Give the name of another file.")
        }
        if isDatabase() {
            throw UsageError(
                "The export cannot be written to \(path), which is an SQLite database. Give the name of another file, or "
                    + "remove the database first.")
        }
    }

    /// Whether the target is this file, or would become it.
    private func isSame(as file: String) -> Bool {
        if Self.resolved(path) == file { return true }
        guard let target = Self.status(path), let status = Self.status(file) else { return false }
        return target.st_dev == status.st_dev && target.st_ino == status.st_ino
    }

    /// Whether SQLite takes the target for one of its files; it alone opens them.
    private func isDatabase() -> Bool {
        guard let status = Self.status(path), status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
            return false
        }
        do {
            return try FileSnapshot.read(path, busyTimeout: 0) { _ in true }
        } catch {
            // One that is in use or damaged is one all the same.
            return (error as? StoreError)?.code != .notAStore
        }
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    /// The path with symbolic links resolved, also for a file that does not exist yet.
    private static func resolved(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        let slash = path.lastIndex(of: "/")
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard let real = realpath(directory, nil) else { return path }
        defer { free(real) }
        let resolved = String(cString: real)
        return resolved == "/" ? "/\(name)" : "\(resolved)/\(name)"
    }
}
