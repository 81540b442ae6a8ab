import Foundation
import MemoryStore
import PostgresTestServer
import Switchyard
import SwitchyardConformance

/// Tasks of one process that are cancelled, and stores that are closed under them.
enum TaskScenarios {
    static let all = [cancellations, closings]

    /// A cancelled write has written nothing, or its outcome is told.
    static let cancellations = Scenario(
        name: "cancellations", summary: "writes are cancelled at any moment, on each backend", usualCount: 150
    ) { trial in
        try await onEachBackend(trial) { url, scratch, seed in
            let store = try await Backends.open(url)
            var generator = SeededGenerator(seed: seed)
            var (next, number) = (0, 0)
            let effort = trial.effort.restarted
            while effort.goesOn(after: number) {
                let workers = next..<next + 12
                next = workers.upperBound
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for worker in workers {
                        let journal = try Journal(path: scratch.journal(worker))
                        let seed = generator.next()
                        let patience = Int.random(in: 0...30_000, using: &generator)
                        group.addTask {
                            let work = LedgerWork(
                                store: store, worker: worker, journal: journal, bound: .seconds(60))
                            let posting = Task {
                                var generator = SeededGenerator(seed: seed)
                                for number in 0..<1_000 where !Task.isCancelled {
                                    await work.post(number, using: &generator)
                                }
                            }
                            try await Task.sleep(for: .microseconds(patience))
                            posting.cancel()
                            await posting.value
                        }
                    }
                    try await group.waitForAll()
                }
                number += workers.count
            }
            trial.report.count("cancelled tasks", number)
            let audit = try LedgerAudit(workers: 0..<next, in: scratch, report: trial.report)
            audit.countWork()
            try await audit.verify(store)
            try await store.close()
        }
        trial.report.require("errors cancelled")
    }

    /// Closing waits for what has begun and refuses the rest; what was acknowledged is there afterwards.
    static let closings = Scenario(
        name: "closings", summary: "stores are closed while tasks write to them", usualCount: 12
    ) { trial in
        try await onEachBackend(trial) { url, scratch, seed in
            // What is in memory ends with its store.
            if url.hasPrefix("memory") { return }
            var generator = SeededGenerator(seed: seed)
            var closings = 0
            let effort = trial.effort.restarted
            while effort.goesOn(after: closings) {
                let store = try await Backends.open(url)
                let first = closings * 6
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for worker in first..<first + 6 {
                        let journal = try Journal(path: scratch.journal(worker))
                        let seed = generator.next()
                        group.addTask {
                            var generator = SeededGenerator(seed: seed)
                            let work = LedgerWork(
                                store: store, worker: worker, journal: journal, bound: .seconds(60))
                            for number in 0..<10_000 {
                                if await work.post(number, using: &generator) { return }
                            }
                        }
                    }
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &generator)))
                    try await store.close()
                    try await group.waitForAll()
                }
                closings += 1
            }
            trial.report.count("closings", closings)
            let store = try await Backends.open(url)
            let audit = try LedgerAudit(workers: 0..<closings * 6, in: scratch, report: trial.report)
            audit.countWork()
            try await audit.verify(store)
            try await store.close()
        }
    }

    static func onEachBackend(
        _ trial: Trial, _ body: (_ url: String, Scratch, _ seed: UInt64) async throws -> Void
    ) async throws {
        try await Scratch.with { try await body("memory:", $0, trial.seed) }
        try await Scratch.with { try await body("sqlite:\($0.file("ledger.sqlite"))", $0, trial.seed &+ 1) }
        guard let server = PostgresServer.url else { return }
        try await PostgresServer.withSchemaName { schema in
            try await Scratch.with { try await body("\(server)&schema=\(schema)", $0, trial.seed &+ 2) }
        }
    }
}
