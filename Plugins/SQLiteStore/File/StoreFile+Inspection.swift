internal import Foundation
internal import GRDBSQLite
internal import SwitchyardCore
internal import SwitchyardSQL

extension StoreFile {
    /// Checks that the file is a store with the plan's schema and all of its columns.
    ///
    /// It changes nothing except the shared memory beside a WAL, unless an earlier release has made the store, and it is
    /// opened for writing: that is completed.
    ///
    /// - Returns: The identity of the store.
    /// - Throws: `notAStore`, naming what was found instead, `corrupted`, naming what is missing,
    ///   `schemaMismatch` or `schemaTooNew` for a store of another schema, `busy`, `full`, `inputOutput`.
    func inspect(_ plan: SQLPlan, options: OpenOptions, busyTimeout: Double) async throws -> UUID? {
        func inspected() async throws -> UUID? {
            try await whileReadable(busyTimeout: busyTimeout) { source in
                try await BlockingWork.run {
                    try requireStore(plan, options: options, at: uri(source), busyTimeout: busyTimeout)
                }
            }
        }
        do { return try await inspected() } catch is EarlierRelease {
            guard options.access == .readWrite else { throw StoreError.incompleteForReading(at: path) }
            try await BlockingWork.run { try complete(plan, options: options, busyTimeout: busyTimeout) }
            return try await inspected()
        }
    }

    /// Adds what the store's own tables lack.
    private func complete(_ plan: SQLPlan, options: OpenOptions, busyTimeout: Double) throws {
        try requireWritable()
        let connection = try InspectionConnection(uri("mode=rw"), busyTimeout: busyTimeout, path: path)
        // If that fails, closing it rolls back.
        defer { connection.close() }
        _ = try connection.rows("BEGIN IMMEDIATE")
        // Another process may have done it in the meantime.
        let catalog = SQLiteCatalog(texts: try connection.rows(SQLiteCatalog.query), rows: connection.rows)
        for text in try plan.completion(in: catalog, role: options.role) { _ = try connection.rows(text) }
        _ = try connection.rows("COMMIT")
    }

    private func requireStore(_ plan: SQLPlan, options: OpenOptions, at uri: String, busyTimeout: Double)
        throws -> UUID?
    {
        let connection = try InspectionConnection(uri, busyTimeout: busyTimeout, path: path)
        defer { connection.close() }
        let texts = try connection.rows(SQLiteCatalog.query)
        let tables = texts.filter { $0[2] == "table" }.map { $0[0] }
        let isStore =
            tables.contains(SQLGenerator.markerTable)
            || options.isAsFound && tables.contains(SQLGenerator.operationTable)
        guard isStore else {
            let found =
                tables.isEmpty ? "no table at all" : "the tables " + tables.prefix(5).joined(separator: ", ")
            throw StoreError(
                .notAStore,
                "\(path) is an SQLite database, but not a store of Switchyard: it has \(found)"
                    + "\(tables.count > 5 ? ", …" : ""). Nothing was changed.")
        }
        let isScoped = texts.contains {
            $0[0] == SQLGenerator.operationTable && $0[1].contains("\"\(StoreScope.attribute.column)\"")
        }
        if options.isAsFound {
            try options.requireScopes(isScoped)
            return nil
        }
        let row = try connection.rows(SQLGenerator.selectMarkerSummary()).first
        let summary = row.map {
            StoreMarker.Summary(format: $0[0], role: $0[1], version: $0[2], fingerprint: $0[3], digest: $0[4])
        }
        let json = row?[5]
        if summary?.admits(plan.schema, json: json ?? "") != true || options.role != .active
            || isScoped != (options.scope != nil)
        {
            try StoreMarker.decode(json, at: path).absolute(in: placeDirectory).admit(
                plan.schema, options: options)
        }
        let catalog = SQLiteCatalog(texts: texts, rows: connection.rows)
        let faults = try plan.columnFaults(in: catalog)
        guard faults.isEmpty else {
            guard try plan.completion(in: catalog, role: options.role).isEmpty else { throw EarlierRelease() }
            throw StoreError.damaged(at: path, faults)
        }
        let id = "SELECT json_extract(\"marker\", '$.storeID') FROM \"\(SQLGenerator.markerTable)\""
        return try connection.rows(id).first.flatMap { UUID(uuidString: $0[0]) }
    }
}

/// The store lacks what stores of earlier releases lack.
private struct EarlierRelease: Error {}

/// A raw connection for a few queries with text results.
private struct InspectionConnection {
    private let connection: OpaquePointer?
    private let path: String

    init(_ uri: String, busyTimeout: Double, path: String) throws {
        var connection: OpaquePointer?
        // The URI decides between reading and writing.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(uri, &connection, flags, nil)
        self.connection = connection
        self.path = path
        guard code == SQLITE_OK else {
            let error = failure(code)
            close()
            throw error
        }
        sqlite3_busy_timeout(connection, CInt(busyTimeout * 1000))
    }

    func close() { sqlite3_close(connection) }

    func rows(_ sql: String) throws -> [[String]] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        try require(sqlite3_prepare_v2(connection, sql, -1, &statement, nil))
        var rows: [[String]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                rows.append(
                    try (0..<sqlite3_column_count(statement)).map { try StoredText.read($0, of: statement) })
            case SQLITE_DONE: return rows
            case let code: try require(code)
            }
        }
    }

    private func require(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: CInt) -> StoreError {
        let error = StoreError(sqlite: code, on: connection, at: path)
        return switch error.code {
        case .notAStore:
            StoreError(
                .notAStore,
                "The file \(path) is not an SQLite database, so it is not a store; nothing was changed.",
                detail: error.detail)
        case .corrupted:
            StoreError(
                .corrupted,
                "The store's file \(path) is damaged or cut short. Restore it from a backup; nothing was changed.",
                detail: error.detail)
        default: error
        }
    }
}
