internal import Crypto
internal import GRDB
internal import GRDBSQLite
internal import SQLiteStore
internal import SwitchyardCore

/// The result of one pass over a database: its tables, and what else makes two databases equal.
struct TableSurvey: Sendable {
    /// The settings in the file that are not in any table.
    let settings: [String: String]
    let tables: [TableDigest]

    /// Reads every row of all tables, in one snapshot.
    ///
    /// - Throws: `unsupported` if a table cannot be read without what its library adds to SQLite; `cancelled`; a
    ///   `DatabaseError`.
    init(of database: Database, _ stop: CancellationFlag) throws {
        stop.interrupts(database)
        defer { sqlite3_progress_handler(database.sqliteConnection, 0, nil, nil) }
        var settings: [String: String] = [:]
        var tables: [TableDigest] = []
        try database.inTransaction(.deferred) {
            for name in [
                "page_size", "page_count", "encoding", "user_version", "application_id", "auto_vacuum",
            ] {
                settings[name] = try String.fetchOne(database, sql: "PRAGMA \(name)")
            }
            // Virtual tables have no rows of their own; other tables hold them.
            let names = try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
            for name in ["sqlite_schema"] + names {
                try stop.check()
                tables.append(try TableReader(name, database).digest())
            }
            return .commit
        }
        self.settings = settings
        self.tables = tables.sorted { $0.name < $1.name }
    }

    /// The size of the database, including what is in its log.
    var bytes: Int {
        let (pages, size) = (
            settings["page_count"].flatMap(Int.init), settings["page_size"].flatMap(Int.init)
        )
        return (pages ?? 0) * (size ?? 0)
    }

    /// How another database differs; empty if it does not.
    func differences(from other: TableSurvey) -> [String] {
        let (mine, theirs) = (byName, other.byName)
        let names = Set(mine.keys).union(theirs.keys).filter { mine[$0] != theirs[$0] }
        let settings = self.settings.filter { other.settings[$0.key] != $0.value }.keys
        return names.sorted() + settings.sorted()
    }

    private var byName: [String: TableDigest] {
        Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

/// Reads all rows of one table, in the order in which the file has them: that of the rows' own ids, or of the key.
private struct TableReader {
    /// A digest of many rows at once takes a fraction of the time.
    private static let bytesPerUpdate = 1 << 16

    private let name: String
    private let sql: String
    private let connection: OpaquePointer?

    init(_ name: String, _ database: Database) throws {
        self.name = name
        connection = database.sqliteConnection
        guard name != "sqlite_schema" else {
            sql = "SELECT rowid, * FROM sqlite_master"
            return
        }
        // What is calculated from other columns is not in the file, and may need functions of the app.
        let columns = try String.fetchAll(
            database, sql: "SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 2", arguments: [name])
        let isWithoutRowID = try Bool.fetchOne(
            database, sql: "SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'", arguments: [name])
        let taken = Set(columns.map { $0.lowercased() })
        let rowID =
            isWithoutRowID == true ? nil : ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
        let selected = (rowID.map { [$0] } ?? []) + columns.map(\.quoted)
        sql = "SELECT \(selected.joined(separator: ", ")) FROM \(name.quoted) NOT INDEXED"
    }

    func digest() throws -> TableDigest {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        try require(sqlite3_prepare_v2(connection, sql, -1, &statement, nil))
        let columns = sqlite3_column_count(statement)
        var (rows, hash, bytes) = (0, SHA256(), [UInt8]())
        while true {
            let code = sqlite3_step(statement)
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else { throw failure(code) }
                break
            }
            for column in 0..<columns { try append(column, of: statement, to: &bytes) }
            rows += 1
            if bytes.count >= Self.bytesPerUpdate {
                bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
                bytes.removeAll(keepingCapacity: true)
            }
        }
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return TableDigest(
            name: name, rows: rows, digest: String(hexadecimal: hash.finalize().prefix(16)))
    }

    /// Appends a value: its type, then eight bytes of a number, or the length in eight bytes and the bytes.
    private func append(_ column: CInt, of statement: OpaquePointer?, to row: inout [UInt8]) throws {
        let type = sqlite3_column_type(statement, column)
        row.append(UInt8(truncatingIfNeeded: type))
        switch type {
        case SQLITE_INTEGER:
            append(UInt64(bitPattern: sqlite3_column_int64(statement, column)), to: &row)
        case SQLITE_FLOAT: append(sqlite3_column_double(statement, column).bitPattern, to: &row)
        case SQLITE_TEXT, SQLITE_BLOB:
            let bytes =
                type == SQLITE_BLOB
                ? sqlite3_column_blob(statement, column)
                : sqlite3_column_text(statement, column).map { UnsafeRawPointer($0) }
            // Read second: it is the length of the text as it was just converted.
            let count = Int(sqlite3_column_bytes(statement, column))
            guard bytes != nil || count == 0 else { throw failure(SQLITE_NOMEM) }
            append(UInt64(count), to: &row)
            row.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
        default: break
        }
    }

    private func append(_ word: UInt64, to row: inout [UInt8]) {
        withUnsafeBytes(of: word.littleEndian) { row.append(contentsOf: $0) }
    }

    private func require(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: CInt) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }, sql: sql)
    }
}

extension String {
    /// The name as an identifier of SQL; a table may have any name at all.
    fileprivate var quoted: String {
        "\"" + replacingBytes(of: "\"", with: "\"\"") + "\""
    }
}
