import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardTransfer

extension SwitchScenarios {
    /// Two processes that switch one store at the same time, to the same place or to two.
    static let twice = Scenario(
        name: "switch-twice", summary: "two processes switch one store at the same time", usualCount: 6
    ) { trial in
        var generator = SeededGenerator(seed: trial.seed)
        var rounds = 0
        while trial.effort.goesOn(after: rounds) {
            for (way, isSame) in SwitchWay.reachable.flatMap({ [($0, true), ($0, false)] }) {
                try await Scratch.with { scratch in
                    try await way.withPlaces(in: scratch) { old, new in
                        let other = isSame ? new : "sqlite:\(scratch.file("other.sqlite"))"
                        try await round(trial, old, new, other, in: scratch, &generator)
                    }
                }
                trial.report.count("pairs to \(isSame ? "one place" : "two places")")
                rounds += 1
            }
        }
        trial.report.require("pairs to one place")
        trial.report.require("pairs to two places")
    }

    private static func round(
        _ trial: Trial, _ old: String, _ new: String, _ other: String, in scratch: Scratch,
        _ generator: inout SeededGenerator
    ) async throws {
        let (model, report) = (SwitchModel.ledger, trial.report)
        let places = other == new ? [new] : [new, other]
        // So many that both are still copying when they meet.
        let rows = max(trial.rows, 20_000)
        try await Ledger.fill(old, rows: rows)
        let first = try SwitchAttempt(model, old, new, in: scratch)
        // The other one begins as well, or goes on with what has been begun.
        if Bool.random(using: &generator) { try await first.hasBegun() }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &generator)))
        let second = try SwitchAttempt(model, old, other, in: scratch)
        async let endings = [first.ended, second.ended]
        let isOver = Latch()
        let watch = Task {
            while !isOver.isRaised { try await model.look(old, places, report) }
        }
        var isDone = false
        for ending in await endings {
            if ending.isDone {
                isDone = true
            } else if let code = ending.code, refusals.contains(code) {
                report.count("refusals \(code)")
            } else {
                ending.report(to: report)
            }
        }
        isOver.raise()
        try await watch.value
        report.count(isDone ? "pairs with one that came to its end" : "pairs that have stopped each other")
        // Whichever switch is under way then goes on.
        let target = try await model.change(old, new).status().target
        guard let successor = try places.first(where: { try model.place($0).location == target }) else {
            return report.violation("no switch was begun")
        }
        if !isDone {
            let ending = try await SwitchAttempt(model, old, successor, in: scratch).ended
            if !ending.isDone { return ending.report(to: report) }
        }
        let roles = try await model.look(old, places, report)
        if roles.first != .superseded || !roles.contains(.active) {
            report.violation("the stores are \(roles)")
        }
        let store = try await Backends.open(successor, createsIfMissing: false)
        let found = try await store.read { try $0.countRows(of: "Post") }
        if found != rows { report.violation("\(found) posts of \(rows)") }
        try await LedgerAudit(workers: [], in: scratch, report: report).verify(store)
        try await store.close()
    }

    /// The codes with which one of two processes may leave the work to the other.
    private static let refusals: Set = [
        "outOfService", "incompleteCopy", "carriedOutElsewhere", "placeTaken", "identityConflict",
        "serialization",
        "busy", "invalidArgument",
    ]
}
