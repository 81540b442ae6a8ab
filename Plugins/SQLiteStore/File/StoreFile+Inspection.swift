internal import Foundation
internal import GRDBSQLite
internal import SwitchyardCore
internal import SwitchyardSQL

extension StoreFile {
    /// Makes sure that there is a store with the plan's schema and with all of its columns, and changes
    /// nothing.
    ///
    /// - Throws: `notAStore`, naming what was found instead, `corrupted`, naming what is missing,
    ///   `schemaMismatch` or `schemaTooNew` for a store of another schema, `busy`, `inputOutput`.
    func inspect(_ plan: StorePlan, busyTimeout: Double) throws {
        try whileUnchanged { mode in
            do {
                try requireStore(plan, at: readOnlyURI(mode), busyTimeout: busyTimeout, shownAs: path)
            } catch let error as StoreError
                where error.code == .readOnly || error.code == .inputOutput && mode == .copied
            {
                try withCopy {
                    try $0.requireStore(
                        plan, at: $0.uri("mode=rw"), busyTimeout: busyTimeout, shownAs: path)
                }
            }
        }
    }

    /// Lends a copy of file, log and journal in a directory of its own.
    private func withCopy<Result>(_ body: (StoreFile) throws -> Result) throws -> Result {
        let manager = FileManager.default
        let directory = manager.temporaryDirectory.appendingPathComponent("switchyard-\(UUID().uuidString)")
        do {
            try manager.createDirectory(
                at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            defer { try? manager.removeItem(at: directory) }
            let before = try appearance()
            let copy = StoreFile(path: directory.appendingPathComponent("copy.sqlite").path)
            try manager.copyItem(atPath: path, toPath: copy.path)
            for (source, target) in [(walPath, copy.walPath), (journalPath, copy.journalPath)]
            where try Self.status(source) != nil {
                try manager.copyItem(atPath: source, toPath: target)
            }
            guard try appearance() == before else {
                throw StoreError(.inputOutput, "The store at \(path) was changed while it was copied.")
            }
            return try body(copy)
        } catch let error as CocoaError {
            throw StoreError(
                .inputOutput,
                "The store at \(path) must be put in order, and could not be copied to be looked at first.",
                underlying: error)
        }
    }

    private func requireStore(
        _ plan: StorePlan, at uri: String, busyTimeout: Double, shownAs path: String
    ) throws {
        let connection = try InspectionConnection(uri, busyTimeout: busyTimeout, path: path)
        defer { connection.close() }
        let texts = try connection.rows(StructureFaults.query)
        let tables = texts.filter { $0[2] == "table" }.map { $0[0] }
        guard tables.contains(SQLGenerator.markerTable) else {
            let found =
                tables.isEmpty ? "no table at all" : "the tables " + tables.prefix(5).joined(separator: ", ")
            throw StoreError(
                .notAStore,
                "\(path) is an SQLite database, but not a store of Switchyard: it has \(found)"
                    + "\(tables.count > 5 ? ", …" : ""). Nothing was changed.")
        }
        let row = try connection.rows(SQLGenerator.selectMarkerSummary()).first
        let summary = row.map {
            StoreMarker.Summary(format: $0[0], role: $0[1], version: $0[2], fingerprint: $0[3], digest: $0[4])
        }
        let json = row?[5]
        if summary?.admits(plan.schema, json: json ?? "") != true {
            try StoreMarker.decode(json, at: path).admit(plan.schema)
        }
        let faults = try StructureFaults(plan, found: texts, rows: connection.rows).ofColumns()
        guard faults.isEmpty else { throw StoreError.damaged(at: path, faults) }
    }
}

/// A bare connection for a few questions in text.
private struct InspectionConnection {
    private let connection: OpaquePointer?
    private let path: String

    init(_ uri: String, busyTimeout: Double, path: String) throws {
        var connection: OpaquePointer?
        let flags = uri.contains("mode=rw") ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        let code = sqlite3_open_v2(uri, &connection, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
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
                "The file \(path) is not an SQLite database, so it is no store; nothing was changed.",
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
