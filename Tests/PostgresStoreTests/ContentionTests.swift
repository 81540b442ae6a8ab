import Foundation
import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Writers that meet", .needsServer, .timeLimit(.minutes(3)))
struct ContentionTests {
    private static let condition = Condition.compare(.attribute("name"), .equal, .value(.text("Mia")))

    /// Reads the weight of the one row and writes it back with 1 more.
    private static func increment(_ tx: WriteTransaction, between: () throws -> Void = {}) throws {
        let rows = try tx.fetchRows(of: "Baby")
        guard rows.count == 1, case .int(let weight) = rows[0][2] else {
            throw StoreError(.corrupted, "The row is gone.")
        }
        try between()
        try tx.updateRows(
            of: "Baby", set: [Assignment(attribute: "weight", value: .value(.int(weight + 1)))],
            where: condition)
    }

    /// Lends a place with one row, of weight 0.
    private func withRow(_ body: (TestPlace, any Store) async throws -> Void) async throws {
        try await TestPlace.with { place in
            let store = try await place.open(version: 2)
            try await store.write { try $0.insertRows(into: "Baby", [place.row("Mia", weight: .int(0))]) }
            try await body(place, store)
            try await store.close()
        }
    }

    @Test("writers on one row through two pools all succeed, and no write is lost")
    func hotRow() async throws {
        try await withRow { place, first in
            let second = try await place.open(version: 2)
            try await withThrowingTaskGroup { group in
                for writer in 0..<16 {
                    let store = writer.isMultiple(of: 2) ? first : second
                    group.addTask {
                        for _ in 0..<25 { try await store.write { try Self.increment($0) } }
                    }
                }
                try await group.waitForAll()
            }
            try await second.close()
            #expect(try await first.read { try $0.fetchRows(of: "Baby")[0][2] } == .int(400))
        }
    }

    @Test("a writer that has lost three times locks its tables, and wins the fourth run")
    func overtaken() async throws {
        try await withRow { place, store in
            let runs = Monitor(0)
            try await store.write { tx in
                runs.withLock { $0 += 1 }
                try Self.increment(tx) {
                    // Another writer, which gets in between whenever it can.
                    var options = SessionOptions()
                    options.schema = place.schema
                    options.lockTimeout = .milliseconds(200)
                    let other = try TestServer.otherSession(options: options)
                    do {
                        _ = try other.execute("UPDATE \"Baby\" SET weight = weight + 10")
                    } catch let error as StoreError where error.code == .busy {}
                }
            }
            #expect(runs.withLock { $0 } == 4)
            #expect(try await store.read { try $0.fetchRows(of: "Baby")[0][2] } == .int(31))
        }
    }

    @Test("row writers and a table-locking writer wait for each other without deadlock")
    func marker() async throws {
        try await withRow { place, first in
            let second = try await place.open(version: 2)
            let third = AsyncStream.makeStream(of: Void.self)
            let locked = AsyncStream.makeStream(of: Void.self)
            let (mayFail, mayGoOn) = (Gate(), Gate())
            let runs = Monitor((part: 0, fence: 0))
            let fence = Task {
                try await first.write(.ofMarker) { tx in
                    let run = runs.withLock {
                        $0.fence += 1
                        return $0.fence
                    }
                    try tx.driver.maintenance.setMarker(try tx.driver.maintenance.marker())
                    if run == 3 {
                        third.continuation.finish()
                        mayFail.wait()
                    }
                    // Afterwards it locks all tables.
                    if run <= 3 { throw StoreError(.serialization, "Lost.") }
                }
            }
            for await _ in third.stream {}
            let part = Task {
                try await second.write { tx in
                    runs.withLock { $0.part += 1 }
                    try tx.driver.maintenance.setMarker(try tx.driver.maintenance.marker())
                    locked.continuation.finish()
                    mayGoOn.wait()
                    try Self.increment(tx)
                }
            }
            let waits = "wait_event_type = 'Lock' AND query LIKE '%\(place.schema)%'"
            try await TestServer.waitForSession(where: waits)
            mayFail.open()
            for await _ in locked.stream {}
            try await TestServer.waitForSession(where: waits)
            mayGoOn.open()
            try await part.value
            try await fence.value
            try await second.close()
            #expect(runs.withLock { $0 } == (part: 1, fence: 4))
            #expect(try await first.read { try $0.fetchRows(of: "Baby")[0][2] } == .int(1))
        }
    }

    @Test("writers retry without a lock if the user may not take one")
    func withoutPrivilege() async throws {
        let role = PostgresServer.newSchemaName()
        try await TestPlace.withStore { place, _ in
            // Five inserts lose to nobody in particular; a sequence does not go back with its transaction.
            try await PostgresServer.administer(
                """
                CREATE SEQUENCE \(place.schema).runs;
                CREATE FUNCTION \(place.schema).lose() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
                    IF nextval('\(place.schema).runs') <= 5 THEN RAISE EXCEPTION USING ERRCODE = '40001'; END IF;
                    RETURN NEW;
                END$$;
                CREATE TRIGGER lose BEFORE INSERT ON \(place.schema)."Baby"
                    FOR EACH ROW EXECUTE FUNCTION \(place.schema).lose();
                CREATE ROLE \(role) LOGIN;
                GRANT USAGE ON SCHEMA \(place.schema) TO \(role);
                GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA \(place.schema) TO \(role);
                GRANT USAGE ON ALL SEQUENCES IN SCHEMA \(place.schema) TO \(role)
                """)
            let url = try #require(PostgresServer.url).replacing("switchyard@", with: "\(role)@")
            let store = try await TestPlace.open("\(url)&schema=\(place.schema)", version: 1)
            try await store.write { try $0.insertRows(into: "Baby", [place.row("Mia")]) }
            #expect(try await store.read { try $0.countRows(of: "Baby") } == 1)
            try await store.close()
        }
        try await PostgresServer.administer("DROP ROLE \(role)")
    }

    @Test("a writer that loses every conflict is told what to do")
    func hopeless() async throws {
        try await TestPlace.withStore { place, store in
            try await PostgresServer.administer(
                """
                CREATE FUNCTION \(place.schema).lose() RETURNS trigger LANGUAGE plpgsql AS
                    $$BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END$$;
                CREATE TRIGGER lose BEFORE INSERT ON \(place.schema)."Baby"
                    FOR EACH ROW EXECUTE FUNCTION \(place.schema).lose()
                """)
            let error = await #expect(throws: StoreError.self) {
                try await store.write { try $0.insertRows(into: "Baby", [place.row("Mia")]) }
            }
            #expect(error?.code == .serialization)
            #expect(
                error?.message
                    == "Other transactions got in between 10 times in a row. Run this one again when there is less to do, "
                    + "or let it read and change fewer rows.")
        }
    }

    @Test("a writer that fails while the store closes reports its own error, not the closing")
    func closing() async throws {
        try await TestPlace.with { place in
            let store = try await place.open(version: 1)
            // The trigger runs within COMMIT.
            try await PostgresServer.administer(
                """
                CREATE FUNCTION \(place.schema).lose() RETURNS trigger LANGUAGE plpgsql AS
                    $$BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END$$;
                CREATE CONSTRAINT TRIGGER lose AFTER INSERT ON \(place.schema)."Baby" DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION \(place.schema).lose()
                """)
            let gate = Gate()
            let (ready, signal) = AsyncStream.makeStream(of: Void.self)
            let write = Task {
                try await store.write { tx in
                    try tx.insertRows(into: "Baby", [place.row("Mia")])
                    signal.finish()
                    gate.wait()
                }
            }
            for await _ in ready {}
            let closing = Task { try await store.close() }
            while (try? await store.read { try $0.countRows(of: "Baby") }) != nil {}
            gate.open()
            let error = await #expect(throws: StoreError.self) { try await write.value }
            #expect(error?.code == .serialization)
            try await closing.value
        }
    }
}
