#if Metrics
    import CoreMetrics
    import Foundation
    import LogRecords
    import Logging
    import MetricsTestKit
    import PostgresStore
    import PostgresTestServer
    import Switchyard
    import SwitchyardConformance
    import SwitchyardCore
    import TestBackends
    import Testing

    @Suite("A store at work, as its metrics show it")
    struct MetricsTests {
        @Model
        struct Part {
            #Unique<Part>([\.label])
            let id: ID
            var label: String = ""
        }

        private func withStore(
            on backend: TestBackend, _ metrics: TestMetrics, _ body: (any Store) async throws -> Void
        ) async throws {
            try await withMetricsFactory(metrics) {
                try await backend.withStore(of: Part.self, body: body)
            }
        }

        private func system(_ backend: TestBackend) -> (String, String) {
            ("db.system.name", backend == .postgres ? "postgresql" : backend.rawValue)
        }

        @Test("metrics count transactions, operations and rows, by backend", arguments: TestBackend.available)
        func transactions(backend: TestBackend) async throws {
            let metrics = TestMetrics()
            try await withStore(on: backend, metrics) { store in
                try await store.write { try $0.insert(contentsOf: ["a", "b", "c"].map { Part(label: $0) }) }
                for _ in 0..<2 { _ = try await store.read { try $0.fetch(Part.all) } }
                try await store.write { _ = try $0.delete(Part.where(#Predicate { $0.label == "a" })) }
                await #expect(throws: StoreError.self) {
                    try await store.write { try $0.insert(Part(label: "b")) }
                }
            }
            let system = system(backend)
            func transactions(_ kind: String, _ error: String? = nil) throws -> Int {
                let error = error.map { [("error.type", $0)] } ?? []
                return try metrics.expectTimer(
                    "switchyard.transaction.duration",
                    [system, ("switchyard.transaction.kind", kind)] + error
                ).values.count
            }
            #expect(try transactions("write") == 2)
            #expect(try transactions("read") == 2)
            #expect(try transactions("write", "unique") == 1)
            func rows(_ operation: String) throws -> Int64 {
                try metrics.expectCounter("switchyard.rows", [system, ("db.operation.name", operation)])
                    .totalValue
            }
            #expect(try rows("insert") == 3)
            #expect(try rows("delete") == 1)
            let selects = try metrics.expectTimer(
                "db.client.operation.duration", [system, ("db.operation.name", "select")])
            #expect(selects.values.count >= 2)
            #expect(try rows("select") >= 6)
        }

        @Test("metrics count retries and waits")
        func retries() async throws {
            let metrics = TestMetrics()
            let telemetry = withMetricsFactory(metrics) {
                StoreTelemetry(
                    StoreInfo(backend: "toy", location: "here"), storeID: nil,
                    logger: LogRecords(.info).logger)
            }
            let policy = RetryPolicy(attempts: 3, sleep: { _ in }, random: { 0 })
            try await telemetry.transaction(.write) { transaction in
                try await policy.run(transaction) { if $0 < 3 { throw StoreError(.busy, "locked") } }
            }
            telemetry.waited(for: .turn, since: .now)
            telemetry.waited(for: .connection, since: .now)
            telemetry.poolChanged((used: 3, idle: 2, waiting: 1))
            let toy = ("db.system.name", "toy")
            let pool = ("db.client.connection.pool.name", "here")
            let retries = try metrics.expectCounter(
                "switchyard.transaction.retries", [toy, ("error.type", "busy")])
            #expect(retries.totalValue == 2)
            let turns = try metrics.expectTimer(
                "switchyard.wait.duration", [toy, ("switchyard.wait", "turn")])
            #expect(turns.values.count == 1)
            #expect(try metrics.expectTimer("db.client.connection.wait_time", [toy, pool]).values.count == 1)
            func connections(_ state: String) throws -> Double? {
                try metrics.expectMeter(
                    "db.client.connection.count", [toy, pool, ("db.client.connection.state", state)]
                ).lastValue
            }
            #expect(try connections("used") == 3)
            #expect(try connections("idle") == 2)
            #expect(
                try metrics.expectMeter("db.client.connection.pending_requests", [toy, pool]).lastValue == 1)
        }

        @Test("metrics show the connections in use in PostgreSQL's pool", .needsPostgres)
        func pool() async throws {
            let metrics = TestMetrics()
            try await withStore(on: .postgres, metrics) { store in
                for _ in 0..<2 { _ = try await store.read { try $0.count(Part.all) } }
            }
            let used = metrics.meters(
                label: "db.client.connection.count", dimensions: [("db.client.connection.state", "used")])
            #expect(used.count == 1)
            #expect(used.first?.values.contains(1) == true)
            #expect(used.first?.lastValue == 0)
        }
    }
#endif
