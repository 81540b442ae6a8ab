import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardConformance
import Synchronization

/// Stores that are mirrored to a server, by processes that do not live long, and on ways that break.
enum MirrorScenarios {
    static let all = [kill, restart, cut, silent, copies, full, clocks, soak]

    /// Writers that are killed at any moment, also while they mirror a store for the first time.
    private static let kill = Scenario(
        name: "mirror-kill", summary: "processes are killed while they write to mirrored files and exchange",
        usualCount: 40
    ) { trial in
        try await onDurableServer(trial) { url, generator in
            var done = 0
            while trial.effort.goesOn(after: done) {
                let nature = Household.Nature.drawn(rows: trial.rows, using: &generator)
                try await withHousehold(nature, at: url, trial, &generator) { household, generator in
                    for part in 0..<3 {
                        // A device that comes later takes what is there by then.
                        if part == 1 { household.add("late.sqlite") }
                        let before = trial.report.count(of: "kills")
                        try await household.live(.killed, seed: generator.next()) {
                            let kills = trial.report.count(of: "kills")
                            return kills < before + 20 && trial.effort.goesOn(after: kills)
                        }
                        try await household.settle()
                    }
                }
                done = trial.report.count(of: "kills")
            }
        }
        trial.report.require("writes done")
        trial.report.require("kills")
    }

    /// A server that is killed while processes exchange, which are killed, too.
    private static let restart = Scenario(
        name: "mirror-restart", summary: "the server is killed while processes write to mirrored files",
        usualCount: 2
    ) { trial in
        guard let command = PostgresServer.restartCommand else {
            throw MissingPart(description: "it needs a server that Tests/run has started.")
        }
        try await onDurableServer(trial) { url, generator in
            while trial.effort.goesOn(after: trial.report.count(of: "servers killed")) {
                var nature = Household.Nature.drawn(rows: trial.rows, using: &generator)
                nature.life = 2_000
                try await withHousehold(nature, at: url, trial, &generator) { household, generator in
                    for _ in 0..<2 {
                        let (seed, isOver) = (generator.next(), Latch())
                        try await household.live(.killed, seed: generator.next(), while: { !isOver.isRaised })
                        {
                            var generator = SeededGenerator(seed: seed)
                            for _ in 0..<3 {
                                try await Task.sleep(
                                    for: .milliseconds(Int.random(in: 100...1_500, using: &generator)))
                                try await ServerScenarios.restart(command)
                                trial.report.count("servers killed")
                                guard trial.effort.goesOn(after: trial.report.count(of: "servers killed"))
                                else { break }
                            }
                            isOver.raise()
                        }
                        try await household.settle()
                    }
                }
            }
        }
        trial.report.require("writes done")
    }

    /// Ways on which every connection breaks sooner or later.
    private static let cut = Scenario(
        name: "mirror-cut",
        summary: "connections are cut at any byte while processes write to mirrored files",
        usualCount: 120
    ) { trial in
        try await onBrokenWays(trial, atATime: 60, exchanges: 1, settings: "&statementTimeout=20") {
            .breaking(using: &$0)
        }
    }

    /// Ways on which connections fall silent and stay open.
    private static let silent = Scenario(
        name: "mirror-silent",
        summary: "connections fall silent while processes write to mirrored files", usualCount: 3
    ) { trial in
        try await onBrokenWays(
            trial, atATime: 3, exchanges: 4,
            settings: "&statementTimeout=1&connectTimeout=2&transactionTimeout=1"
        ) { .silent(using: &$0) }
    }

    /// Lets processes work on ways that break; every other household's way leads through PgBouncer.
    private static func onBrokenWays(
        _ trial: Trial, atATime faults: Int, exchanges: Int, settings: String,
        _ draw: @escaping @Sendable (inout SeededGenerator) -> FaultProxy.Fault
    ) async throws {
        try await onDurableServer(trial) { url, generator in
            var (households, done) = (0, 0)
            while trial.effort.goesOn(after: done) {
                let pooler = households.isMultiple(of: 2) ? nil : PostgresServer.poolerURL
                var nature = Household.Nature.drawn(rows: trial.rows, using: &generator)
                nature.exchanges = exchanges
                let before = done
                try await ServerScenarios.withProxy(
                    trial, to: pooler, settings: settings + (pooler == nil ? "" : "&pooling=transaction"),
                    draw
                ) { proxy, way in
                    try await withHousehold(nature, at: url, through: way, trial, &generator) {
                        household, generator in
                        for part in 1...3 {
                            try await household.live(.whole, seed: generator.next()) {
                                let count = proxy.faultCount
                                return count < part * faults && trial.effort.goesOn(after: before + count)
                            }
                            try await household.settle()
                        }
                    }
                    done += proxy.faultCount
                }
                trial.report.count(pooler == nil ? "households" : "households behind PgBouncer")
                households += 1
            }
            trial.report.count("faults", done)
        }
        trial.report.require("writes done")
    }

    /// Lends a household at a server's place of its own.
    static func withHousehold(
        _ nature: Household.Nature, at url: String, through way: String? = nil, _ trial: Trial,
        _ generator: inout SeededGenerator,
        _ body: (Household, inout SeededGenerator) async throws -> Void
    ) async throws {
        try await PostgresServer.withSchemaName { schema in
            try await Scratch.with { scratch in
                let household = Household(
                    nature, server: "\(url)&schema=\(schema)", way: way.map { "\($0)&schema=\(schema)" },
                    seed: generator.next(), in: scratch, report: trial.report)
                try await household.fill()
                try await body(household, &generator)
            }
        }
    }

    /// Lends a server that writes to its disk what it has committed.
    static func onDurableServer(
        _ trial: Trial, _ body: (_ url: String, inout SeededGenerator) async throws -> Void
    ) async throws {
        let url = try ServerScenarios.serverURL
        func set(_ settings: KeyValuePairs<String, String>) async throws {
            for (name, value) in settings {
                // It cannot be run in a transaction, as several statements together would be.
                try await PostgresServer.administer("ALTER SYSTEM SET \(name) = \(value)")
            }
            try await PostgresServer.administer("SELECT pg_reload_conf()")
        }
        // A server that recovers syncs its whole directory, which takes seconds file by file.
        try await set(["fsync": "on", "full_page_writes": "on", "recovery_init_sync_method": "syncfs"])
        var generator = SeededGenerator(seed: trial.seed)
        let result: Result<Void, any Error>
        do { result = .success(try await body(url, &generator)) } catch { result = .failure(error) }
        try await set(["fsync": "off", "full_page_writes": "off"])
        try result.get()
    }
}
