import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardConformance
import Synchronization

/// A PostgreSQL server, and the way to it.
enum ServerScenarios {
    static let all = [cuts, silences, backends, restarts]

    static let cuts = Scenario(
        name: "cuts",
        summary: "connections are cut, half closed, stalled, or lose the answer to a COMMIT", usualCount: 120
    ) { trial in
        try await throughProxy(trial, settings: "&statementTimeout=20") {
            .breaking(using: &$0)
        }
        trial.report.require("swallowed commits")
    }

    static let silences = Scenario(
        name: "silences", summary: "the server says nothing any more, on connections that stay open",
        usualCount: 10
    ) { trial in
        try await throughProxy(trial, settings: "&statementTimeout=1&connectTimeout=2") {
            .silent(using: &$0)
        }
        trial.report.require("silences")
        trial.report.require("late commits")
    }

    static let backends = Scenario(
        name: "backends", summary: "the server's processes for connections are terminated", usualCount: 40
    ) { trial in
        try await posting(trial, at: try serverURL, faults: "terminated backends") { schema, _ in
            try await PostgresServer.administer(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
                ORDER BY random() LIMIT 1
                """)
        }
    }

    static let restarts = Scenario(
        name: "restarts", summary: "the server is killed and started again", usualCount: 3
    ) { trial in
        guard let command = PostgresServer.restartCommand else {
            throw MissingPart(description: "it needs a server that Tests/run has started.")
        }
        try await posting(trial, at: try serverURL, faults: "restarts") { _, generator in
            try await Task.sleep(for: .milliseconds(Int.random(in: 200...1_500, using: &generator)))
            try await restart(command)
        }
    }

    /// Kills the server, and starts it again.
    static func restart(_ command: String) async throws {
        guard await (try Child(command, [])).ended == .exit(0) else {
            throw MissingPart(description: "the server has not started again.")
        }
    }

    static var serverURL: String {
        get throws {
            guard let url = PostgresServer.url else {
                throw MissingPart(description: "it \(PostgresServer.need).")
            }
            return url
        }
    }

    /// Posts through a proxy until enough has happened.
    private static func throughProxy(
        _ trial: Trial, settings: String,
        _ draw: @escaping @Sendable (inout SeededGenerator) -> FaultProxy.Fault
    ) async throws {
        try await withProxy(trial, settings: settings, draw) { proxy, place in
            try await posting(trial, at: place, verifiedAt: try serverURL) { _, _ in
                // The proxy makes the faults; what is waited for is that it has made them.
                let before = proxy.faultCount
                while proxy.faultCount == before { try await Task.sleep(for: .milliseconds(10)) }
            }
        }
    }

    /// Lends a way to the server, or to another one on a socket, on which connections break, as a URL.
    static func withProxy(
        _ trial: Trial, to server: String? = nil, settings: String,
        _ draw: @escaping @Sendable (inout SeededGenerator) -> FaultProxy.Fault?,
        _ body: (_ proxy: FaultProxy, _ url: String) async throws -> Void
    ) async throws {
        guard let words = URLComponents(string: try server ?? serverURL), let items = words.queryItems,
            let directory = items.first(where: { $0.name == "host" })?.value,
            let port = items.first(where: { $0.name == "port" })?.value.flatMap({ Int($0) })
        else { throw MissingPart(description: "it needs a server with a socket.") }
        let generator = Mutex(SeededGenerator(seed: trial.seed))
        let proxy = try FaultProxy(host: directory, port: port) { trial.report.count($0.name) }
        defer { proxy.stop() }
        proxy.setFaultOfNewConnections { generator.withLock { draw(&$0) } }
        try await body(
            proxy,
            "postgres://\(words.user ?? "")@127.0.0.1:\(proxy.port)\(words.path)?sslmode=disable\(settings)")
    }

    /// Lets tasks post to a store while faults happen, one after the other, and then looks at what is there.
    private static func posting(
        _ trial: Trial, at url: String, verifiedAt direct: String? = nil, faults name: String? = nil,
        _ fault: @escaping @Sendable (_ schema: String, inout SeededGenerator) async throws -> Void
    ) async throws {
        let tasks = 6
        try await PostgresServer.withSchemaName { schema in
            try await Scratch.with { scratch in
                // Made where nothing disturbs it.
                try await Backends.open("\(direct ?? url)&schema=\(schema)").close()
                let store = try await opened("\(url)&schema=\(schema)&poolSize=4")
                let isOver = Latch()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for worker in 0..<tasks {
                        let journal = try Journal(path: scratch.journal(worker))
                        group.addTask {
                            var generator = SeededGenerator(seed: trial.seed &+ UInt64(worker) &+ 1)
                            let work = LedgerWork(
                                store: store, worker: worker, journal: journal, bound: .seconds(120))
                            var number = 0
                            while !isOver.isRaised {
                                await work.post(number, using: &generator)
                                number += 1
                            }
                        }
                    }
                    var generator = SeededGenerator(seed: trial.seed)
                    var done = 0
                    while trial.effort.goesOn(after: done) {
                        try await fault(schema, &generator)
                        done += 1
                        try await Task.sleep(for: .milliseconds(Int.random(in: 0...30, using: &generator)))
                    }
                    if let name { trial.report.count(name, done) }
                    isOver.raise()
                    try await group.waitForAll()
                }
                try await store.close()
                let audit = try LedgerAudit(workers: 0..<tasks, in: scratch, report: trial.report)
                audit.countWork()
                let verified = try await Backends.open("\(direct ?? url)&schema=\(schema)")
                try await audit.verify(verified)
                try await verified.close()
            }
        }
        trial.report.require("posts done")
    }

    /// Opens a store at a place where connections break; what breaks an opening is no fault of the store.
    private static func opened(_ url: String) async throws -> any Store {
        for _ in 0..<50 {
            do {
                return try await Backends.open(url)
            } catch let error as StoreError
                where [.connectionLost, .outcomeUnknown, .busy].contains(error.code)
            {
                continue
            }
        }
        throw MissingPart(description: "no opening has come through the faults.")
    }
}
