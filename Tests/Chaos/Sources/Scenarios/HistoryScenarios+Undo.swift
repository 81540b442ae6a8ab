import Switchyard
import SwitchyardConformance

extension HistoryScenarios {
    /// What is undone is as if it had never been, and nothing else is refused than what later transactions need.
    static let undo = Scenario(
        name: "history-undo", summary: "transactions of four authors are undone and redone in random order",
        usualCount: 200
    ) { trial in
        try await TaskScenarios.onEachBackend(trial) { url, _, seed in
            let store = try await Backends.open(url, ShelfSchema.self, keepsHistory: true)
            var generator = SeededGenerator(seed: seed &+ 2)
            var undo = UndoTrial(store, seed: seed, report: trial.report)
            let effort = trial.effort.restarted
            do {
                while effort.goesOn(after: undo.drawn) {
                    for _ in 0..<Int.random(in: 1...100, using: &generator) { try await undo.write() }
                    for _ in 0..<Int.random(in: 1...100, using: &generator) {
                        if Int.random(in: 0..<10, using: &generator) == 0 {
                            try await undo.undoLast()
                        } else {
                            try await undo.undo()
                        }
                    }
                    try await undo.compareWithUnundone()
                }
            } catch is UndoTrial.StopIteration {
                trial.report.violation("the trial has ended on \(url)")
            }
            trial.report.count("transactions", undo.drawn)
            for fault in try await store.check() { trial.report.violation("check: \(fault)") }
            try await store.close()
        }
        trial.report.require("undone")
        trial.report.require("refused undoConflict")
    }
}
