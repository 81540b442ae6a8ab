import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import SwitchyardTransfer

/// Stores that are switched to another place while somebody writes to them.
enum SwitchScenarios {
    static let all = [kill, follow, rehearse, cut, silent, restart, twice, refused, full, schemas, scopes]

    /// A switch whose process is killed again and again, until it has come to its end.
    private static let kill = Scenario(
        name: "switch-kill",
        summary:
            "the process that switches a store is killed at any moment, and whenever it has come further",
        usualCount: 5
    ) { trial in
        var generator = SeededGenerator(seed: trial.seed)
        for way in SwitchWay.reachable {
            let effort = trial.effort.restarted
            for moments in KillMoments.allCases {
                var (kills, rounds) = (0, 0)
                repeat {
                    // Every other store has scopes, and more of them than are written to.
                    let scopes = rounds.isMultiple(of: 2) ? [] : (0..<20).map { _ in StoreScope() }
                    kills += try await Scratch.with { scratch in
                        try await way.withPlaces(in: scratch) { old, new in
                            try await round(trial, old, new, scopes, at: moments, in: scratch, &generator)
                        }
                    }
                    rounds += 1
                } while moments == .any && effort.goesOn(after: kills) || rounds < 2
                trial.report.count("kills \(moments.rawValue), \(way.rawValue)", kills)
            }
        }
        for step in steps { trial.report.require("kills at \(step.rawValue)") }
        trial.report.require("switches")
        trial.report.require("switches with scopes")
        trial.report.require("transactions done")
    }

    /// The phases of a switch without a rehearsal.
    private static let steps: [SwitchPhase] = [
        .copying, .indexing, .verifying, .fencing, .fenced, .committed,
    ]

    /// When a process is killed.
    private enum KillMoments: String, CaseIterable {
        /// Whenever it has copied a part, and after each of the steps that follow.
        case steps = "after each step"
        case any = "at any moment"
    }

    /// Switches one store, with writers at work until the store refuses them.
    ///
    /// - Returns: How often the process was killed.
    private static func round(
        _ trial: Trial, _ old: String, _ new: String, _ scopes: [StoreScope], at moments: KillMoments,
        in scratch: Scratch, _ generator: inout SeededGenerator
    ) async throws -> Int {
        let report = trial.report
        var shelves: [Shelves] = []
        for scope in scopes.isEmpty ? [nil] : scopes.map(Optional.some) {
            let rows = trial.rows / max(scopes.count, 1)
            shelves.append(try await Shelves(old, scope, rows: rows, in: scratch, report: report))
        }
        let writers = try shelves.prefix(2).enumerated().map { worker, shelves in
            try Child(
                CommandLine.arguments[0],
                [
                    "shelve", "--store", old, "--journal", scratch.journal(worker), "--worker", "\(worker)",
                    "--seed", "\(generator.next())", "--pause",
                    trial.rows == 0 && moments == .any ? "0" : "50",
                ] + (shelves.scope.map { ["--scope", "\($0)"] } ?? []))
        }
        defer { for writer in writers { writer.kill() } }
        try await Task.sleep(for: .milliseconds(Int.random(in: 300...1_500, using: &generator)))
        var (kills, rows) = (0, 0)
        var steps = Self.steps[...]
        while true {
            let attempt = try SwitchAttempt(
                .shelf, old, new, in: scratch, dyingAt: moments == .steps ? steps.first : nil)
            // Later each time, so that the switch comes to its end: on a busy machine a process may need long.
            let delay = Int.random(in: 1...(600 + 300 * kills), using: &generator)
            let alarm = Task {
                if moments == .steps { return }
                try await Task.sleep(for: .milliseconds(delay))
                attempt.kill()
            }
            let ending = await attempt.ended
            alarm.cancel()
            if ending.isDone { break }
            guard ending.wasKilled else {
                ending.report(to: report)
                return kills
            }
            kills += 1
            report.count("kills at \(ending.step ?? "the beginning")")
            // As long as there is more to copy, the next one is killed after the next part.
            if steps.first != .copying || ending.rows <= rows { steps = steps.dropFirst() }
            let roles = try await SwitchModel.shelf.look(old, [new], report)
            guard roles[1] == .copying else { continue }
            // What it said to have copied is there, and so is what was copied before.
            let found = try await SwitchModel.shelf.change(old, new).status().rows ?? 0
            rows = max(rows, ending.rows)
            if found < rows { report.violation("\(found) rows are copied of \(rows)") }
            rows = found
        }
        for writer in writers where await writer.ended(within: .seconds(60)) != .exit(0) {
            report.violation("a writer was not told that the store is out of service")
        }
        report.count("switches\(scopes.isEmpty ? "" : " with scopes")")
        for number in shelves.indices {
            let workers = writers.indices.contains(number) ? number..<number + 1 : 0..<0
            try await shelves[number].compare(old, new, after: workers, report)
        }
        let store = try await Backends.open(
            new, ShelfSchema.self, createsIfMissing: false, scope: scopes.first)
        for fault in try await store.check() { report.violation("check: \(fault)") }
        try await store.close()
        let roles = try await SwitchModel.shelf.look(old, [new], report)
        if roles != [.superseded, .active] { report.violation("a switch that has ended is not committed") }
        return kills
    }
}
