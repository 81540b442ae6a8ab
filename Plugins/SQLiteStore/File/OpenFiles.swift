internal import Foundation
internal import GRDBSQLite
internal import SwitchyardCore

/// The files that a store has open.
///
/// SQLite keeps using files that were deleted or renamed, and writes to deleted files are lost when they are closed
/// (sqlite.org/howtocorrupt.html, section 2.4).
struct OpenFiles: Sendable {
    /// The identity of a file, independent of its name.
    private struct Identity: Equatable {
        let device: UInt64
        let number: UInt64

        /// The file at a path, if any.
        init?(_ path: String) throws {
            guard let status = try StoreFile.status(path) else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    /// The absolute path of the database file.
    let path: String
    private let identities: [(path: String, identity: Identity)]

    /// Records the files of a connection that has read something.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - suffixes: The suffixes of the files to record.
    ///   - connection: The connection that has them open.
    /// - Throws: `replaced` if the store's file has already been replaced; `inputOutput`.
    init(path: String, suffixes: [String], of connection: OpaquePointer?) throws {
        self.path = path
        identities = try suffixes.compactMap { suffix in
            try Identity(path + suffix).map { (path + suffix, $0) }
        }
        var hasMoved: CInt = 0
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        if hasMoved != 0 { throw Self.replaced(path, of: path) }
    }

    /// The error if a path no longer leads to the file that the store has open; nil if they all do, or if that cannot
    /// be determined.
    ///
    /// - Complexity: One call of `stat` for each file.
    var fault: StoreError? {
        for (file, identity) in identities {
            do {
                if try Identity(file) != identity { return Self.replaced(file, of: path) }
            } catch {
                // For example, the directory may no longer be searchable, which does not affect open files.
                continue
            }
        }
        return nil
    }

    /// Throws if the open files are no longer the store's.
    ///
    /// - Throws: `replaced`.
    func requireUnmoved() throws {
        if let fault { throw fault }
    }

    private static func replaced(_ file: String, of path: String) -> StoreError {
        StoreError(
            .replaced,
            "The file \(file) was deleted, moved or replaced while the store \(path) was open, so nothing more can be read "
                + "or written. Close the store, put the file back if it belongs there, and open the store again."
        )
    }
}
