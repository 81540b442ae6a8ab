import BabyMonitorKit
import PostgresTestServer
import Switchyard
import TestBackends
import Testing

@Suite("The tests of BabyMonitor")
struct TestBackendTests {
    @Test(
        "the tests of BabyMonitor run on PostgreSQL as well",
        .enabled(if: PostgresServer.url != nil, "\(PostgresServer.need)"))
    func postgres() async throws {
        #expect(TestBackend.available.map(\.rawValue) == ["memory", "sqlite", "postgres"])
        try await TestBackend.postgres.withStore { store in
            #expect(store.info.backend == "postgres")
            let babies = try await store.babies()
            #expect(babies.isEmpty)
        }
    }
}
