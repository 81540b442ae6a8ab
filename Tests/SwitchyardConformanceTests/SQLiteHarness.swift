import Foundation
import GRDB
import SQLiteStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import Testing

/// SQLite files in the directory for temporary files, for the suite.
struct SQLiteHarness: ConformanceHarness {
    let name = "sqlite"
    let limitations = SQLitePlugin.limitations

    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        try await makeStore(schema, busyTimeout, OpenOptions())
    }

    func makeScopedStore(
        _ schema: Schema, busyTimeout: Duration, scope: StoreScope
    ) async throws -> any Store {
        try await makeStore(schema, busyTimeout, OpenOptions(scope: scope))
    }

    private func makeStore(
        _ schema: Schema, _ busyTimeout: Duration, _ options: OpenOptions
    ) async throws -> any Store {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "switchyard-\(UUID().uuidString).sqlite")
        return try await SQLitePlugin.open(
            try StoreSettings(
                [
                    "path": file.path,
                    "busyTimeout": "\(busyTimeout / .seconds(1))",
                ], for: SQLitePlugin.self), schema: schema, options: options)
    }

    func reopen(
        _ store: any Store, schema: Schema, options: OpenOptions, busyTimeout: Duration
    ) async throws -> any Store {
        try await SQLitePlugin.open(
            try StoreSettings(
                ["path": store.info.location, "busyTimeout": "\(busyTimeout / .seconds(1))"],
                for: SQLitePlugin.self),
            schema: schema, options: options)
    }

    func dispose(_ store: any Store) async {
        try? await store.close()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: store.info.location + suffix)
        }
    }

    /// A second connection with SQLite's own safeguards off, as a person with a database tool could have.
    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
        func set(_ value: String, _ entity: String, _ attribute: String) throws {
            let column = try column(attribute, of: entity, in: store)
            try edit(store) {
                try $0.execute(sql: "PRAGMA ignore_check_constraints = ON")
                try $0.execute(sql: #"UPDATE "\#(entity)" SET "\#(column)" = \#(value)"#)
            }
        }
        switch fault {
        case .integerTwo(let entity, let attribute): try set("2", entity, attribute)
        case .wideInteger(let entity, let attribute): try set("300", entity, attribute)
        case .unknownCase(let entity, let attribute): try set("'unheard-of'", entity, attribute)
        case .invalidUTF8(let entity, let attribute): try set("CAST(x'C328' AS TEXT)", entity, attribute)
        case .furtherColumn(let entity):
            try edit(store) { try $0.execute(sql: #"ALTER TABLE "\#(entity)" ADD COLUMN "further" TEXT"#) }
        case .text(let entity, let attribute):
            // STRICT refuses text among integers, so the word is taken out of the table's text, and put back
            // after.
            let table = "type = 'table' AND name = '\(entity)'"
            try rewrite(store, "replace(sql, ' STRICT,', ' ')", table)
            try set("'seven'", entity, attribute)
            try rewrite(store, "replace(sql, 'WITHOUT', 'STRICT, WITHOUT')", table)
        }
        return .done
    }

    func ageOperations(of store: any Store, by age: Duration) async throws -> Intervention {
        let microseconds = age.components.seconds * 1_000_000
        try edit(store) {
            try $0.execute(
                sql: "UPDATE switchyard_operation SET committed_at = committed_at - \(microseconds)")
        }
        return .done
    }

    func replaceMarker(by json: String, in store: any Store) async throws -> Intervention {
        try edit(store) { try $0.execute(sql: "UPDATE switchyard_store SET marker = ?", arguments: [json]) }
        return .done
    }

    func change(_ change: StructureChange, under store: any Store) async throws -> Intervention {
        switch change {
        case .columnRemoved(let entity, let attribute):
            let column = try column(attribute, of: entity, in: store)
            try edit(store) { try $0.execute(sql: #"ALTER TABLE "\#(entity)" DROP COLUMN "\#(column)""#) }
        case .entityRemoved(let entity):
            try edit(store) { try $0.execute(sql: #"DROP TABLE "\#(entity)""#) }
        }
        return .done
    }

    /// Another connection begins a write, as another process would.
    func whileLocked(
        _ store: any Store, _ work: LockedWork
    ) async throws -> Intervention {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(path: store.info.location, configuration: configuration)
        try await queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let result: Result<Void, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        try await queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try queue.close()
        try result.get()
        return .done
    }

    func cutConnections(of store: any Store) async throws -> Intervention {
        .impossible(reason: "A file has no connections that could break.")
    }

    func cutNextCommit(of store: any Store, _ moment: CommitCut) async throws -> Intervention {
        .impossible(reason: "A file has no connections that could break.")
    }

    private func column(_ attribute: String, of entity: String, in store: any Store) throws -> String {
        try #require(try store.schema.require(entity).attribute(attribute)).column
    }

    private func edit(_ store: any Store, _ work: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue(path: store.info.location)
        try queue.writeWithoutTransaction(work)
        try queue.close()
    }

    private func rewrite(_ store: any Store, _ text: String, _ table: String) throws {
        try edit(store) {
            try $0.execute(sql: "PRAGMA writable_schema = ON")
            try $0.execute(sql: "UPDATE sqlite_schema SET sql = \(text) WHERE \(table)")
        }
    }
}
