import PostgresTestServer
import Switchyard
import SwitchyardConformance

/// A backend as an argument of a test.
enum Backend: String, CaseIterable {
    case memory, sqlite, postgres

    /// Those that there are here: PostgreSQL only where `Tests/run` has started a server.
    static var available: [Self] { PostgresServer.url == nil ? [.memory, .sqlite] : allCases }

    /// Those whose rows somebody else can reach.
    static var reachable: [Self] { available.filter { $0 != .memory } }

    var harness: any ConformanceHarness {
        switch self {
        case .memory: MemoryHarness()
        case .sqlite: SQLiteHarness()
        case .postgres: PostgresHarness()
        }
    }

    /// Lends an empty store.
    func withStore<Result>(
        _ schema: Schema, _ body: (any Store) async throws -> Result
    ) async throws -> Result {
        let store = try await harness.makeStore(schema, busyTimeout: .seconds(60))
        do {
            let result = try await body(store)
            await harness.dispose(store)
            return result
        } catch {
            await harness.dispose(store)
            throw error
        }
    }
}
