import Foundation
import Switchyard
import SwitchyardConformance

/// Machines that run out of something, or whose clock is wrong.
enum ScarcityScenarios {
    static let all = [descriptors, fileSizes, fullDisk, clocks]

    static let descriptors = Scenario(
        name: "descriptors", summary: "a writer's process can open no more files, now and then",
        usualCount: 60
    ) { try await scarce($0, .descriptors) }

    static let fileSizes = Scenario(
        name: "file-sizes", summary: "no file of a writer's process can grow, now and then", usualCount: 60
    ) { try await scarce($0, .fileSize) }

    private static func scarce(_ trial: Trial, _ scarcity: Scarcity) async throws {
        var generator = SeededGenerator(seed: trial.seed)
        var posts = 0
        while trial.effort.goesOn(after: posts) {
            try await Scratch.with { scratch in
                let url = "sqlite:\(scratch.file("ledger.sqlite"))"
                let work = Workforce(url: url, scratch: scratch)
                let child = try work.start(0, seed: generator.next(), posts: 60, scarcity: scarcity)
                let ending = await child.ended
                if ending != .exit(0) {
                    let output = try? String(
                        contentsOfFile: scratch.file("journal-0.output"), encoding: .utf8)
                    trial.report.violation("a worker has ended with \(ending): \(output ?? "")")
                }
                let audit = try LedgerAudit(workers: [0], in: scratch, report: trial.report)
                audit.countWork()
                let store = try await Backends.open(url)
                try await audit.verify(store)
                try await store.close()
                posts += 60
            }
        }
        trial.report.require("refusals")
    }

    /// A file system of its own, which fills up, is enlarged, and fills up again.
    static let fullDisk = Scenario(
        name: "full-disk", summary: "the file system of an SQLite file is full until it is enlarged",
        usualCount: 2
    ) { trial in
        var generator = SeededGenerator(seed: trial.seed)
        var rounds = 0
        while trial.effort.goesOn(after: rounds) {
            try await Scratch.with { scratch in
                let disk = try await MemoryDisk.mount(at: scratch.file("disk"), kibibytes: 600)
                do {
                    let url = "sqlite:\(disk.path)/ledger.sqlite"
                    let work = Workforce(url: url, scratch: scratch)
                    var workers = 0
                    for size in [600, 1_200, 1_800] {
                        try await disk.resize(kibibytes: size)
                        for _ in 0..<2 {
                            let child = try work.start(workers, seed: generator.next(), posts: 200)
                            _ = await child.ended
                            workers += 1
                        }
                    }
                    try await disk.resize(kibibytes: 40_000)
                    let audit = try LedgerAudit(workers: 0..<workers, in: scratch, report: trial.report)
                    audit.countWork()
                    let store = try await Backends.open(url)
                    try await audit.verify(store)
                    try await store.close()
                } catch {
                    await disk.unmount()
                    throw error
                }
                await disk.unmount()
            }
            rounds += 1
        }
        trial.report.require("errors full")
    }

    /// Writers with clocks that are days wrong: none of them makes the store forget what another has done.
    static let clocks = Scenario(
        name: "clocks", summary: "writers' clocks are eight days behind and ahead", usualCount: 6
    ) { trial in
        let faketime = "/usr/bin/faketime"
        guard FileManager.default.isExecutableFile(atPath: faketime) else {
            throw MissingPart(description: "it needs the command faketime (Debian's package of that name).")
        }
        var generator = SeededGenerator(seed: trial.seed)
        try await Scratch.with { scratch in
            let url = "sqlite:\(scratch.file("ledger.sqlite"))"
            var workers = 0
            var shifts: [String] = []
            while trial.effort.goesOn(after: workers) {
                // Each kind comes first, in its turn, and between the others.
                if shifts.isEmpty { shifts = ["+8d", "-8d", "+0d"].shuffled(using: &generator) }
                let shift = shifts.removeLast()
                let child = try Workforce(url: url, scratch: scratch, wrapper: [faketime, "-f", shift])
                    .start(
                        workers, seed: generator.next(), posts: 20,
                        environment: ["DONT_FAKE_MONOTONIC": "1"])
                let ending = await child.ended
                if ending != .exit(0) { trial.report.violation("a worker has ended with \(ending)") }
                trial.report.count("writers at \(shift)")
                workers += 1
            }
            let audit = try LedgerAudit(workers: 0..<workers, in: scratch, report: trial.report)
            audit.countWork()
            let store = try await Backends.open(url)
            try await audit.verify(store)
            for (worker, journal) in audit.journals {
                for operation in journal.operations where try await !store.wasCommitted(operation) {
                    trial.report.violation("the store has forgotten a write of worker \(worker)")
                }
            }
            try await store.close()
        }
    }
}
