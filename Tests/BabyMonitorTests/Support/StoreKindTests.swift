import BabyMonitor
import PostgresTestServer
import Switchyard
import Testing

@Suite("The tests of BabyMonitor")
struct StoreKindTests {
    @Test(
        "run on PostgreSQL, too",
        .enabled(if: PostgresServer.url != nil, "\(PostgresServer.need)"))
    func postgres() async throws {
        #expect(StoreKind.available.map(\.rawValue) == ["memory", "sqlite", "postgres"])
        try await StoreKind.postgres.withStore { store in
            #expect(store.info.backend == "postgres")
            let babies = try await store.babies()
            #expect(babies.isEmpty)
        }
    }
}
