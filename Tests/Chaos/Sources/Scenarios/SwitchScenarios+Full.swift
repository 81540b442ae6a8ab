import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import SwitchyardTransfer

extension SwitchScenarios {
    /// A switch to a disk that is too small, then to one that cannot be written: the old store is used on, and the switch
    /// goes on when there is room.
    static let full = Scenario(
        name: "switch-full",
        summary: "a store is switched to a disk that fills up, or that cannot be written",
        usualCount: 2
    ) { trial in
        var generator = SeededGenerator(seed: trial.seed)
        var rounds = 0
        while trial.effort.goesOn(after: rounds) {
            try await Scratch.with { scratch in
                let disk = try await MemoryDisk.mount(at: scratch.file("disk"), kibibytes: 300)
                do {
                    try await round(disk, scratch, &generator, trial.report)
                } catch {
                    await disk.unmount()
                    throw error
                }
                await disk.unmount()
            }
            rounds += 1
        }
        trial.report.require("switches")
    }

    private static func round(
        _ disk: MemoryDisk, _ scratch: Scratch, _ generator: inout SeededGenerator, _ report: Report
    ) async throws {
        let (from, to) = ("sqlite:\(scratch.file("old.sqlite"))", "sqlite:\(disk.path)/new.sqlite")
        let old = try await Backends.open(from)
        let journal = try Journal(path: scratch.journal(0))
        let work = LedgerWork(store: old, worker: 0, journal: journal, bound: .seconds(60))
        for number in 0..<900 { await work.post(number, using: &generator) }
        let change = try SwitchModel.ledger.change(from, to)
        let sizes = [300, 500, Int.random(in: 600...1_200, using: &generator)]
        for (attempt, size) in sizes.enumerated() {
            try await disk.resize(kibibytes: size)
            try await expect([.full, .inputOutput], "a full disk", change, report)
            await work.post(900 + attempt, using: &generator)
        }
        try await disk.setReadOnly(true)
        try await expect([.readOnly, .inputOutput], "a disk that cannot be written", change, report)
        await work.post(990, using: &generator)
        try await disk.setReadOnly(false)
        try await disk.resize(kibibytes: 80_000)
        try await change.run()
        report.count("switches")
        try await old.close()
        let audit = try LedgerAudit(workers: 0..<1, in: scratch, report: report)
        audit.countWork()
        let new = try await Backends.open(to, createsIfMissing: false)
        try await audit.verify(new)
        try await new.close()
    }

    private static func expect(
        _ codes: [StoreError.Code], _ what: String, _ change: StoreSwitch, _ report: Report
    ) async throws {
        do {
            try await change.run()
            report.violation("a switch to \(what) has come to its end")
        } catch let error as StoreError where codes.contains(error.code) {
            report.count("switches to \(what)")
        }
    }
}
