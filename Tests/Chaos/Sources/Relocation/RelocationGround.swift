import Foundation
import GRDB
import SQLiteRelocation
import SQLiteStore
import Switchyard
import SwitchyardConformance

/// A file of some megabytes to be moved, as a killed process has left it: half of its rows are in the log.
struct RelocationGround: Sendable {
    let directory: String
    /// Whether it is a store of Switchyard, with foreign tables in it.
    let isStore: Bool
    /// Its tables; of a store, without its marker, which a move changes.
    let tables: [TableDigest]

    var old: String { directory + "/app/default.store" }
    var new: String { directory + "/group/default.store" }
    var backup: String { isStore ? old : old + ".moved" }
    var record: String { directory + "/group/.default.store.relocation" }
    var relocation: StoreRelocation { StoreRelocation(from: old, to: new) }

    private var original: String { directory + "/original.store" }
    /// The same rows, to compare others with.
    private var measure: String { directory + "/made.store" }

    /// Makes the file, which each round begins with.
    static func make(
        in scratch: Scratch, isStore: Bool, using generator: inout SeededGenerator
    ) async throws -> RelocationGround {
        let directory = scratch.file(isStore ? "store" : "foreign")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let made = directory + "/made.store"
        if isStore {
            let store = try await Backends.open("sqlite:\(made)", ShelfSchema.self, keepsHistory: true)
            let seed = generator.next()
            try await store.write { tx in
                var generator = SeededGenerator(seed: seed)
                for number in 0..<20 { try tx.shelve(number * 10_000, using: &generator) }
            }
            try await store.close()
        }
        let queue = try DatabaseQueue(path: made)
        try queue.inDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
            for part in ["", "PRAGMA wal_checkpoint(TRUNCATE);"] {
                try database.execute(
                    sql: """
                        \(part)
                        CREATE TABLE IF NOT EXISTS ANSCKRECORD (Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR, ZBLOB BLOB);
                        CREATE INDEX IF NOT EXISTS ANSCKRECORD_NAME ON ANSCKRECORD (ZNAME);
                        CREATE TABLE IF NOT EXISTS keyed (a TEXT, b, PRIMARY KEY (a, b)) WITHOUT ROWID;
                        INSERT INTO ANSCKRECORD (ZNAME, ZBLOB)
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                        SELECT 'record ' || i, randomblob(300) FROM n;
                        INSERT INTO keyed SELECT hex(randomblob(8)), randomblob(20) FROM ANSCKRECORD;
                        """)
            }
        }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: made + suffix, toPath: directory + "/original.store" + suffix)
        }
        try queue.close()
        let plan = try await StoreRelocation(
            from: directory + "/original.store", to: directory + "/none/default.store"
        ).plan()
        return RelocationGround(directory: directory, isStore: isStore, tables: contents(plan.tables))
    }

    /// Puts the file back where it was, and removes everything else.
    func reset() throws {
        let manager = FileManager.default
        for place in ["app", "group"] {
            try? manager.removeItem(atPath: "\(directory)/\(place)")
            try manager.createDirectory(
                atPath: "\(directory)/\(place)", withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        for suffix in ["", "-wal"] { try manager.copyItem(atPath: original + suffix, toPath: old + suffix) }
    }

    static func contents(_ tables: [TableDigest]) -> [TableDigest] {
        tables.filter { $0.name != "switchyard_store" }
    }

    func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// What is wrong with a file that should hold everything; nil if nothing is.
    ///
    /// SQLite compares it with the original, row by row, in a copy so that what was left behind stays as it is.
    func fault(of path: String) throws -> String? {
        let copy = directory + "/look.store"
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
        }
        for suffix in ["", "-wal"] where exists(path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        chmod(copy, 0o600)
        let queue = try DatabaseQueue(path: copy)
        defer { try? queue.close() }
        return try queue.inDatabase { database in
            let check = try String.fetchOne(database, sql: "PRAGMA quick_check")
            guard check == "ok" else { return check ?? "no answer" }
            try database.execute(sql: "ATTACH ? AS original", arguments: [measure])
            for table in tables where table.name != "sqlite_schema" {
                let counts = try ["main", "original"].map {
                    try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0).\"\(table.name)\"")
                }
                guard counts == [table.rows, table.rows] else { return "\(table.name) has \(counts) rows" }
                let rest = try Int.fetchOne(
                    database,
                    sql: """
                        SELECT count(*) FROM
                        (SELECT * FROM main."\(table.name)" EXCEPT SELECT * FROM original."\(table.name)")
                        """)
                guard rest == 0 else { return "\(table.name) has other rows" }
            }
            return nil
        }
    }

    /// The role that the marker of a file tells; nil if there is no file, or no marker.
    func role(of path: String) throws -> String? {
        guard isStore, exists(path) else { return nil }
        let copy = directory + "/role.store"
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
        }
        for suffix in ["", "-wal"] where exists(path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        let queue = try DatabaseQueue(path: copy)
        defer { try? queue.close() }
        return try queue.inDatabase { try String.fetchOne($0, sql: "SELECT role FROM switchyard_store") }
    }
}
