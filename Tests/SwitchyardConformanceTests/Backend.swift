import PostgresTestServer
import Switchyard
import SwitchyardConformance
import Testing

/// A backend as the argument of a test that asks something beyond the suite.
enum Backend: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, sqlite, postgres

    /// The backends that can be had here: PostgreSQL needs the server that `Tests/run` starts.
    static var available: [Backend] {
        allCases.filter { $0 != .postgres || PostgresServer.url != nil }
    }

    var testDescription: String { rawValue }

    var harness: any ConformanceHarness {
        switch self {
        case .memory: MemoryHarness()
        case .sqlite: SQLiteHarness()
        case .postgres: PostgresHarness()
        }
    }

    /// Lends an empty store, and clears it away afterwards.
    func withStore(of models: any Model.Type..., body: (any Store) async throws -> Void) async throws {
        let schema = try Schema(version: SchemaVersion(1), models: models)
        let store = try await harness.makeStore(schema, busyTimeout: .seconds(60))
        let result: Result<Void, any Error>
        do { result = .success(try await body(store)) } catch { result = .failure(error) }
        await harness.dispose(store)
        try result.get()
    }
}
