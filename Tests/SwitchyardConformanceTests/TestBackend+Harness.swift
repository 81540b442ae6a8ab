import Switchyard
import SwitchyardConformance
import SwitchyardCore
import TestBackends

extension TestBackend {
    var harness: any ConformanceHarness {
        switch self {
        case .memory: MemoryHarness()
        case .sqlite: SQLiteHarness()
        case .postgres: PostgresHarness()
        case .citus: PostgresHarness(isDistributed: true)
        }
    }

    /// Lends an empty store of models, and clears it away afterwards.
    func withStore(of models: any Model.Type..., body: (any Store) async throws -> Void) async throws {
        try await withStore(try Schema(version: SchemaVersion(1), models: models), body)
    }
}
