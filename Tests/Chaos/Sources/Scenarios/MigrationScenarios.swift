import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import Synchronization

/// Stores whose schema changes in processes that do not live to see the end, that are several, or that have no room.
enum MigrationScenarios {
    static let all = [kill, together, full]

    /// How many rows a store has if nothing else is said.
    private static let usualRows = 2_000

    private static let kill = Scenario(
        name: "migrate-kill", summary: "the process that migrates a store is killed at any moment",
        usualCount: 8
    ) { trial in
        var generator = SeededGenerator(seed: trial.seed)
        for backend in backends {
            let effort = trial.effort.restarted
            var kills = 0
            while effort.goesOn(after: kills) {
                try await withLarder(backend, trial) { larder in
                    // The stages' boundaries first.
                    for news in 1...3 {
                        kills += try await run(larder, ["--ends-at", "\(news)"], nil, trial.report)
                    }
                }
                while effort.goesOn(after: kills) {
                    try await withLarder(backend, trial) { larder in
                        var most = 100_000 + 10 * larder.rows
                        while true {
                            let delay = Int.random(in: 0...most, using: &generator)
                            let isKilled = try await run(larder, [], .microseconds(delay), trial.report) == 1
                            guard isKilled else { break }
                            kills += 1
                            // Each try has longer than the one before, so that one comes to the end.
                            most += most / 2
                        }
                        guard try await larder.look(trial.report) == SchemaVersion(3) else {
                            return trial.report.violation("the migration has not come to its end")
                        }
                        trial.report.count("migrations on \(backend)")
                    }
                }
            }
            trial.report.count("kills on \(backend)", kills)
            trial.report.require("migrations on \(backend)")
        }
    }

    /// Lets a process migrate the store, and kills it after a while.
    ///
    /// - Returns: 1 if it was killed, 0 if it has come to its end.
    private static func run(
        _ larder: Larder, _ words: [String], _ delay: Duration?, _ report: Report
    ) async throws -> Int {
        let child = try Child(CommandLine.arguments[0], ["migrate", "--store", larder.url] + words)
        let alarm = delay.map { delay in
            Task {
                try await Task.sleep(for: delay)
                child.kill()
            }
        }
        let ending = await child.ended
        alarm?.cancel()
        if let version = try await larder.look(report) { report.count("looks at version \(version.major)") }
        if ending != .exit(0), ending != .signal(SIGKILL) {
            report.violation("the process has ended with \(ending)")
        }
        return ending == .signal(SIGKILL) ? 1 : 0
    }

    private static let together = Scenario(
        name: "migrate-twice", summary: "several processes begin the same migration at once", usualCount: 3
    ) { trial in
        for backend in backends {
            let effort = trial.effort.restarted
            var rounds = 0
            while effort.goesOn(after: rounds) {
                try await withLarder(backend, trial) { larder in
                    let children = try (0..<2).map { _ in
                        try Child(CommandLine.arguments[0], ["migrate", "--store", larder.url])
                    }
                    for child in children {
                        let ending = await child.ended
                        if ending != .exit(0) { trial.report.violation("a process has ended with \(ending)") }
                    }
                    guard try await larder.look(trial.report) == SchemaVersion(3) else {
                        return trial.report.violation("the migration has not come to its end")
                    }
                }
                rounds += 1
            }
            trial.report.count("migrations by two on \(backend)", rounds)
        }
    }

    private static let full = Scenario(
        name: "migrate-full", summary: "a store is migrated on a disk without room for it", usualCount: 6
    ) { trial in
        var generator = SeededGenerator(seed: trial.seed)
        var rounds = 0
        while trial.effort.goesOn(after: rounds) {
            try await Scratch.with { scratch in
                let disk = try await MemoryDisk.mount(at: scratch.file("disk"), kibibytes: 8_000)
                let result: Result<Void, any Error>
                do {
                    result = .success(try await fillUp(disk, &generator, trial.report))
                } catch { result = .failure(error) }
                await disk.unmount()
                try result.get()
            }
            rounds += 1
        }
        trial.report.require("migrations without room")
    }

    private static func fillUp(
        _ disk: MemoryDisk, _ generator: inout SeededGenerator, _ report: Report
    ) async throws {
        let larder = Larder(url: "sqlite:\(disk.path)/larder.sqlite", rows: usualRows)
        try await larder.fill()
        let size =
            try FileManager.default.attributesOfItem(atPath: "\(disk.path)/larder.sqlite")[.size] as? Int ?? 0
        try await disk.resize(kibibytes: size / 1_024 + Int.random(in: 60...1_400, using: &generator))
        do {
            try await Backends.registry.open(url: larder.url, migrating: LarderPlan.self).close()
            report.count("migrations with just enough room")
        } catch let error as StoreError where [.full, .inputOutput].contains(error.code) {
            report.count("migrations without room")
        }
        try await disk.resize(kibibytes: 8_000)
        _ = try await larder.look(report)
        let files = try FileManager.default.contentsOfDirectory(atPath: disk.path)
        for file in files where file.hasSuffix(".new") { report.violation("left behind: \(file)") }
        try await Backends.registry.open(url: larder.url, migrating: LarderPlan.self).close()
        if try await larder.look(report) != SchemaVersion(3) { report.violation("not migrated with room") }
    }

    private static var backends: [String] { ["SQLite"] + (PostgresServer.url == nil ? [] : ["PostgreSQL"]) }

    /// Lends a filled store of the first version.
    private static func withLarder(
        _ backend: String, _ trial: Trial, _ body: (Larder) async throws -> Void
    ) async throws {
        let rows = trial.rows > 0 ? trial.rows : usualRows
        if backend == "SQLite" {
            return try await Scratch.with { scratch in
                let larder = Larder(url: "sqlite:\(scratch.file("larder.sqlite"))", rows: rows)
                try await larder.fill()
                try await body(larder)
            }
        }
        guard let server = PostgresServer.url else { return }
        try await PostgresServer.withSchemaName { name in
            let larder = Larder(url: "\(server)&schema=\(name)", rows: rows)
            try await larder.fill()
            try await body(larder)
        }
    }
}
