internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore

extension Database {
    /// Turns the write-ahead log on, unless it is.
    ///
    /// - Throws: `unsupported` where there can be none; a `DatabaseError`.
    func enableLog(at path: String) throws {
        guard try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL") == "wal" else {
            throw StoreError(
                .unsupported,
                "SQLite can keep no log beside \(path), as it does on some network volumes. Give a path on a disk of this "
                    + "machine.")
        }
    }

    /// Lets the last connection that closes take log and shared memory away, as is SQLite's own default.
    func removesLogOnClose() {
        var persists: CInt = 0
        sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &persists)
    }
}
