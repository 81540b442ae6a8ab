import PostgresTestServer
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import Testing

/// A backend as the argument of a test that asks something beyond the suite.
enum Backend: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, sqlite, postgres

    /// The backends that can be had here: PostgreSQL needs the server that `Tests/run` starts.
    static var available: [Backend] {
        allCases.filter { $0 != .postgres || PostgresServer.url != nil }
    }

    /// Those whose rows somebody else can reach.
    static var reachable: [Self] { available.filter { $0 != .memory } }

    var testDescription: String { rawValue }

    var harness: any ConformanceHarness {
        switch self {
        case .memory: MemoryHarness()
        case .sqlite: SQLiteHarness()
        case .postgres: PostgresHarness()
        }
    }

    /// Lends an empty store of models, and clears it away afterwards.
    func withStore(of models: any Model.Type..., body: (any Store) async throws -> Void) async throws {
        try await withStore(try Schema(version: SchemaVersion(1), models: models), body)
    }

    /// Lends an empty store, and clears it away afterwards.
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
