internal import Foundation
internal import Switchyard

/// Requirements Q+window and Q+percentile: what follows from the rows before and after a row, and medians.
package enum WindowChecks {
    package static let all: [Requirement] = [
        Requirement("Q+window", "rows come with the row before and after, running figures and ranks") {
            contract in
            let store = try await sightings(contract)
            let rows = Sighting.sorted(by: \.number)
            try await store.read { tx in
                let beside = try tx.fetch(
                    rows, including: .previous(\.number), .next(\.number),
                    .previous(\.number, per: \.previous))
                try contract.expectEqual(beside.map(\.1), [nil, 1, 2, 3, 3, 5], "the number before")
                try contract.expectEqual(beside.map(\.2), [2, 3, 3, 5, 8, nil], "the number after")
                try contract.expectEqual(
                    beside.map(\.3), [nil, nil, 2, 3, nil, 5], "the number before, of those after one row")
                let sums = try tx.fetch(
                    rows, including: .running(.sum(\.number)), .running(.average(\.number), last: 2),
                    .overall(.maximum(\.number), per: \.previous))
                try contract.expectEqual(sums.map(\.1), [1, 3, 6, 9, 14, 22], "running sums")
                try contract.expectEqual(sums.map(\.2), [1, 1.5, 2.5, 3, 4, 6.5], "moving averages")
                try contract.expectEqual(
                    sums.map(\.3), [1, 3, 3, 3, 8, 8], "the greatest of those after one row")
                let ranks = try tx.fetch(
                    rows, including: .rank(), .denseRank(), .rowNumber(), .rank(per: \.previous))
                let counts = try tx.fetch(
                    Sighting.sorted(by: \.number, .descending), including: .running(.count))
                try contract.expectEqual(counts.map(\.1), [1, 2, 3, 4, 5, 6], "counts, the greatest first")
                try contract.expectEqual(ranks.map(\.1), [1, 2, 3, 3, 5, 6], "ranks")
                try contract.expectEqual(ranks.map(\.2), [1, 2, 3, 3, 4, 5], "ranks without gaps")
                try contract.expectEqual(ranks.map(\.3), [1, 2, 3, 4, 5, 6], "row numbers")
                try contract.expectEqual(ranks.map(\.4), [1, 1, 2, 2, 1, 2], "ranks of those after one row")
                let some = try tx.fetch(rows.offset(3).limit(2), including: .running(.sum(\.number)))
                try contract.expectEqual(some.map(\.1), [9, 14], "running sums, of two rows after three")
                let inner = try tx.fetch(
                    rows,
                    including: .all(
                        \.following, { $0.sorted(by: \.number) }, including: .running(.sum(\.number))))
                try contract.expectEqual(
                    inner.map { $0.1.map(\.1) }, [[2, 5, 8], [5, 13], [], [], [], []],
                    "running sums of the rows after each")
                let last = try tx.fetch(
                    rows,
                    including: .all(
                        \.following, { $0.sorted(by: \.number, .descending).limit(1) },
                        including: .rowNumber()))
                try contract.expectEqual(
                    last.map { $0.1.map(\.0.number) }, [[3], [8], [], [], [], []], "the last row after each")
                var numbers: [Int] = []
                try tx.forEach(rows, including: .rowNumber()) { numbers.append($1) }
                try contract.expectEqual(numbers, [1, 2, 3, 4, 5, 6], "row numbers, one by one")
            }
            let page = try await store.read {
                try $0.page(rows, size: 4, including: .running(.sum(\.number)))
            }
            let next = try await store.read {
                try $0.page(rows, size: 4, after: page.next, including: .running(.sum(\.number)))
            }
            try contract.expectEqual(
                [page.items.map(\.1), next.items.map(\.1)], [[1, 3, 6, 9], [14, 22]],
                "running sums on two pages")
            try await contract.expectError(.invalidArgument, "a moving figure of no rows") {
                try await store.read { tx in
                    _ = try tx.fetch(rows, including: .running(.sum(\.number), last: 0))
                }
            }
        },
        Requirement("Q+tree", "the rows below and above a row are found level by level, and circles end") {
            contract in
            let store = try await sightings(contract)
            let rows = try await store.read { try $0.fetch(Sighting.sorted(by: \.number)) }
            let (all, some) = try await store.read { tx in
                (
                    try tx.descendants(of: rows[0].id, by: \.previous),
                    try tx.descendants(of: rows[0].id, by: \.previous, depth: 1)
                )
            }
            try contract.expectEqual(all.map(\.level), [1, 1, 1, 2, 2], "the levels below the first row")
            try contract.expectEqual(
                Set(all.map(\.row.number)), [2, 3, 5, 8], "the rows below the first row")
            try contract.expectEqual(
                some.map(\.row.number).sorted(), [2, 3, 3], "the rows that refer to the first")
            let above = try await store.read { tx in
                [
                    try tx.ancestors(of: rows[5], by: \.previous),
                    try tx.ancestors(of: rows[5], by: \.previous, depth: 1),
                    try tx.ancestors(of: rows[0], by: \.previous),
                ]
            }
            try contract.expectEqual(
                above.map { $0.map(\.number) }, [[2, 1], [2], []], "the rows above a row")
            let circle = try await store.write { tx in
                try tx.update(
                    Sighting.where(\.id, .equal, rows[0].id), set: [.set(\.previous, to: rows[5].id)])
                return try tx.descendants(of: rows[0].id, by: \.previous).map(\.row.number)
                    + tx.ancestors(of: rows[5], by: \.previous).map(\.number)
            }
            try contract.expectEqual(circle.count, 7, "rows of a circle, each once")
            let nested = try await store.read { tx in
                try tx.fetch(
                    Sighting.where(\.number, .equal, 8),
                    including: .one(\.previous, including: .one(\.specimen, including: .rowNumber())))
            }
            try contract.expectEqual(
                nested.map { $0.1?.1.0.text }, ["lynx"], "a row two references away, with what belongs to it")
        },
        Requirement("Q+percentile", "medians and percentiles are between the numbers around their place") {
            contract in
            let store = try await sightings(contract)
            let cent = Decimal(string: "0.01") ?? 0
            try await store.write { tx in
                try tx.insert(contentsOf: [
                    Specimen(whole: 7, real: .infinity, amount: 3 * cent),
                    Specimen(whole: 7, real: 1, amount: cent),
                ])
            }
            let (median, most) = try await store.read { tx in
                try tx.aggregate(Sighting.all, .median(\.number), .percentile(0.9, of: \.number))
            }
            try contract.expectEqual(
                [median, most], [3, 6.5], "of 1, 2, 3, 3, 5 and 8: the median, and nine tenths")
            let groups = try await store.read {
                try $0.aggregate(Sighting.all, by: .attribute(\.previous), figures: .median(\.number))
            }
            try contract.expectEqual(
                Set(groups.map(\.figures)), [1, 3, 6.5], "the medians of the rows after each")
            let (amount, real, none) = try await store.read { tx in
                try tx.aggregate(
                    Specimen.where(#Predicate { $0.whole == 7 }), .median(\.amount), .median(\.real),
                    .median(\.otherReal))
            }
            try contract.expectEqual(amount, 2 * cent, "the median of decimals")
            try contract.expectEqual(real, .infinity, "the median of 1 and infinity")
            try contract.expectEqual(none, nil, "the median of no numbers")
            try await contract.expectError(.invalidArgument, "a fraction above 1") {
                try await store.read { tx in _ = try tx.aggregate(Sighting.all, .percentile(90, of: \.number))
                }
            }
        },
    ]

    /// The first row is followed by those numbered 2, 3 and 3, the second by 5 and 8.
    private static func sightings(_ contract: Contract) async throws -> any Store {
        let store = try await contract.makeStore()
        try await store.write { tx in
            let specimen = try tx.insert(Specimen(text: "lynx")).id
            let first = try tx.insert(Sighting(specimen: specimen, number: 1)).id
            let second = try tx.insert(Sighting(specimen: specimen, previous: first, number: 2)).id
            for (number, previous) in [(3, first), (3, first), (5, second), (8, second)] {
                try tx.insert(Sighting(specimen: specimen, previous: previous, number: number))
            }
        }
        return store
    }
}
