internal import Foundation
internal import Switchyard

/// Requirements Q+having and Q+distinct: groups chosen by their figures, and different values.
package enum GroupChoiceChecks {
    package static let all: [Requirement] = [
        Requirement("Q+having", "groups are chosen, sorted and limited by their figures") { contract in
            let store = try await specimens(contract)
            func expect<Figure: Equatable & Sendable>(
                _ expected: [String], _ figures: [Figure], _ figure: Aggregate<Specimen, Figure>,
                _ choose: @escaping @Sendable (Groups<Specimen>) -> Groups<Specimen>
            ) async throws {
                let groups = try await store.read {
                    try $0.aggregate(Specimen.all, by: .attribute(\.text), figures: figure, groups: choose)
                }
                try contract.expectEqual(groups.map(\.key), expected, "the keys of groups")
                try contract.expectEqual(groups.map(\.figures), figures, "the figures of \(expected)")
            }
            try await expect(["a", "c"], [3, 3], .count) { $0.having(.count, .greaterOrEqual, 3) }
            try await expect(["a"], [6], .sum(\.whole)) {
                $0.having(.count, .equal, 3).having(.maximum(\.otherReal), .greater, 1)
            }
            try await expect(["d", "b", "c", "a"], [9, 4, 2, 2], .average(\.whole)) {
                $0.sorted(by: .minimum(\.otherReal))
            }
            try await expect(["a", "c"], [3, 3], .count) { $0.sorted(by: .count, .descending).limit(2) }
            try await expect(["a", "c", "b", "d"], [2.5, 0.5, 1.5, nil], .maximum(\.otherReal)) {
                $0.sorted(by: .sum(\.real), .descending).sorted(by: .minimum(\.otherReal), .descending)
            }
            try await expect(["d"], [nil], .average(\.otherReal)) {
                $0.having(.average(\.otherReal), .equal, nil)
            }
            let flags = try await store.read { tx in
                try tx.aggregate(
                    Specimen.all, by: .attribute(\.flag), .attribute(\.text), figures: .count, .sum(\.whole)
                ) { $0.sorted(by: .sum(\.whole), .descending).limit(3) }.map {
                    "\($0.key.0) \($0.key.1) \($0.figures.0) \($0.figures.1)"
                }
            }
            try contract.expectEqual(
                flags, ["true d 1 9", "false b 2 8", "false a 3 6"], "groups by two keys")
        },
        Requirement("Q+distinct", "different values are found and counted, each once") { contract in
            let store = try await specimens(contract)
            let (counts, values, pairs) = try await store.read { tx in
                (
                    try tx.aggregate(
                        Specimen.all, by: .attribute(\.text), figures: .count(distinct: \.otherReal)
                    ).map(\.figures),
                    try tx.fetch(Specimen.where(#Predicate { $0.whole < 9 }), distinct: \.otherReal),
                    try tx.fetch(Specimen.all, distinct: \.flag, \.text).map { "\($0.0) \($0.1)" }
                )
            }
            try contract.expectEqual(counts, [1, 2, 1, 0], "the numbers of different values")
            try contract.expectEqual(values, [0.25, 0.5, 1.5, 2.5], "the different values")
            try contract.expectEqual(
                pairs, ["false a", "false b", "false c", "true d"], "the different pairs")
            let (all, decimals) = try await store.read { tx in
                try tx.aggregate(Specimen.all, .count(distinct: \.text), .count(distinct: \.amount))
            }
            try contract.expectEqual([all, decimals], [4, 1], "the numbers of different texts and decimals")
            let merged = try await store.write { tx in
                for specimen in try tx.fetch(Specimen.all) {
                    try tx.insert(Sighting(specimen: specimen.id, number: specimen.whole))
                }
                return try tx.aggregate(
                    Sighting.all, by: .over(\.specimen, .attribute(\.flag)),
                    figures: .count(distinct: \.number)
                ).map(\.figures)
            }
            try contract.expectEqual(merged, [2, 1], "the numbers of different values of merged groups")
        },
    ]

    /// Three specimens called a, two b, three c and one d, whose other numbers differ within b only.
    private static func specimens(_ contract: Contract) async throws -> any Store {
        let store = try await contract.makeStore()
        try await store.write { tx in
            func insert(_ text: String, _ whole: Int, _ real: Double?, isLast: Bool = false) throws {
                try tx.insert(
                    Specimen(
                        flag: isLast, whole: whole, amount: text == "b" ? 2 : nil, text: text, otherReal: real
                    ))
            }
            for _ in 0..<3 { try insert("a", 2, 2.5) }
            try insert("b", 4, 1.5)
            try insert("b", 4, 0.25)
            for _ in 0..<3 { try insert("c", 2, 0.5) }
            try insert("d", 9, nil, isLast: true)
        }
        return store
    }
}
