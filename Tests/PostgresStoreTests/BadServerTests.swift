import Foundation
import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

/// Faulty servers and databases, as the user of a store sees them.
@Suite("A bad server", .needsServer)
struct BadServerTests {
    // MARK: Opening

    @Test("an unreachable server is reported in one paragraph that names the place")
    func unreachable() async throws {
        let error = try await refusal("postgres://mia:correct-horse@127.0.0.1:1/babies")
        #expect(error.code == .connectionLost)
        #expect(
            error.message
                == "The PostgreSQL server at 127.0.0.1, port 1 cannot be reached: connection to server at \"127.0.0.1\", "
                + "port 1 failed: Connection refused. Is the server running on that host and accepting TCP/IP connections?"
        )
        #expect(!error.debugDescription.contains("correct-horse"))
    }

    @Test("a server whose name cannot be resolved is reported in one paragraph")
    func unknownHost() async throws {
        let error = try await refusal("postgres://mia:correct-horse@nowhere.invalid/babies")
        #expect(error.code == .connectionLost)
        #expect(
            error.message.hasPrefix("The PostgreSQL server at nowhere.invalid cannot be reached: "))
        #expect(!error.message.contains { $0.isNewline || $0 == "\t" })
        #expect(!error.debugDescription.contains("correct-horse"))
    }

    @Test("a server refuses a wrong password, which is not shown")
    func wrongPassword() async throws {
        let url = try #require(PostgresServer.passwordURL)
        let right = try #require(try PostgresPlugin.settings(fromURL: url)["password"])
        let error = try await refusal(url.replacing(right, with: "wrong-horse"))
        #expect(error.code == .authentication)
        #expect(
            error.message
                == "The server refused the user or the password; check both, and the server's pg_hba.conf.")
        #expect(!error.debugDescription.contains("wrong-horse"))
    }

    @Test("a server without the database says what to do")
    func missingDatabase() async throws {
        let url = try #require(PostgresServer.url)
        let error = try await refusal(url.replacing("/switchyard_test?", with: "/nothing_here?"))
        #expect(error.code == .configuration)
        #expect(error.message == "The database does not exist; create it or correct its name.")
    }

    @Test("a server with a store of a newer schema version refuses it unchanged")
    func newerSchema() async throws {
        try await TestPlace.with { place in
            let newer = try await place.open(version: 2)
            try await newer.write {
                try $0.insertRows(into: "Baby", [place.row("Mia", weight: .int(3_500))])
            }
            try await newer.close()
            let before = try await place.contents()
            let error = await #expect(throws: StoreError.self) { try await place.open(version: 1) }
            #expect(error?.code == .schemaTooNew)
            #expect(
                error?.message
                    == "The store has schema version 2.0.0, but the app knows only 1.0.0. Update the app; nothing was "
                    + "changed.")
            #expect(try await place.contents() == before)
            let again = try await place.open(version: 2)
            #expect(try await again.read { try $0.countRows(of: "Baby") } == 1)
            try await again.close()
        }
    }

    @Test("a server with somebody else's tables is not a store, and is unchanged")
    func foreignTables() async throws {
        try await TestPlace.with { place in
            try await PostgresServer.administer(
                "CREATE SCHEMA \(place.schema); CREATE TABLE \(place.schema).\"Baby\" (n int8); "
                    + "INSERT INTO \(place.schema).\"Baby\" VALUES (7)")
            let before = try await place.contents()
            let error = await #expect(throws: StoreError.self) { try await place.open(version: 1) }
            #expect(error?.code == .notAStore)
            #expect(try await place.contents() == before)
        }
    }

    private func refusal(_ url: String) async throws -> StoreError {
        let error = await #expect(throws: StoreError.self) {
            try await TestPlace.open(url, version: 1)
        }
        return try #require(error)
    }

    // MARK: Use

    @Test(
        "a server that dies in mid-transaction fails the write, keeps nothing of it, and serves the next one")
    func death() async throws {
        try await TestPlace.withStore { place, store in
            let error = await #expect(throws: StoreError.self) {
                try await store.write { tx in
                    try tx.insertRows(into: "Baby", [place.row("Mia")])
                    try place.terminateOthers()
                    try tx.insertRows(into: "Baby", [place.row("Leo")])
                }
            }
            #expect(error?.code == .connectionLost)
            #expect(
                error?.message
                    == "The connection to the PostgreSQL server was lost; the transaction was not carried out. Run it again."
            )
            #expect(try await store.read { try $0.countRows(of: "Baby") } == 0)
            try await store.write { try $0.insertRows(into: "Baby", [place.row("Ada")]) }
            #expect(try await store.read { try $0.countRows(of: "Baby") } == 1)
        }
    }

    @Test("a server that dies before the commit fails the write, and keeps nothing of it")
    func deathBeforeCommit() async throws {
        try await TestPlace.withStore { place, store in
            let error = await #expect(throws: StoreError.self) {
                try await store.write { tx in
                    try tx.insertRows(into: "Baby", [place.row("Mia")])
                    try place.terminateOthers()
                }
            }
            #expect(error?.code == .connectionLost)
            let kept = try await store.read { try $0.countRows(of: "Baby") }
            #expect(kept == 0)
        }
    }

    @Test(
        "a server that dies during the commit leaves the outcome unknown, and can be asked for it later")
    func deathDuringCommit() async throws {
        try await TestPlace.withStore { place, store in
            // The trigger runs within COMMIT and ends the session it runs in.
            try await PostgresServer.administer(
                """
                CREATE FUNCTION \(place.schema).die() RETURNS trigger LANGUAGE plpgsql AS
                    $$BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END$$;
                CREATE CONSTRAINT TRIGGER die AFTER INSERT ON \(place.schema)."Baby" DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION \(place.schema).die()
                """)
            let operation = OperationID()
            let error = await #expect(throws: StoreError.self) {
                try await store.write(WriteOptions(operation: operation)) {
                    try $0.insertRows(into: "Baby", [place.row("Mia")])
                }
            }
            #expect(error?.code == .outcomeUnknown)
            #expect(error?.operation == operation)
            #expect(try await !store.wasCommitted(operation))
            let kept = try await store.read { try $0.countRows(of: "Baby") }
            #expect(kept == 0)
        }
    }

    @Test("a server that dies in mid-read fails the read, and serves the next one")
    func deathInRead() async throws {
        try await TestPlace.withStore { place, store in
            let error = await #expect(throws: StoreError.self) {
                try await store.read { tx in
                    _ = try tx.countRows(of: "Baby")
                    try place.terminateOthers()
                    return try tx.countRows(of: "Baby")
                }
            }
            #expect(error?.code == .connectionLost)
            let kept = try await store.read { try $0.countRows(of: "Baby") }
            #expect(kept == 0)
        }
    }

    @Test("a cancelled task leaves a server that makes its statement wait, and nothing is kept")
    func cancelledStatement() async throws {
        try await TestPlace.withStore { place, store in
            let administration = try TestServer.pool(limits: ConnectionPool.Limits(size: 1))
            let code = try await administration.run { session in
                try session.begin(.serializable)
                try session.script("LOCK TABLE \(place.schema).\"Baby\" IN ACCESS EXCLUSIVE MODE")
                let write = Task {
                    try await store.write { try $0.insertRows(into: "Baby", [place.row("Mia")]) }
                }
                func isWaiting() throws -> Bool {
                    try session.cell(
                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = $1::regclass",
                        [(.text("\(place.schema).\"Baby\""), .text)]) == .integer(1)
                }
                while try !isWaiting() {}
                write.cancel()
                while try isWaiting() {}
                return write
            }
            let error = await #expect(throws: StoreError.self) { try await code.value }
            #expect(error?.code == .cancelled)
            #expect(try await store.read { try $0.countRows(of: "Baby") } == 0)
            try await store.write { try $0.insertRows(into: "Baby", [place.row("Leo")]) }
            #expect(try await store.read { try $0.countRows(of: "Baby") } == 1)
            await administration.close()
        }
    }

    @Test("a locked table makes a write busy after one lock timeout")
    func locked() async throws {
        try await TestPlace.withStore("&lockTimeout=0.2") { place, store in
            let administration = try TestServer.pool(limits: ConnectionPool.Limits(size: 1))
            let (gate, runs) = (Gate(), Monitor(0))
            let (ready, signal) = AsyncStream.makeStream(of: Void.self)
            let holder = Task {
                defer { signal.finish() }
                try await administration.run { session in
                    try session.begin(.serializable)
                    try session.script("LOCK TABLE \(place.schema).\"Baby\" IN ACCESS EXCLUSIVE MODE")
                    signal.finish()
                    gate.wait()
                }
            }
            for await _ in ready {}
            let error = await #expect(throws: StoreError.self) {
                try await store.write { tx in
                    runs.withLock { $0 += 1 }
                    try tx.insertRows(into: "Baby", [place.row("Mia")])
                }
            }
            #expect(error?.code == .busy)
            #expect(runs.withLock { $0 } == 1)
            gate.open()
            try await holder.value
            await administration.close()
            #expect(try await store.read { try $0.countRows(of: "Baby") } == 0)
        }
    }

    @Test("a server with no free connection makes a write busy instead of hanging")
    func exhausted() async throws {
        try await TestPlace.withStore("&poolSize=1&poolTimeout=1") { place, store in
            let gate = Gate()
            let (ready, signal) = AsyncStream.makeStream(of: Void.self)
            let holder = Task {
                defer { signal.finish() }
                try await store.write { tx in
                    try tx.insertRows(into: "Baby", [place.row("Mia")])
                    signal.finish()
                    gate.wait()
                }
            }
            for await _ in ready {}
            let error = await #expect(throws: StoreError.self) {
                try await store.read { try $0.countRows(of: "Baby") }
            }
            #expect(error?.code == .busy)
            #expect(
                error?.message
                    == "No connection came free within 1.0 seconds; all 1 were in use. Shorten the transactions or allow more "
                    + "connections.")
            gate.open()
            try await holder.value
            #expect(try await store.read { try $0.countRows(of: "Baby") } == 1)
        }
    }
}
