import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import SwitchyardTransfer

/// Stores that are switched to another place while somebody writes to them.
enum SwitchScenarios {
    static let all = [kill, follow, rehearse, cut, restart, twice, refused, full, schemas]

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
                var kills = 0
                repeat {
                    kills += try await Scratch.with { scratch in
                        try await way.withPlaces(in: scratch) { old, new in
                            try await round(trial, old, new, at: moments, in: scratch, &generator)
                        }
                    }
                } while moments == .any && effort.goesOn(after: kills)
                trial.report.count("kills \(moments.rawValue), \(way.rawValue)", kills)
            }
        }
        for step in steps { trial.report.require("kills at \(step.rawValue)") }
        trial.report.require("switches")
        trial.report.require("transactions done")
    }

    /// The steps of a switch that is not rehearsed.
    private static let steps = SwitchProgress.Step.allCases.filter { $0 != .rehearsing }

    /// When a process is killed.
    private enum KillMoments: String, CaseIterable {
        /// Whenever it has copied a part, and after each of the steps that follow.
        case steps = "after each step"
        case any = "at any moment"
    }

    /// Switches one store, with a writer at work until the store refuses it.
    ///
    /// - Returns: How often the process was killed.
    private static func round(
        _ trial: Trial, _ old: String, _ new: String, at moments: KillMoments, in scratch: Scratch,
        _ generator: inout SeededGenerator
    ) async throws -> Int {
        let report = trial.report
        var audit = try await filled(old, rows: trial.rows, in: scratch, report: report)
        let writer = try Child(
            CommandLine.arguments[0],
            [
                "shelve", "--store", old, "--journal", scratch.journal(0), "--worker", "0", "--seed",
                "\(generator.next())", "--pause", trial.rows == 0 && moments == .any ? "0" : "50",
            ])
        defer { writer.kill() }
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
        if await writer.ended(within: .seconds(60)) != .exit(0) {
            report.violation("the writer was not told that the store is out of service")
        }
        report.count("switches")
        try await compare(old, new, &audit, report)
        return kills
    }

    /// Makes a store with shelves of ten books, which keeps a history from then on.
    private static func filled(
        _ url: String, rows: Int, in scratch: Scratch, report: Report
    ) async throws -> HistoryAudit {
        let store = try await Backends.open(url, ShelfSchema.self)
        try await store.write { tx in
            guard rows > 0 else { return }
            let shelves = (0...rows / 10).map { Shelf(name: "~\($0)") }
            try tx.insert(contentsOf: shelves)
            try tx.insert(
                contentsOf: (0..<rows).lazy.map {
                    Book(number: $0 - rows, shelf: shelves[$0 / 10].id, title: "")
                })
        }
        let audit = try await HistoryAudit(store, in: scratch, report: report)
        try await store.close()
        return audit
    }

    /// Checks that the old store has what its writer was promised, and the new one the same rows, one by one.
    private static func compare(
        _ old: String, _ new: String, _ audit: inout HistoryAudit, _ report: Report
    ) async throws {
        let left = try await Backends.open(
            old, ShelfSchema.self, access: .readOnly, createsIfMissing: false)
        let right = try await Backends.open(new, ShelfSchema.self, createsIfMissing: false)
        try await audit.look(after: 0..<1, at: left)
        for entity in left.schema.entities {
            let rows = try await (
                left.read { try $0.fetchRows(of: entity.name) },
                right.read { try $0.fetchRows(of: entity.name) }
            )
            if rows.0 != rows.1 {
                report.violation("\(rows.0.count) rows of \(entity.name), and \(rows.1.count) others")
            }
            report.count("rows", rows.0.count)
        }
        for fault in try await right.check() { report.violation("check: \(fault)") }
        let marker = try await left.marker()
        if marker.role != .superseded { report.violation("the old store is \(marker.role.rawValue)") }
        try await left.close()
        try await right.close()
    }
}
