import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("A hot standby", .needsServer, .needsStandby, .timeLimit(.minutes(2)))
struct StandbyTests {
    /// Waits until the standby has all that the primary has written.
    private func catchUp() async throws {
        let primary = try TestServer.pool()
        let standby = try TestServer.pool(TestServer.parameters(PostgresServer.standbyURL))
        guard
            case .text(let end) = try await primary.run({
                try $0.cell("SELECT pg_current_wal_insert_lsn()::text")
            })
        else { throw StoreError(.backend, "The primary has no place in its log.") }
        let hasAll = "SELECT (pg_last_wal_replay_lsn() >= $1::pg_lsn)::text"
        var answer = TestCell.null
        while answer != .text("true") {
            try Task.checkCancellation()
            answer = try await standby.run { session in
                try session.begin(.snapshot)
                return try session.cell(hasAll, [(.text(end), .text)])
            }
        }
        await primary.close()
        await standby.close()
    }

    @Test("a hot standby serves reads, redirects writes by error, and knows committed operations")
    func store() async throws {
        try await TestPlace.withStore { place, primary in
            let operation = OperationID()
            try await primary.write(WriteOptions(operation: operation)) {
                try $0.insertRows(into: "Baby", [place.row("Mia")])
            }
            try await catchUp()
            let url = try #require(PostgresServer.standbyURL)
            let standby = try await TestPlace.open("\(url)&schema=\(place.schema)", version: 1)
            #expect(try await standby.read { try $0.countRows(of: "Baby") } == 1)
            let error = await #expect(throws: StoreError.self) {
                try await standby.write { try $0.insertRows(into: "Baby", [place.row("Leo")]) }
            }
            #expect(error?.code == .readOnly)
            #expect(
                error?.message
                    == "The server is read-only, for instance because it is a standby. Connect to the "
                    + "primary; among several hosts, target_session_attrs=read-write finds it.")
            #expect(try await standby.wasCommitted(operation))
            #expect(try await !standby.wasCommitted(OperationID()))
            try await standby.close()
        }
    }

    @Test("a store that needs a writable server skips a hot standby")
    func failover() async throws {
        try await TestPlace.with { place in
            let primary = try TestServer.parameters()
            let standby = try TestServer.parameters(PostgresServer.standbyURL)
            let directory = try #require(primary["host"])
            let ports = try "\(#require(standby["port"])),\(#require(primary["port"]))"
            let store = try await TestPlace.open(
                "postgres://switchyard@/switchyard_test?host=\(directory),\(directory)&port=\(ports)"
                    + "&target_session_attrs=read-write&schema=\(place.schema)", version: 1)
            try await store.write { try $0.insertRows(into: "Baby", [place.row("Mia")]) }
            #expect(try await store.read { try $0.countRows(of: "Baby") } == 1)
            try await store.close()
        }
    }
}
