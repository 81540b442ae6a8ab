import Foundation
import SQLiteRelocation
import SwitchyardConformance
import SwitchyardCore

/// Files that are moved to another directory by a process that does not live to see the end.
enum RelocationScenarios {
    static let all = [kill]

    /// A move, and then the removal of its backup, whose process is killed again and again until it has come to its end.
    private static let kill = Scenario(
        name: "relocate-kill", summary: "the process that moves a file is killed at any moment", usualCount: 6
    ) { trial in
        var generator = SeededGenerator(seed: trial.seed)
        try await Scratch.with { scratch in
            let grounds = [
                try await RelocationGround.make(in: scratch, isStore: true, using: &generator),
                try await RelocationGround.make(in: scratch, isStore: false, using: &generator),
            ]
            var kills = 0
            while trial.effort.goesOn(after: kills) {
                for ground in grounds { kills += try await round(ground, &generator, trial.report) }
            }
            trial.report.count("kills", kills)
        }
        trial.report.require("moves")
    }

    /// Moves one file and removes its backup.
    ///
    /// - Returns: How often the process was killed.
    private static func round(
        _ ground: RelocationGround, _ generator: inout SeededGenerator, _ report: Report
    ) async throws -> Int {
        try ground.reset()
        let kills = try await killed(ground, [], &generator, report)
        guard await ground.relocation.status() == .completed else {
            report.violation("the move has ended as \(await ground.relocation.status())")
            return kills
        }
        report.count(ground.isStore ? "moves of a store" : "moves of another file")
        report.count("moves")
        let names = try FileManager.default.contentsOfDirectory(atPath: ground.directory + "/group")
        if names.sorted() != [".default.store.relocation", "default.store"] {
            report.violation("left behind: \(names.sorted())")
        }
        if ground.isStore, try ground.role(of: ground.new) != "active" {
            report.violation("the new store is not active")
        }
        let moved = try await StoreRelocation(from: ground.new, to: ground.directory + "/none/x").plan()
        if RelocationGround.contents(moved.tables) != ground.tables { report.violation("other digests") }
        let removals = try await killed(ground, ["--remove-backup"], &generator, report)
        if ground.exists(ground.backup) { report.violation("the backup is still there") }
        if let fault = try ground.fault(of: ground.new) { report.violation("after the removal: \(fault)") }
        return kills + removals
    }

    /// Runs the process until it is not killed.
    private static func killed(
        _ ground: RelocationGround, _ words: [String], _ generator: inout SeededGenerator, _ report: Report
    ) async throws -> Int {
        var kills = 0
        while true {
            // A process may be killed when everything is done.
            let isRemoved = !ground.exists(ground.backup) && !ground.exists(ground.record)
            if !words.isEmpty, isRemoved { return kills }
            let child = try Child(
                CommandLine.arguments[0],
                ["relocate", "--from", ground.old, "--to", ground.new] + words,
                output: ground.directory + "/output")
            // Half of them when the record or the new name has just been written, where the steps are short.
            let isAtStep = Bool.random(using: &generator)
            let delay = Int.random(in: 0...(isAtStep ? 3_000 : 150_000 * (kills + 1)), using: &generator)
            let watch =
                try isAtStep
                ? FileWatch(
                    [".default.store.relocation", "default.store"], in: ground.directory + "/group"
                ) {
                    usleep(UInt32(delay))
                    child.kill()
                } : nil
            let alarm = Task {
                if isAtStep { return }
                try await Task.sleep(for: .microseconds(delay))
                child.kill()
            }
            let ending = await child.ended
            withExtendedLifetime(watch) {}
            alarm.cancel()
            try await look(ground, report)
            if ending == .exit(0) { return kills }
            guard ending == .signal(SIGKILL) else {
                let output =
                    (try? String(contentsOfFile: ground.directory + "/output", encoding: .utf8)) ?? ""
                report.violation("the move has ended with \(ending): \(output.prefix(600))")
                return kills
            }
            kills += 1
        }
    }

    /// Checks that there is everything once, in a file that can be told from a copy.
    private static func look(_ ground: RelocationGround, _ report: Report) async throws {
        let (old, new) = (ground.exists(ground.old), ground.exists(ground.new))
        let roles = (try ground.role(of: ground.old), try ground.role(of: ground.new))
        let status = await ground.relocation.status()
        report.count(
            "states \(old ? "old" : "-") \(new ? "new" : "-") \(roles.0 ?? "-") \(roles.1 ?? "-") \(status)")
        if roles == ("active", "active") { report.violation("both stores are in service") }
        if new, ground.isStore, roles.1 != "active" {
            report.violation("the new store is \(roles.1 ?? "none")")
        }
        guard status == .pending || status == .completed || status == .notNeeded && new else {
            return report.violation("the status is \(status)")
        }
        if !old, !new { return report.violation("there is no file at all") }
        if let fault = try ground.fault(of: new ? ground.new : ground.old) {
            report.violation("the file is not whole: \(fault)")
        }
    }
}
