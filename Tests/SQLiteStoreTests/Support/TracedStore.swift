import EntryModel
import GRDB
import SQLiteStore
import SwitchyardCore
import Synchronization

/// A store of entries on a connection whose statements are noted.
final class TracedStore: Sendable {
    let store: SQLiteStore
    private let queue: DatabaseQueue
    private let statements = Mutex<[String]>([])

    init(scope: StoreScope? = nil) async throws {
        queue = try DatabaseQueue()
        store = try await SQLiteStore(
            connection: queue, schema: Schema(version: SchemaVersion(1), models: [Entry.self]), scope: scope)
        try await queue.write { database in
            database.trace { [self] event in
                guard case .statement(let statement) = event else { return }
                let text = statement.expandedSQL
                statements.withLock { $0.append(text) }
            }
        }
    }

    /// The statements that the work runs on the rows of entries, with what is bound to them.
    func statements(of work: () async throws -> Void) async throws -> [String] {
        statements.withLock { $0 = [] }
        try await work()
        return statements.withLock { $0 }.filter {
            $0.contains("INTO \"Entry\"") || $0.contains("FROM \"Entry\"")
        }
    }

    /// The plan of each statement on entries that the work runs, a line for each step.
    func plans(of work: () async throws -> Void) async throws -> [[String]] {
        let noted = try await statements(of: work)
        return try await queue.read { database in
            try noted.map {
                try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + $0).map { $0["detail"] as String }
            }
        }
    }
}
