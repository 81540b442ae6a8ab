import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardConformance

extension HistoryScenarios {
    /// Writers that are killed at any moment: the rows and the history agree, whatever was under way.
    static let kill = Scenario(
        name: "history-kill", summary: "processes are killed while they write to a store with a history",
        usualCount: 24
    ) { trial in
        var generator = SeededGenerator(seed: trial.seed)
        try await killing(trial, "kills on SQLite", &generator) { scratch, body in
            try await body("sqlite://\(scratch.file("shelves.sqlite"))?readers=0")
        }
        guard let server = PostgresServer.url else { return }
        try await killing(trial, "kills on PostgreSQL", &generator) { _, body in
            try await PostgresServer.withSchemaName { try await body("\(server)&schema=\($0)") }
        }
    }

    private static func killing(
        _ trial: Trial, _ name: String, _ generator: inout SeededGenerator,
        _ place: (Scratch, (_ url: String) async throws -> Void) async throws -> Void
    ) async throws {
        let effort = trial.effort.restarted
        var kills = 0
        // Each audit reads all rows and keeps all journals, so that a long trial has many stores.
        while effort.goesOn(after: kills) {
            try await Scratch.with { scratch in
                try await place(scratch) { url in
                    let before = kills
                    let created = try await Backends.open(url, ShelfSchema.self, keepsHistory: true)
                    var audit = try await HistoryAudit(created, in: scratch, report: trial.report)
                    try await created.close()
                    while kills < before + 200, effort.goesOn(after: kills) {
                        let workers = kills..<kills + 4
                        try await kill(workers, of: url, in: scratch, &generator, trial.report)
                        kills = workers.upperBound
                        let store = try await Backends.open(url, ShelfSchema.self, createsIfMissing: false)
                        try await audit.look(after: workers, at: store)
                        for fault in try await store.check() { trial.report.violation("check: \(fault)") }
                        try await store.close()
                    }
                }
            }
        }
        trial.report.count(name, kills)
        trial.report.require("transactions done")
    }

    /// Starts writers and kills them one after the other.
    private static func kill(
        _ workers: Range<Int>, of url: String, in scratch: Scratch, _ generator: inout SeededGenerator,
        _ report: Report
    ) async throws {
        let children = try workers.map { worker in
            try Child(
                CommandLine.arguments[0],
                [
                    "shelve", "--store", url, "--journal", scratch.journal(worker), "--worker", "\(worker)",
                    "--seed", "\(generator.next())",
                ])
        }
        // Some are killed while they open the store.
        if Int.random(in: 0..<4, using: &generator) > 0 {
            try await awaitWork(of: workers, in: scratch)
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...100, using: &generator)))
        }
        for child in children.shuffled(using: &generator) {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...40, using: &generator)))
            child.kill()
            let ending = await child.ended
            if ending != .signal(SIGKILL) { report.violation("a worker has ended with \(ending)") }
        }
    }

    /// Waits until all workers have begun to write, or have had ten seconds for it.
    private static func awaitWork(of workers: Range<Int>, in scratch: Scratch) async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline,
            try workers.contains(where: { try JournalContents(path: scratch.journal($0)).begun.isEmpty })
        {
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
