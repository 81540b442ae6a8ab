import Foundation
import LogRecords
import Logging
import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Telemetry of PostgreSQL connections", .needsServer, .timeLimit(.minutes(1)))
struct TelemetryTests {
    private let records = LogRecords(.debug)

    /// Lends a store of babies with weights that tells of its work, and looks whether each record names the store and says
    /// how long it took.
    private func withStore(
        _ settings: String = "", _ body: (TestPlace, any Store) async throws -> Void
    ) async throws {
        try await TestPlace.with { place in
            let store = try await withLogger(records.logger) { _ in try await place.open(version: 2, settings)
            }
            try await body(place, store)
            let id = try await store.marker().storeID.uuidString.lowercased()
            try await store.close()
            // The server's own words are no work of the store's.
            let told = records.all.filter { $0.event != "notice of the PostgreSQL server" }
            #expect(!told.isEmpty)
            #expect(told.allSatisfy { $0.metadata["switchyard.store.id"] == id })
            #expect(told.allSatisfy { $0.metadata["db.system.name"] == "postgresql" })
            #expect(told.allSatisfy { $0.metadata["duration"]?.hasSuffix(" ms") == true })
        }
    }

    @Test("telemetry shows an idle connection that died and its replacement")
    func reconnect() async throws {
        try await withStore { place, store in
            try place.terminateOthers()
            _ = try await store.read { try $0.fetchRows(of: "Baby") }
        }
        let events = records.all.map(\.event).filter { $0.hasPrefix("connection") }
        #expect(events == ["connection discarded", "connection opened"])
        #expect(
            records.metadata(of: "connection discarded").map { $0["switchyard.connection.reason"] } == [
                "idle"
            ])
    }

    @Test("telemetry shows a connection that breaks, and the failed transaction with its error")
    func broken() async throws {
        try await withStore { place, store in
            await #expect(throws: StoreError.self) {
                try await store.write { tx in
                    try tx.insertRows(into: "Baby", [place.row("Mia", weight: .int(7))])
                    _ = try tx.fetchRows(of: "Baby")
                    try place.terminateOthers()
                    _ = try tx.fetchRows(of: "Baby")
                }
            }
        }
        #expect(
            records.metadata(of: "connection discarded").map { $0["switchyard.connection.reason"] }
                == ["broken"])
        let failure = try #require(records.metadata(of: "transaction").first)
        #expect(failure["error.type"] == "connectionLost")
        #expect(
            failure["error.message"]
                == "connectionLost: The connection to the PostgreSQL server was lost; the transaction was not carried out. "
                + "Run it again.")
    }

    @Test("telemetry shows a server that becomes unreachable, with the reason")
    func unreachable() async throws {
        try await FaultProxy.with { proxy in
            try await TestPlace.with { place in
                let store = try await withLogger(records.logger) { _ in
                    try await TestPlace.open(proxy.url(of: place), version: 1)
                }
                proxy.stop()
                await #expect(throws: StoreError.self) {
                    try await store.read { try $0.fetchRows(of: "Baby") }
                }
                try await store.close()
            }
        }
        #expect(records.metadata(of: "connection not opened").map { $0["error.type"] } == ["connectionLost"])
        #expect(records.metadata(of: "wait").map { $0["error.type"] } == ["connectionLost"])
    }

    @Test("telemetry shows a transaction that waits for a connection")
    func wait() async throws {
        let pool = try TestServer.pool(limits: ConnectionPool.Limits(size: 1))
        pool.tell(
            StoreTelemetry(
                StoreInfo(backend: "postgres", location: "test"), storeID: nil, logger: records.logger)
        )
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        let holder = Task {
            try await pool.run { _ in
                start.finish()
                gate.wait()
            }
        }
        for await _ in started {}
        let waiters = [Task { try await pool.run { _ in } }, Task { try await pool.run { _ in } }]
        while pool.waiting < 2 { await Task.yield() }
        waiters[1].cancel()
        await #expect(throws: StoreError.self) { try await waiters[1].value }
        gate.open()
        for task in [holder, waiters[0]] { try await task.value }
        await pool.close()
        // The first one has waited for its connection to be opened.
        let waits = records.metadata(of: "wait")
        #expect(waits.map { $0["switchyard.wait"] } == ["connection", "connection", "connection"])
        #expect(waits.map { $0["error.type"] } == [nil, "cancelled", nil])
        #expect(records.withoutDuration.isEmpty)
    }

    @Test("telemetry shows a lost conflict, its retry and the reason")
    func retry() async throws {
        try await withStore { place, store in
            try await store.write { try $0.insertRows(into: "Baby", [place.row("Mia", weight: .int(0))]) }
            let runs = Monitor(0)
            try await store.write { tx in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                guard case .int(let weight) = try tx.fetchRows(of: "Baby")[0][2] else { return }
                if run == 1 {
                    var options = SessionOptions()
                    options.schema = place.schema
                    let other = try TestServer.otherSession(options: options)
                    _ = try other.execute("UPDATE \"Baby\" SET weight = weight + 10")
                }
                try tx.updateRows(
                    of: "Baby", set: [Assignment(attribute: "weight", value: .value(.int(weight + 1)))],
                    where: .compare(.attribute("name"), .equal, .value(.text("Mia"))))
            }
            #expect(try await store.read { try $0.fetchRows(of: "Baby")[0][2] } == .int(11))
        }
        let retries = records.metadata(of: "retry")
        #expect(retries.map { $0["error.type"] } == ["serialization"])
        #expect(retries.map { $0["switchyard.transaction.attempt"] } == ["1"])
        #expect(retries.map { $0["switchyard.transaction.kind"] } == ["write"])
    }
}
