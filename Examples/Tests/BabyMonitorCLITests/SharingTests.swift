import Foundation
import Testing

@Suite("Several processes on one store")
struct SharingTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test("two concurrent imports both succeed, and all rows are there")
    func imports() async throws {
        for baby in ["Mia", "Leo"] {
            _ = try await bench.succeed("baby", "add", baby)
            var text = "babyName,timestamp,amountValue,amountUnit,feedType"
            for day in 10...28 {
                for hour in 10...23 {
                    for minute in 10...19 {
                        text += "\n\(baby),2025-02-\(day)T\(hour):\(minute):00Z,80,mL,solid"
                    }
                }
            }
            try bench.write(text, to: "\(baby).csv")
        }
        let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for baby in ["Mia", "Leo"] {
                group.addTask { try await bench.run(["import", "feeds", "\(baby).csv"]) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for outcome in outcomes {
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(outcome.output == "Imported 2660 feeds, skipped 0.\n")
        }
        for baby in ["Mia", "Leo"] {
            let history: [HistoryAnswer] =
                try await bench.succeed("history", "--baby", baby, "--json").json()
            #expect(history.count == 2660)
        }
        #expect(try await bench.succeed("store", "check").output == "The store is sound.\n")
    }

    @Test("eight processes create one store and write to it at once, and nothing is lost")
    func writers() async throws {
        let names = ["Ada", "Bea", "Cleo", "Dora", "Emil", "Finn", "Gus", "Hugo"]
        let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for name in names {
                group.addTask { try await bench.run(["baby", "add", name]) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for outcome in outcomes { #expect(outcome.status == 0, "\(outcome.error)") }
        let babies: [BabyAnswer] = try await bench.succeed("baby", "list", "--json").json()
        #expect(babies.map(\.name) == names)
    }
}
