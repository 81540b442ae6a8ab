internal import Foundation
internal import Switchyard
internal import Synchronization

/// Requirements Q+explain, Q+budget and Q+time: how a query is carried out, and what it may cost.
package enum ExplainChecks {
    package static let all: [Requirement] = [
        Requirement("Q+explain", "an explanation has a plan for each part of a query") { contract in
            let store = try await contract.makeStore()
            let secret = "a value that no statement shows"
            try await store.write { tx in
                let parent = try tx.insert(Parent(name: secret))
                try tx.insert(contentsOf: (0..<3).map { CascadeChild(parent: parent.id, size: $0) })
                try tx.insert(contentsOf: (0..<4).map { Specimen(whole: $0, text: secret) })
            }
            let plans = try await store.read { tx in
                try tx.explain { tx in
                    _ = try tx.fetch(
                        Parent.where(#Predicate { $0.name == secret }), including: .all(\.cascading))
                    _ = try tx.fetch(
                        Specimen.where(#Predicate { $0.text == secret && $0.whole > 1 }).sorted(by: \.whole))
                    _ = try tx.fetch(Specimen.where(#Predicate { $0.flag == false }).sorted(by: \.otherReal))
                    _ = try tx.fetch(Specimen.where(#Predicate { $0.whole + 1 == 3 }))
                }
            }
            try contract.expectEqual(
                plans.map { "\($0.entity) \($0.rows)" },
                ["Parent 1", "CascadeChild 3", "Specimen 2", "Specimen 4", "Specimen 1"],
                "the parts and their rows")
            let hasStatements = plans[0].statement != nil
            for plan in plans {
                try contract.expectEqual(
                    plan.statement != nil && !plan.steps.isEmpty, hasStatements, "whether a part has a plan")
                try contract.expectEqual(
                    plan.statement?.contains(secret) ?? false, false,
                    "whether a statement holds a value of the query")
            }
            guard hasStatements else { return }
            try contract.expectEqual(
                plans.map(\.missingIndex), [["name"], nil, nil, ["flag", "otherReal"], nil],
                "the indexes that are missing")
        },
        Requirement("Q+budget", "a read that returns more rows than its budget allows is refused") {
            contract in
            let store = try await contract.makeStore()
            let rows = (0..<5).map { Specimen(whole: $0) }
            let ids = rows.prefix(3).map(\.id)
            try await store.write { try $0.insert(contentsOf: rows) }
            let budget = ReadBudget(rows: 5)
            let count = try await store.read(within: budget) { try $0.fetch(Specimen.all).count }
            try contract.expectEqual(count, 5, "the rows within a budget")
            try await contract.expectError(.budgetExceeded, "two fetches of five rows and one") {
                try await store.read(within: budget) { tx in
                    try tx.fetch(Specimen.all).count + tx.fetch(Specimen.all.limit(1)).count
                }
            }
            try await contract.expectError(.budgetExceeded, "three rows found by their ids") {
                try await store.read(within: ReadBudget(rows: 2)) { tx in
                    try ids.map { try tx.find($0)?.whole }
                }
            }
            try await contract.expectError(.budgetExceeded, "an error that the body forgets") {
                try await store.read(within: ReadBudget(rows: 2)) { (try? $0.fetch(Specimen.all)) ?? [] }
            }
        },
        Requirement("Q+time", "a read that takes longer than its budget allows is cancelled") { contract in
            let store = try await contract.makeStore()
            let most = 300_000
            let counts = Mutex(0)
            try await contract.expectError(.budgetExceeded, "a read that would not end for long") {
                try await store.read(within: ReadBudget(time: .milliseconds(1))) { tx in
                    for _ in 0..<most {
                        _ = try tx.count(Specimen.all)
                        counts.withLock { $0 += 1 }
                    }
                }
            }
            try contract.expectEqual(
                counts.withLock { $0 } < most, true, "whether the read was stopped on the way")
            let count = try await store.read(within: ReadBudget(time: .seconds(3_600))) {
                try $0.count(Specimen.all)
            }
            try contract.expectEqual(count, 0, "the count within the time")
        },
    ]
}
