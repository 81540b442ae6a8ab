import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("The pool of connections", .needsServer)
struct ConnectionPoolTests {
    /// Takes a connection and keeps it until the gate opens; returns once it has it.
    private func hold(_ pool: ConnectionPool, until gate: Gate) async -> Task<Void, any Error> {
        let (ready, signal) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            defer { signal.finish() }
            try await pool.run { _ in
                signal.finish()
                gate.wait()
            }
        }
        for await _ in ready {}
        return task
    }

    @Test(
        "the connection pool opens nothing before its first use, and reuses one connection for sequential users"
    )
    func lazy() async throws {
        let pool = try TestServer.pool()
        #expect(pool.count == 0)
        let first = try await pool.run { try $0.backend }
        let second = try await pool.run { try $0.backend }
        #expect(first == second)
        #expect(pool.count == 1)
        await pool.close()
        #expect(pool.count == 0)
    }

    @Test("the connection pool serves more users than it has connections")
    func users() async throws {
        try await TestServer.withSchema(limits: ConnectionPool.Limits(size: 3)) { pool, _ in
            try await pool.run { try $0.script("CREATE TABLE t (n int8)") }
            try await withThrowingTaskGroup { group in
                for user in 0..<8 {
                    group.addTask {
                        for round in 0..<50 {
                            try await pool.run { session in
                                try session.begin(.snapshot)
                                session.rollback()
                                _ = try session.execute(
                                    "INSERT INTO t VALUES (\(user * 100 + round))", isCached: false)
                            }
                            #expect(pool.count <= 3)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(
                try await pool.run { try $0.rows("SELECT count(*), count(DISTINCT n) FROM t") } == [
                    [.integer(400), .integer(400)]
                ])
        }
    }

    @Test("every waiter times out with busy, and the next one is served")
    func exhausted() async throws {
        let pool = try TestServer.pool(limits: ConnectionPool.Limits(size: 1, wait: .milliseconds(20)))
        // Connecting may take longer than that, too.
        while (try? await pool.run { _ in }) == nil {}
        let gate = Gate()
        let holder = await hold(pool, until: gate)
        for _ in 0..<2 {
            let waiters = (0..<3).map { _ in Task { try await pool.run { _ in } } }
            for waiter in waiters {
                let error = await #expect(throws: FinalError.self) { try await waiter.value }
                #expect(error?.storeError.code == .busy)
            }
        }
        #expect(pool.waiting == 0)
        gate.open()
        try await holder.value
        #expect(try await pool.run { try $0.cell("SELECT 1") } == .integer(1))
        await pool.close()
    }

    @Test(
        "a waiter gets a connection of the pool if the server has no room for another",
        .timeLimit(.minutes(1)))
    func crowdedServer() async throws {
        let role = PostgresServer.newSchemaName()
        try await PostgresServer.administer("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 2")
        var parameters = try TestServer.parameters()
        parameters["user"] = role
        let pool = try TestServer.pool(parameters, limits: ConnectionPool.Limits(size: 4))
        let gate = Gate()
        let holders = [await hold(pool, until: gate), await hold(pool, until: gate)]
        let waiters = (0..<4).map { _ in Task { try await pool.run { try $0.cell("SELECT 1") } } }
        // Refused by the server, and still waiting.
        while pool.waiting < 4 || pool.count > 2 {
            try Task.checkCancellation()
            await Task.yield()
        }
        gate.open()
        for holder in holders { try await holder.value }
        for waiter in waiters { #expect(try await waiter.value == .integer(1)) }
        await pool.close()
        try await PostgresServer.administer("DROP ROLE \(role)")
    }

    @Test(
        "a waiter that times out learns why",
        arguments: [
            (4, 0, 0, false, "all 4 were in use. Shorten the transactions or allow more connections."),
            (
                2, 0, 0, true,
                "2 of 4 were in use, and the server allows no more. Shorten the transactions or raise the server's "
                    + "max_connections."
            ),
            (
                1, 1, 3, false,
                "1 of 4 were in use, 1 of them waiting for a server that does not answer, and 3 more could not be opened in "
                    + "that time. Check the server and the network to it."
            ),
        ])
    func reasons(used: Int, silent: Int, opening: Int, isCrowded: Bool, reason: String) {
        let error = FinalError(
            ConnectionPool.Limits(size: 4, wait: .seconds(30)),
            PoolState.Occupancy(used: used, silent: silent, opening: opening, isCrowded: isCrowded))
        #expect(error.storeError.code == .busy)
        #expect(error.storeError.message == "No connection came free within 30.0 seconds; \(reason)")
    }

    @Test("a cancelled waiter leaves the queue")
    func cancelledWaiter() async throws {
        let pool = try TestServer.pool(limits: ConnectionPool.Limits(size: 1))
        let gate = Gate()
        let holder = await hold(pool, until: gate)
        let waiter = Task { try await pool.run { _ in } }
        waiter.cancel()
        #expect(await #expect(throws: StoreError.self) { try await waiter.value }?.code == .cancelled)
        gate.open()
        try await holder.value
        #expect(try await pool.run { try $0.cell("SELECT 1") } == .integer(1))
        await pool.close()
    }

    @TaskLocal private static var mark = 0

    @Test("work runs in its caller's task, after a wait or without one")
    func taskLocals() async throws {
        let pool = try TestServer.pool(limits: ConnectionPool.Limits(size: 1))
        let seen = Monitor<Set<Int>>([])
        try await withThrowingTaskGroup { group in
            for number in 1...8 {
                group.addTask {
                    try await Self.$mark.withValue(number) {
                        try await pool.run { _ in
                            _ = seen.withLock { $0.insert(Self.mark) }
                            #expect(withUnsafeCurrentTask { $0 != nil })
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(seen.withLock { $0 } == Set(1...8))
        await pool.close()
    }

    @Test(
        "users cancelled at any moment lose no connection and leave nobody waiting",
        .timeLimit(.minutes(1)))
    func cancelledUsers() async throws {
        let pool = try TestServer.pool(limits: ConnectionPool.Limits(size: 3))
        let served = Monitor(0)
        await withTaskGroup { group in
            for user in 0..<24 {
                group.addTask {
                    for round in 0..<40 {
                        let task = Task {
                            try await pool.run { session in
                                _ = try session.cell("SELECT 1")
                                served.withLock { $0 += 1 }
                            }
                        }
                        for _ in 0..<(user * round % 7) { await Task.yield() }
                        if (user + round) % 2 == 0 { task.cancel() }
                        _ = await task.result
                    }
                }
            }
        }
        // Users that were not cancelled were served.
        #expect(served.withLock { $0 } >= 24 * 20)
        #expect(pool.waiting == 0)
        #expect(pool.count <= 3)
        let gate = Gate()
        let holders = [await hold(pool, until: gate), await hold(pool, until: gate)]
        #expect(try await pool.run { try $0.cell("SELECT 1") } == .integer(1))
        gate.open()
        for holder in holders { try await holder.value }
        await pool.close()
    }

    @Test("waiters are served in the order in which they came")
    func order() async throws {
        let pool = try TestServer.pool(limits: ConnectionPool.Limits(size: 1))
        let gate = Gate()
        let holder = await hold(pool, until: gate)
        let served = Monitor<[Int]>([])
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<5 {
            tasks.append(Task { try await pool.run { _ in served.withLock { $0.append(number) } } })
            while pool.waiting < number + 1 { await Task.yield() }
        }
        gate.open()
        try await holder.value
        for task in tasks { try await task.value }
        #expect(served.withLock { $0 } == [0, 1, 2, 3, 4])
        await pool.close()
    }

    @Test("a connection that died while idle is replaced before its user notices")
    func deadIdle() async throws {
        let pool = try TestServer.pool(limits: ConnectionPool.Limits(size: 1))
        let first = try await pool.run { try $0.backend }
        let killer = try TestServer.pool()
        try await killer.run { try $0.terminate(first) }
        let second = try await pool.run { try $0.backend }
        #expect(second != first)
        #expect(pool.count == 1)
        await killer.close()
        await pool.close()
    }

    @Test("a connection that dies before its transaction has begun is replaced, once")
    func deadAtBegin() async throws {
        let pool = try TestServer.pool(limits: ConnectionPool.Limits(size: 1))
        let first = try await pool.run { try $0.backend }
        let runs = Monitor(0)
        let second = try await pool.run { session in
            let isFirst = runs.withLock { runs in
                runs += 1
                return runs == 1
            }
            if isFirst { try TestServer.otherSession().terminate(first) }
            try session.begin(.snapshot)
            let pid = try session.backend
            try session.commit()
            return pid
        }
        #expect(second != first)
        #expect(runs.withLock { $0 } == 2)
        let error = await #expect(throws: StoreError.self) {
            try await pool.run { session in
                let pid = try session.backend
                try session.begin(.snapshot)
                try TestServer.otherSession().terminate(pid)
                _ = try session.cell("SELECT 1")
            }
        }
        #expect(error?.code == .connectionLost)
        await pool.close()
    }

    @Test("every waiter learns that the server cannot be reached")
    func unreachable() async throws {
        var parameters = ConnectionParameters()
        parameters["host"] = "127.0.0.1"
        parameters["port"] = "1"
        let pool = try TestServer.pool(parameters, limits: ConnectionPool.Limits(size: 2))
        await withTaskGroup { group in
            for _ in 0..<6 {
                group.addTask {
                    let error = await #expect(throws: StoreError.self) { try await pool.run { _ in } }
                    #expect(error?.code == .connectionLost)
                }
            }
        }
        #expect(pool.count == 0)
        await pool.close()
    }

    @Test("closing the pool rejects waiters, waits for connections in use, and then closes all")
    func close() async throws {
        let pool = try TestServer.pool(limits: ConnectionPool.Limits(size: 1))
        let gate = Gate()
        let holder = await hold(pool, until: gate)
        let waiter = Task { try await pool.run { _ in } }
        while pool.waiting == 0 { await Task.yield() }
        let closing = Task { await pool.close() }
        #expect(await #expect(throws: StoreError.self) { try await waiter.value }?.code == .closed)
        #expect(await #expect(throws: StoreError.self) { try await pool.run { _ in } }?.code == .closed)
        gate.open()
        try await holder.value
        await closing.value
        #expect(pool.count == 0)
        await pool.close()
    }

    @Test("closing the pool waits for connections that are kept apart, and opens no more of them")
    func apart() async throws {
        let pool = try TestServer.pool()
        let connection = try await pool.openApart()
        #expect(pool.count == 0)
        let order = Monitor<[String]>([])
        let closing = Task {
            await pool.close()
            order.withLock { $0.append("pool") }
        }
        while !pool.isClosed { await Task.yield() }
        let error = await #expect(throws: StoreError.self) { _ = try await pool.openApart() }
        #expect(error?.code == .closed)
        // A pool that did not wait would be closed by the time that these are answered.
        for _ in 0..<100 { _ = try await connection.perform { try $0.backend }.result?.get() }
        order.withLock { $0.append("connection") }
        await pool.closeApart(connection)
        await closing.value
        #expect(order.withLock { $0 } == ["connection", "pool"])
    }

    @Test("idle connections are closed after a while")
    func reaping() async throws {
        let pool = try TestServer.pool(limits: ConnectionPool.Limits(size: 2, idle: .milliseconds(1)))
        try await pool.run { _ in }
        while pool.count > 0 { await Task.yield() }
        #expect(try await pool.run { try $0.cell("SELECT 1") } == .integer(1))
        await pool.close()
    }
}
