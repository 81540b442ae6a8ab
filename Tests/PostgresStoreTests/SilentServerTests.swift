import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

/// Servers that fall silent while TCP stays open, as behind a frozen host or a stopped pooler.
///
/// A wait without a bound shows as a test that runs into its time limit.
@Suite("A server that stops answering", .needsServer, .timeLimit(.minutes(2)))
struct SilentServerTests {
    /// Bounds short enough for a test, and long enough for a busy machine.
    private static let options = {
        var options = SessionOptions()
        options.statementTimeout = .seconds(1)
        options.patience = .seconds(1)
        return options
    }()

    private func withPool(
        size: Int = 1, options: SessionOptions = options,
        _ body: (ConnectionPool, FaultProxy) async throws -> Void
    ) async throws {
        try await FaultProxy.with { proxy in
            let pool = try TestServer.pool(
                proxy.parameters, options: options, limits: ConnectionPool.Limits(size: size))
            try await body(pool, proxy)
            await pool.close()
            #expect(pool.count == 0)
        }
    }

    /// The error of a transaction that asks the server once, and once more when the server is silent.
    private func failure(
        _ pool: ConnectionPool, _ proxy: FaultProxy, _ body: @escaping @Sendable (Session) throws -> Void
    ) async -> StoreError? {
        await #expect(throws: StoreError.self) {
            try await pool.run { session in
                try session.begin(.serializable)
                _ = try session.cell("SELECT 1")
                proxy.setFaultOfOpenConnections(.init(.silence))
                try body(session)
            }
        }
    }

    // MARK: In use

    @Test(
        "a silent server fails the statements that wait for it, and an exhausted pool opens new connections")
    func wedge() async throws {
        try await withPool(size: 4) { pool, proxy in
            let (ready, signal) = AsyncStream.makeStream(of: Void.self)
            let gate = Gate()
            let users = (0..<4).map { _ in
                Task {
                    try await pool.run { session in
                        try session.begin(.serializable)
                        _ = try session.cell("SELECT 1")
                        signal.yield()
                        gate.wait()
                        _ = try session.cell("SELECT 2")
                    }
                }
            }
            var begun = ready.makeAsyncIterator()
            for _ in 0..<4 { await begun.next() }
            proxy.setFaultOfOpenConnections(.init(.silence))
            gate.open()
            // The fifth waits for one of the four.
            let next = try await pool.run { try $0.cell("SELECT 5") }
            #expect(next == .integer(5))
            for user in users {
                let error = await #expect(throws: StoreError.self) { try await user.value }
                #expect(error?.code == .connectionLost)
                // It says how long it waited, which is longer on a busy machine.
                let message = try #require(error?.message)
                #expect(message.hasPrefix("The PostgreSQL server did not answer within "))
                #expect(message.hasSuffix(" s; the transaction was not carried out. Run it again."))
            }
        }
    }

    @Test("a server that falls silent during a stream ends the stream")
    func stream() async throws {
        try await withPool { pool, proxy in
            let error = await failure(pool, proxy) { session in
                proxy.setFaultOfOpenConnections(.init(.silence, .afterBytes(100_000)))
                try session.forEachRow("SELECT generate_series(1, 1000000)") { _ in true }
            }
            #expect(error?.code == .connectionLost)
        }
    }

    @Test("a server that falls silent after a swallowed error is a lost connection")
    func swallowed() async throws {
        try await withPool { pool, proxy in
            let error = await failure(pool, proxy) { session in
                func ask() throws {
                    var batch = WireBatch(types: [.int8])
                    try withUnsafePointer(to: Cell(integer: 1)) { cell in
                        try batch.append(UnsafeBufferPointer(start: cell, count: 1))
                    }
                    try session.executeAhead("SELECT n FROM unnest($1) AS n", batch) { _ in
                    } _: { _ in
                    }
                }
                try? ask()
                try ask()
            }
            #expect(error?.code == .connectionLost)
        }
    }

    @Test("a server that stops accepting a COPY ends it")
    func copy() async throws {
        try await withPool { pool, proxy in
            let error = await failure(pool, proxy) { session in
                proxy.setFaultOfOpenConnections(.init(.silence, .beforeRequest("rows and rows")))
                try session.script("CREATE TEMPORARY TABLE t (s text)")
                _ = try session.copyIn("t (s)", types: [.text]) { copy in
                    var writer = RowWriter(context: ErrorContext(entity: "t", attributes: []))
                    while true {
                        writer.reset()
                        try StoredValue.text("rows and rows").withCell { cell in
                            writer.write(cell.kind, bytes: cell.bytes)
                        }
                        try writer.withCells { try copy.write($0) }
                    }
                }
            }
            #expect(error?.code == .connectionLost)
        }
    }

    @Test("a silent ROLLBACK costs the connection, and keeps the original error")
    func rollback() async throws {
        struct Stop: Error {}
        try await withPool { pool, proxy in
            await #expect(throws: Stop.self) {
                try await pool.run { session in
                    try session.begin(.serializable)
                    _ = try session.cell("SELECT 1")
                    proxy.setFaultOfOpenConnections(.init(.silence))
                    throw Stop()
                }
            }
            let next = try await pool.run { try $0.cell("SELECT 2") }
            #expect(next == .integer(2))
        }
    }

    @Test(
        "a silent idle connection costs itself and no transaction, whatever the statement timeout"
    )
    func idle() async throws {
        var options = Self.options
        options.statementTimeout = .seconds(3_600)
        options.trust = .zero
        try await withPool(size: 2, options: options) { pool, proxy in
            let ask: @Sendable (Session) throws -> TestCell = { session in
                try session.begin(.serializable)
                let cell = try session.cell("SELECT 1")
                try session.commit()
                return cell
            }
            _ = try await pool.run(ask)
            proxy.setFaultOfOpenConnections(.init(.silence))
            let answer = try await pool.run(ask)
            #expect(answer == .integer(1))
            #expect(pool.count == 1)
            #expect(proxy.connectionCount == 2)
        }
    }

    @Test("an unanswered ROLLBACK of a read costs that connection, and no transaction")
    func idleAfterRead() async throws {
        try await withPool(size: 2) { pool, proxy in
            try await pool.run { session in
                try session.begin(.snapshot)
                _ = try session.cell("SELECT 1")
                proxy.setFaultOfOpenConnections(.init(.silence))
                try session.endRead()
            }
            let answer = try await pool.run { try $0.cell("SELECT 2") }
            #expect(answer == .integer(2))
        }
    }

    @Test("a silent server does not delay a cancelled task, even if cancel requests fail")
    func cancellation() async throws {
        var options = Self.options
        options.statementTimeout = .seconds(3_600)
        try await withPool(options: options) { pool, proxy in
            let (ready, signal) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await pool.run { session in
                    try session.begin(.serializable)
                    _ = try session.cell("SELECT 1")
                    proxy.setFaultOfOpenConnections(.init(.silence))
                    proxy.setFaultOfNewConnections { .init(.silence) }
                    signal.finish()
                    _ = try session.cell("SELECT 2")
                }
            }
            for await _ in ready {}
            task.cancel()
            #expect(await #expect(throws: StoreError.self) { try await task.value }?.code == .cancelled)
            proxy.setFaultOfNewConnections { nil }
            let next = try await pool.run { try $0.cell("SELECT 3") }
            #expect(next == .integer(3))
        }
    }

    @Test("a pool whose connections all wait names the silent server in its error")
    func exhausted() async throws {
        var options = Self.options
        options.statementTimeout = .seconds(20)
        try await FaultProxy.with { proxy in
            let pool = try TestServer.pool(
                proxy.parameters, options: options,
                limits: ConnectionPool.Limits(size: 1, wait: .seconds(3)))
            let (ready, signal) = AsyncStream.makeStream(of: Void.self)
            let user = Task {
                try await pool.run { session in
                    try session.begin(.serializable)
                    _ = try session.cell("SELECT 1")
                    proxy.setFaultOfOpenConnections(.init(.silence))
                    signal.finish()
                    _ = try session.cell("SELECT 2")
                }
            }
            for await _ in ready {}
            let error = await #expect(throws: FinalError.self) { try await pool.run { _ in } }
            #expect(error?.storeError.code == .busy)
            #expect(
                error?.storeError.message
                    == "No connection came free within 3.0 seconds; all 1 were in use, 1 of them waiting for a server that "
                    + "does not answer. Check the server and the network to it.")
            proxy.closeConnections()
            #expect(await #expect(throws: StoreError.self) { try await user.value }?.code == .connectionLost)
            await pool.close()
        }
    }

    // MARK: At the commit

    @Test("a server silent at a completed COMMIT leaves the outcome unknown, and reveals it later")
    func commit() async throws {
        try await TestPlace.withStore { place, observer in
            try await FaultProxy.with { proxy in
                let store = try await TestPlace.open(
                    proxy.url(of: place, "&statementTimeout=1"), version: 1)
                let operation = OperationID()
                proxy.setFaultOfOpenConnections(
                    .init(.silence, .afterRequest("COMMIT")))
                let error = await #expect(throws: StoreError.self) {
                    try await store.write(WriteOptions(operation: operation)) {
                        try $0.insertRows(into: "Baby", [place.row("Mia")])
                    }
                }
                #expect(error?.code == .outcomeUnknown)
                #expect(error?.operation == operation)
                #expect(error?.debugDescription.contains("was not carried out") == false)
                #expect(try await store.wasCommitted(operation))
                #expect(try await observer.read { try $0.countRows(of: "Baby") } == 1)
                try await store.close()
            }
        }
    }

    @Test("followers learn of a completed COMMIT whose answer is lost")
    func followedCommit() async throws {
        try await TestPlace.withStore { place, observer in
            try await observer.keepHistory()
            try await FaultProxy.with { proxy in
                let store = try await TestPlace.open(
                    proxy.url(of: place, "&statementTimeout=1"), version: 1)
                var counts = store.observe { try $0.countRows(of: "Baby") }.makeAsyncIterator()
                #expect(try await counts.next() == 0)
                proxy.setFaultOfOpenConnections(.init(.silence, .afterRequest("COMMIT")))
                let error = await #expect(throws: StoreError.self) {
                    try await store.write { try $0.insertRows(into: "Baby", [place.row("Mia")]) }
                }
                #expect(error?.code == .outcomeUnknown)
                while let count = try await counts.next(), count != 1 {}
                #expect(try await observer.read { try $0.countRows(of: "Baby") } == 1)
                try await store.close()
            }
        }
    }

    @Test(
        "a server silent at a COMMIT it never got leaves the outcome unknown, and reveals it later")
    func lostCommit() async throws {
        try await TestPlace.withStore { place, observer in
            try await FaultProxy.with { proxy in
                let store = try await TestPlace.open(
                    proxy.url(of: place, "&statementTimeout=1"), version: 1)
                let operation = OperationID()
                proxy.setFaultOfOpenConnections(.init(.silence, .beforeRequest("COMMIT")))
                let error = await #expect(throws: StoreError.self) {
                    try await store.write(WriteOptions(operation: operation)) {
                        try $0.insertRows(into: "Baby", [place.row("Mia")])
                    }
                }
                #expect(error?.code == .outcomeUnknown)
                proxy.closeConnections()
                #expect(try await !store.wasCommitted(operation))
                #expect(try await observer.read { try $0.countRows(of: "Baby") } == 0)
                try await store.close()
            }
        }
    }

    @Test("a task cancelled at a silent COMMIT learns that the outcome is unknown")
    func cancelledCommit() async throws {
        var options = Self.options
        options.statementTimeout = .seconds(3_600)
        try await withPool(options: options) { pool, proxy in
            _ = try await pool.run { _ in }
            proxy.setFaultOfOpenConnections(.init(.silence, .beforeRequest("COMMIT")))
            let task = Task {
                try await pool.run { session in
                    try session.begin(.serializable)
                    _ = try session.cell("SELECT 1")
                    try session.commit()
                }
            }
            while proxy.faultCount == 0 {
                try Task.checkCancellation()
                await Task.yield()
            }
            task.cancel()
            #expect(await #expect(throws: StoreError.self) { try await task.value }?.code == .outcomeUnknown)
        }
    }

    // MARK: While connecting

    @Test(
        "a server silent during connection is abandoned after the connect timeout",
        arguments: [0, 5, 9, 100, 300])
    func connecting(bytes: Int) async throws {
        try await refusesToConnect(FaultProxy.Fault(.silence, .afterBytes(bytes)))
    }

    @Test(
        "a server silent after authentication is abandoned after the connect timeout")
    func settings() async throws {
        try await refusesToConnect(FaultProxy.Fault(.silence, .beforeRequest("set_config")))
    }

    private func refusesToConnect(_ fault: FaultProxy.Fault) async throws {
        try await FaultProxy.with { proxy in
            proxy.setFaultOfNewConnections { fault }
            var parameters = try proxy.parameters
            parameters["connect_timeout"] = "1"
            let pool = try TestServer.pool(parameters)
            let error = await #expect(throws: StoreError.self) { try await pool.run { _ in } }
            #expect(error?.code == .connectionLost)
            #expect(
                error?.message
                    == "The PostgreSQL server at 127.0.0.1, port \(proxy.port) did not answer within 1 s; check the address "
                    + "and that the server is running.")
            await pool.close()
        }
    }

    // MARK: Closing

    @Test("a silent server does not delay the closing of a store")
    func closing() async throws {
        try await FaultProxy.with { proxy in
            let pool = try TestServer.pool(
                proxy.parameters, options: Self.options, limits: ConnectionPool.Limits(size: 2))
            let (ready, signal) = AsyncStream.makeStream(of: Void.self)
            let users = (0..<2).map { _ in
                Task {
                    try await pool.run { session in
                        try session.begin(.serializable)
                        _ = try session.cell("SELECT 1")
                        signal.yield()
                        _ = try session.rows("SELECT pg_sleep(600)")
                    }
                }
            }
            var begun = ready.makeAsyncIterator()
            for _ in 0..<2 { await begun.next() }
            proxy.setFaultOfOpenConnections(.init(.silence))
            await pool.close()
            #expect(pool.count == 0)
            for user in users {
                #expect(
                    await #expect(throws: StoreError.self) { try await user.value }?.code == .connectionLost)
            }
        }
    }
}
