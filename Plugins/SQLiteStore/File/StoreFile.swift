package import Foundation
package import SwitchyardCore

/// The file of a store, and the files that SQLite keeps beside it.
///
/// Only SQLite ever opens the database file itself: on POSIX systems, closing any descriptor of a file drops all locks
/// that this process has on it, including those of an open store.
package struct StoreFile: Sendable {
    /// The absolute path, with links resolved: SQLite keeps the WAL and the journal beside the file that a link leads
    /// to.
    package let path: String

    package init(path: String) {
        self.path = Self.resolved(
            path.utf8.first == Self.slash ? path : FileManager.default.currentDirectoryPath + "/" + path)
    }

    /// A path with links resolved, as far as it exists.
    private static func resolved(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        guard errno == ENOENT, let slash = path.utf8.lastIndex(of: Self.slash), slash != path.startIndex
        else {
            return path
        }
        let directory = resolved(String(path[..<slash]))
        return (directory == "/" ? "" : directory) + path[slash...]
    }

    package var walPath: String { path + "-wal" }
    package var sharedMemoryPath: String { path + "-shm" }
    package var journalPath: String { path + "-journal" }
    package var directory: String {
        String(path[..<(path.utf8.lastIndex(of: Self.slash) ?? path.startIndex)])
    }
    /// The directory, in which the marker keeps places without its path.
    var placeDirectory: PlaceDirectory { PlaceDirectory(path: directory) }
    package var name: String {
        let slash = path.utf8.lastIndex(of: Self.slash)
        return String(path[(slash.map { path.utf8.index(after: $0) } ?? path.startIndex)...])
    }

    /// Searched for in UTF-8: a slash followed by a combining accent is another Character.
    private static let slash = UInt8(ascii: "/")

    /// The status of a path, without opening it; nil if it does not exist.
    ///
    /// - Throws: `inputOutput` if it cannot be determined.
    package static func status(_ path: String) throws -> stat? {
        var status = stat()
        guard stat(path, &status) != 0 else { return status }
        guard errno != ENOENT else { return nil }
        throw StoreError.file("looked at", path, errno)
    }

    /// Whether the file exists.
    ///
    /// - Throws: `notAStore` for anything that is obviously not a store, such as a directory; `inputOutput` if it
    ///   cannot be determined.
    package func exists() throws -> Bool {
        guard let status = try Self.status(path) else {
            guard (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil else {
                throw StoreError(
                    .notAStore,
                    "\(path) is a link to a file that does not exist. Give the path of the file itself; "
                        + "nothing was changed."
                )
            }
            return false
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(
                .notAStore, "\(path) is not a file. Give the path of the store's file; nothing was changed.")
        }
        guard status.st_size > 0 else {
            throw StoreError(
                .notAStore,
                "The file \(path) is empty, so it is not a store. Remove it, and a store can be created "
                    + "there; nothing was changed."
            )
        }
        return true
    }

    /// Checks that the file and its directory can be written.
    ///
    /// - Throws: `readOnly`.
    package func requireWritable() throws {
        for place in [path, directory.isEmpty ? "/" : directory] where access(place, W_OK) != 0 {
            throw StoreError(
                .readOnly,
                "\(place) cannot be written by this user. Change its permissions, or open the store for reading only."
            )
        }
    }

    /// The path as an SQLite URI, with a query that says how to open it.
    package func uri(_ query: String) -> String {
        let escaped = path.replacingBytes(of: "%", with: "%25").replacingBytes(of: "?", with: "%3f")
            .replacingBytes(of: "#", with: "%23")
        return "file:\(escaped)?\(query)"
    }
}

extension StoreError {
    /// The error of a failed system call on a file.
    package static func file(_ action: String, _ path: String, _ code: CInt) -> StoreError {
        StoreError(
            .ofSystemError(code), "\(path) could not be \(action): \(String(cString: strerror(code))).")
    }
}
