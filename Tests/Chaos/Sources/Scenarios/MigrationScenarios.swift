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
        usualCount: 24
    ) { trial in
        var generator = SeededGenerator(seed: trial.seed)
        for backend in CopiedBackend.available {
            // Once without scopes and a history, and once with both.
            for scopes in [[], Larder.scopes] {
                try await kill(backend, scopes, trial, &generator)
            }
            trial.report.require("migrations on \(backend.rawValue)")
        }
    }

    /// Kills half of the processes, on stores with scopes or on stores without.
    private static func kill(
        _ backend: CopiedBackend, _ scopes: [StoreScope], _ trial: Trial,
        _ generator: inout SeededGenerator
    ) async throws {
        let effort = trial.effort.half
        try await withLarder(backend, scopes, trial: trial) { original in
            var kills = 0
            // How long a process takes that is not killed.
            let start = ContinuousClock.now
            try await original.withCopy(on: backend) { _ = try await run($0, [], nil, trial.report) }
            let whole = start.duration(to: .now)
            // The stages' boundaries: before the first, and after each one; a process reaches one of them.
            try await original.withCopy(on: backend) { larder in
                for news in [1] + LarderPlan.stages.map({ _ in 3 }) {
                    kills += try await run(larder, ["--ends-at", "\(news)"], nil, trial.report)
                }
                _ = try await run(larder, [], nil, trial.report)
                guard try await larder.isMigrated(trial.report) else {
                    return trial.report.violation("a process has not come to the end of a stage")
                }
                trial.report.count("migrations on \(backend.rawValue)")
            }
            while effort.goesOn(after: kills) {
                try await original.withCopy(on: backend) { larder in
                    var most = whole / 3
                    while true {
                        let delay = most * Double.random(in: 0...1, using: &generator)
                        guard try await run(larder, [], delay, trial.report) == 1 else { break }
                        kills += 1
                        // Each try has longer than the one before, so that one comes to the end.
                        most = most * 1.2
                    }
                    guard try await larder.isMigrated(trial.report) else {
                        return trial.report.violation("the migration has not come to its end")
                    }
                    trial.report.count("migrations on \(backend.rawValue)")
                }
            }
            trial.report.count("kills on \(backend.rawValue)", kills)
        }
    }

    /// Lets a process migrate the store, and kills it after a while.
    ///
    /// - Returns: 1 if it was killed, 0 if it has come to its end.
    private static func run(
        _ larder: Larder, _ words: [String], _ delay: Duration?, _ report: Report
    ) async throws -> Int {
        let child = try Child(CommandLine.arguments[0], larder.migrating + words)
        let alarm = delay.map { delay in
            Task {
                try await Task.sleep(for: delay)
                child.kill()
            }
        }
        let ending = await child.ended
        alarm?.cancel()
        if let (version, role) = try await larder.look(report) {
            report.count("looks at version \(version.major)\(role == .active ? "" : ", \(role.rawValue)")")
        }
        if ending != .exit(0), ending != .signal(SIGKILL) {
            report.violation("the process has ended with \(ending)")
        }
        return ending == .signal(SIGKILL) ? 1 : 0
    }

    private static let together = Scenario(
        name: "migrate-twice", summary: "several processes begin the same migration at once", usualCount: 3
    ) { trial in
        for backend in CopiedBackend.available {
            let effort = trial.effort.restarted
            var rounds = 0
            while effort.goesOn(after: rounds) {
                try await withLarder(backend, trial: trial) { larder in
                    let children = try (0..<2).map { _ in
                        try Child(CommandLine.arguments[0], larder.migrating)
                    }
                    for child in children {
                        let ending = await child.ended
                        if ending != .exit(0) { trial.report.violation("a process has ended with \(ending)") }
                    }
                    guard try await larder.isMigrated(trial.report) else {
                        return trial.report.violation("the migration has not come to its end")
                    }
                }
                rounds += 1
            }
            trial.report.count("migrations by two on \(backend.rawValue)", rounds)
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
        try await disk.resize(kibibytes: size / 1_024 + Int.random(in: 60...4_000, using: &generator))
        do {
            try await Backends.registry.open(url: larder.url, migrating: LarderPlan.self).close()
            report.count("migrations with just enough room")
        } catch let error as StoreError where [.full, .inputOutput].contains(error.code) {
            report.count("migrations without room")
        }
        try await disk.resize(kibibytes: 8_000)
        try await larder.look(report)
        let files = try FileManager.default.contentsOfDirectory(atPath: disk.path)
        for file in files where file.hasSuffix(".new") { report.violation("left behind: \(file)") }
        try await Backends.registry.open(url: larder.url, migrating: LarderPlan.self).close()
        if try await !larder.isMigrated(report) { report.violation("not migrated with room") }
    }

    /// Lends a filled store of the first version.
    private static func withLarder(
        _ backend: CopiedBackend, _ scopes: [StoreScope] = [], trial: Trial,
        _ body: (Larder) async throws -> Void
    ) async throws {
        try await backend.withPlace { url in
            let rows = trial.rows > 0 ? trial.rows : usualRows
            let larder = Larder(url: url, rows: rows, scopes: scopes)
            try await larder.fill()
            try await body(larder)
        }
    }
}
