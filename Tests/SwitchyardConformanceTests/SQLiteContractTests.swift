import Foundation
import GRDB
import SQLiteStore
import Switchyard
import SwitchyardConformance
import Testing

/// SQLite files in a temporary directory, for the suite.
struct SQLiteHarness: ConformanceHarness {
    let name = "sqlite"
    let limitations = SQLitePlugin.limitations

    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "switchyard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        return try await SQLitePlugin.open(
            try StoreSettings(
                [
                    "path": directory.appending(path: "store.sqlite").path,
                    "busyTimeout": "\(busyTimeout / .seconds(1))",
                ], for: SQLitePlugin.self), schema: schema, options: OpenOptions())
    }

    func reopen(_ store: any Store, schema: Schema, options: OpenOptions) async throws -> any Store {
        try await SQLitePlugin.open(
            try StoreSettings(["path": store.description.location], for: SQLitePlugin.self), schema: schema,
            options: options)
    }

    func dispose(_ store: any Store) async {
        try? await store.close()
        let file = URL(filePath: store.description.location)
        try? FileManager.default.removeItem(at: file.deletingLastPathComponent())
    }

    /// A second connection with SQLite's own safeguards off, as a person with a database tool could have.
    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
        let queue = try DatabaseQueue(path: store.description.location)
        defer { try? queue.close() }
        try await queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            switch fault {
            case .integerTwo(let entity, let attribute):
                try db.execute(sql: #"UPDATE "\#(entity)" SET "\#(attribute)" = 2"#)
            case .wideInteger(let entity, let attribute):
                try db.execute(sql: #"UPDATE "\#(entity)" SET "\#(attribute)" = 300"#)
            case .unknownCase(let entity, let attribute):
                try db.execute(sql: #"UPDATE "\#(entity)" SET "\#(attribute)" = 'unheard-of'"#)
            case .invalidUTF8(let entity, let attribute):
                try db.execute(sql: #"UPDATE "\#(entity)" SET "\#(attribute)" = CAST(x'C328' AS TEXT)"#)
            case .furtherColumn(let entity):
                try db.execute(sql: #"ALTER TABLE "\#(entity)" ADD COLUMN "further" TEXT"#)
            case .text: break
            }
        }
        if case .text(let entity, let attribute) = fault {
            try plantText(entity, attribute, at: store.description.location)
        }
        return .done
    }

    /// STRICT refuses text among integers, so the word is taken out of the table's text, and put back after.
    private func plantText(_ entity: String, _ attribute: String, at path: String) throws {
        func edit(_ sql: String) throws {
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
                try db.execute(sql: "PRAGMA writable_schema = ON")
                try db.execute(sql: sql)
            }
            try queue.close()
        }
        let table = "type = 'table' AND name = '\(entity)'"
        try edit("UPDATE sqlite_schema SET sql = replace(sql, ' STRICT,', ' ') WHERE \(table)")
        try edit(#"UPDATE "\#(entity)" SET "\#(attribute)" = 'seven'"#)
        try edit("UPDATE sqlite_schema SET sql = replace(sql, 'WITHOUT', 'STRICT, WITHOUT') WHERE \(table)")
    }
}

@Suite("The contract on SQLite")
struct SQLiteContractTests {
    @Test("SQLite keeps", arguments: Requirement.all)
    func contract(_ requirement: Requirement) async throws {
        let reason = try await requirement.verify(SQLiteHarness())
        #expect(
            reason
                == (requirement.number == "T3"
                    ? "Each write begins when the one before has ended, so none loses to another." : nil))
    }
}
