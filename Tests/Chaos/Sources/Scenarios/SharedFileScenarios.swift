import Foundation
import Switchyard
import SwitchyardConformance

/// Several processes on one SQLite file.
enum SharedFileScenarios {
    static let all = [writers, kills, creations]

    /// Processes that write and read beside each other, none of them disturbed.
    static let writers = Scenario(
        name: "writers", summary: "processes write to and read from one SQLite file", usualCount: 400
    ) { trial in
        try await Scratch.with { scratch in
            var generator = SeededGenerator(seed: trial.seed)
            let work = Workforce(url: "sqlite:\(scratch.file("ledger.sqlite"))", scratch: scratch)
            var next = 0
            while trial.effort.goesOn(after: trial.report.count(of: "posts done")) {
                let workers = next..<next + 4
                next = workers.upperBound
                let children = try workers.map { worker in
                    try work.start(worker, seed: generator.next(), posts: 40, reads: worker % 3)
                }
                for child in children {
                    let ending = await child.ended
                    if ending != .exit(0) { trial.report.violation("a worker has ended with \(ending)") }
                }
                let audit = try LedgerAudit(workers: workers, in: scratch, report: trial.report)
                audit.countWork()
            }
            let store = try await Backends.open(work.url, createsIfMissing: false)
            let everybody = try LedgerAudit(workers: 0..<next, in: scratch, report: trial.report)
            try await everybody.verify(store)
            try await store.close()
            trial.report.require("posts done")
        }
    }

    /// Writers that are killed at any moment, from their start on, and replaced.
    static let kills = Scenario(
        name: "kills", summary: "processes are killed while they write to one SQLite file", usualCount: 60
    ) { trial in
        var generator = SeededGenerator(seed: trial.seed)
        var kills = 0
        // Each audit reads the whole file, so that a long trial has many files.
        while trial.effort.goesOn(after: kills) {
            kills += try await Scratch.with { scratch in
                try await killWriters(of: scratch, atMost: 200, trial, &generator) { made in
                    trial.effort.goesOn(after: kills + made)
                }
            }
        }
        trial.report.count("kills", kills)
        trial.report.require("posts done")
    }

    /// Kills writers of one file.
    ///
    /// - Returns: How many were killed.
    private static func killWriters(
        of scratch: Scratch, atMost most: Int, _ trial: Trial, _ generator: inout SeededGenerator,
        goesOn: (Int) -> Bool
    ) async throws -> Int {
        let path = scratch.file("ledger.sqlite")
        let work = Workforce(url: "sqlite://\(path)?readers=0", scratch: scratch)
        var (next, kills) = (0, 0)
        while kills < most, goesOn(kills) {
            let workers = next..<next + 4
            next = workers.upperBound
            var children: [Child] = []
            for worker in workers {
                // Some end by themselves, so that files come and go, too.
                let posts =
                    Bool.random(using: &generator) ? nil : Int.random(in: 1...3, using: &generator)
                children.append(try work.start(worker, seed: generator.next(), posts: posts))
            }
            for child in children.shuffled(using: &generator) {
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &generator)))
                child.kill()
                let ending = await child.ended
                if ending == .signal(SIGKILL) { kills += 1 }
                switch ending {
                case .signal(SIGKILL), .exit(0), .exit(1): break
                default: trial.report.violation("a worker has ended with \(ending)")
                }
            }
            let last = try LedgerAudit(workers: workers, in: scratch, report: trial.report)
            last.countWork()
            let store = try await Backends.open(work.url)
            try await LedgerAudit(workers: max(0, next - 40)..<next, in: scratch, report: trial.report)
                .verify(store)
            try await store.close()
        }
        let store = try await Backends.open(work.url, createsIfMissing: false)
        try await LedgerAudit(workers: 0..<next, in: scratch, report: trial.report).verify(store)
        try await store.close()
        let leftovers = try scratch.leftovers.subtracting(["ledger.sqlite"])
        if !leftovers.isEmpty { trial.report.violation("left behind: \(leftovers.sorted())") }
        return kills
    }

    /// Processes that make the same store at the same time, and are killed meanwhile.
    static let creations = Scenario(
        name: "creations", summary: "processes are killed while they make one SQLite store", usualCount: 40
    ) { trial in
        var generator = SeededGenerator(seed: trial.seed)
        var kills = 0
        while trial.effort.goesOn(after: kills) {
            try await Scratch.with { scratch in
                let path = scratch.file("ledger.sqlite")
                let work = Workforce(url: "sqlite:\(path)", scratch: scratch)
                let children = try (0..<3).map { try work.start($0, seed: generator.next(), posts: 1) }
                try await Task.sleep(for: .milliseconds(Int.random(in: 5...60, using: &generator)))
                for child in children {
                    child.kill()
                    if await child.ended == .signal(SIGKILL) { kills += 1 }
                }
                let store = try await Backends.open(work.url)
                let audit = try LedgerAudit(workers: 0..<3, in: scratch, report: trial.report)
                audit.countWork()
                try await audit.verify(store)
                try await store.close()
                let leftovers = try scratch.leftovers.subtracting(["ledger.sqlite"])
                if !leftovers.isEmpty { trial.report.violation("left behind: \(leftovers.sorted())") }
            }
        }
        trial.report.count("kills", kills)
    }
}
