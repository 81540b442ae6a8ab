internal import GRDB
internal import GRDBSQLite

extension Database {
    /// Runs reads in one transaction, which must not write; a reader of a pool cannot write anyway.
    func inSnapshot<Result>(isReader: Bool, _ body: () throws -> Result) throws -> Result {
        guard isReader else { return try readOnly { try inSnapshot(isReader: true, body) } }
        try cachedStatement(sql: "BEGIN DEFERRED TRANSACTION").execute()
        defer {
            // There is nothing to commit, but the transaction must end.
            do { try commitPrepared() } catch { try? rollback() }
        }
        return try body()
    }

    /// The version of the file as this connection knows it, which each commit changes, its own by one; nil if
    /// SQLite does not report it.
    var fileVersion: UInt32? {
        var version: UInt32 = 0
        let code = sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return code == SQLITE_OK ? version : nil
    }

    /// Runs a write in one transaction.
    ///
    /// GRDB's `inTransaction` does the same, but has SQLite compile BEGIN and COMMIT each time.
    func inPreparedTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        try cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
        do {
            let result = try body()
            try commitPrepared()
            return result
        } catch {
            // The first error is the one to show, and after some of them SQLite has rolled back already.
            try? rollback()
            throw error
        }
    }

    private func commitPrepared() throws { try cachedStatement(sql: "COMMIT TRANSACTION").execute() }
}
