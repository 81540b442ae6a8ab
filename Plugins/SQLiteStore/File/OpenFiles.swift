internal import Foundation
internal import GRDBSQLite
internal import SwitchyardCore

/// Which files a store has open: SQLite goes on in files that have lost their names, and what is written
/// there is gone when they are closed (sqlite.org/howtocorrupt.html, section 2.4).
struct OpenFiles: Sendable {
    /// What a name stands for, whatever is renamed to it later.
    private struct Identity: Equatable {
        let device: Int
        let number: Int

        /// What is at a path; nil if nothing is.
        init?(_ path: String) throws {
            guard let status = try StoreFile.status(path) else { return nil }
            device = Int(status.st_dev)
            number = Int(status.st_ino)
        }
    }

    private let path: String
    private let identities: [(path: String, identity: Identity)]

    /// Notes the files of a connection that has read something.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - suffixes: Which files to note, by what their names add to the path.
    ///   - connection: The connection that has them open.
    /// - Throws: `replaced` if the store's file is another one by now; `inputOutput`.
    init(path: String, suffixes: [String], of connection: OpaquePointer?) throws {
        self.path = path
        identities = try suffixes.compactMap { suffix in
            try Identity(path + suffix).map { (path + suffix, $0) }
        }
        var hasMoved: CInt = 0
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        if hasMoved != 0 { throw Self.replaced(path, of: path) }
    }

    /// The error of files that are not those that the store has open; nil while they are, and where that cannot
    /// be told.
    ///
    /// - Complexity: One call of `stat` for each file.
    var fault: StoreError? {
        for (file, identity) in identities {
            do {
                if try Identity(file) != identity { return Self.replaced(file, of: path) }
            } catch {
                // Such as a directory that may not be searched any more: what is open is not affected.
                continue
            }
        }
        return nil
    }

    /// Refuses to go on in files that are not the store's any more.
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
