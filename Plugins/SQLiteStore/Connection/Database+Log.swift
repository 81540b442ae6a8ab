package import GRDB
internal import GRDBSQLite
internal import SwitchyardCore

extension Database {
    /// Switches the database to WAL mode, unless it is in it already.
    ///
    /// - Throws: `unsupported` if the file system does not support a WAL; a `DatabaseError`.
    func enableLog(at path: String) throws {
        guard try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL") == "wal" else {
            throw StoreError(
                .unsupported,
                "WAL mode is unavailable for \(path), as on some network volumes. Give a path on a disk of "
                    + "this machine.")
        }
    }

    /// Makes the last connection delete the WAL and the shared memory when it closes, which is SQLite's own default.
    package func removesLogOnClose() {
        var persists: CInt = 0
        sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &persists)
    }
}
