internal import Foundation
internal import Switchyard

/// Requirements Q+order, Q+value and Q+figure: orders by values that are calculated for each row, and conditions on figures over
/// related rows.
package enum OrderChecks {
    package static let all: [Requirement] = [
        Requirement("Q+order", "rows are sorted by figures over their related rows, page by page as well") {
            contract in
            let store = try await sightings(contract)
            func expect(_ expected: [Int], _ subject: String, _ query: Query<Sighting>) async throws {
                try await Self.expect(contract, store, expected, subject, query.sorted(by: \.number))
            }
            try await expect(
                [1, 2, 3, 4, 5, 6, 8], "counts", Sighting.sorted(by: .count(\.following), .descending))
            try await expect(
                [2, 1, 3, 4, 5, 6, 8], "sums",
                Sighting.sorted(by: .figure(\.following, .sum(\.number)), .descending))
            let most = RelatedFigure<Sighting, Int?>.figure(\.following, .maximum(\.number))
            try await expect([4, 5, 6, 8, 1, 3, 2], "the greatest", Sighting.sorted(by: most))
            try await expect(
                [1, 3, 2, 4, 5, 6, 8], "the greatest, nil last", Sighting.sorted(by: most, nils: .last))
            try await expect(
                [4, 5, 6, 8, 2, 3, 1], "the greatest, nil first",
                Sighting.sorted(by: most, .descending, nils: .first))
            try await expect(
                [1, 3, 2, 4, 5, 6, 8], "averages",
                Sighting.sorted(by: .figure(\.following, .average(\.number)), nils: .last))
            try await expect(
                [3, 2, 1, 4, 5, 6, 8], "the least of some rows",
                Sighting.sorted(
                    by: .figure(\.following, .minimum(\.number)) { $0.where(#Predicate { $0.number > 4 }) },
                    .descending, nils: .last))
        },
        Requirement("Q+value", "rows are sorted by calculations, truth values and folded text") { contract in
            let store = try await sightings(contract)
            func expect(_ expected: [Int], _ subject: String, _ query: Query<Sighting>) async throws {
                try await Self.expect(contract, store, expected, subject, query.sorted(by: \.number))
            }
            try await expect(
                [3, 6, 1, 4, 2, 5, 8], "remainders", Sighting.sorted(by: #Expression { $0.number % 3 }))
            try await expect(
                [5, 6, 8, 1, 2, 3, 4], "a number two references away",
                Sighting.sorted(by: #Expression { $0.previous[\.previous][\.number] }, .descending))
            try await expect(
                [1, 2, 3, 4, 5, 6, 8], "a number two references away, nil first",
                Sighting.sorted(
                    by: #Expression { $0.previous[\.previous][\.number] }, .descending, nils: .first))
            try await expect(
                [2, 3, 4, 5, 6, 8, 1], "whether there is a value",
                Sighting.sorted(by: #Expression { $0.previous == nil }))
            try await expect(
                [4, 5, 6, 8, 3, 2, 1], "a count", Sighting.sorted(by: #Expression { $0.following[\.count] }))
            let texts: [String?] = ["b", "Á", nil, "B", "a", "ab"]
            let words = try await store.write { tx in
                try tx.delete(Sighting.all)
                try tx.delete(Specimen.all)
                try tx.insert(
                    contentsOf: texts.enumerated().map { Specimen(whole: $0, memo: $1) })
                return try [NilOrder.first, .last].map { nils in
                    try tx.fetch(
                        Specimen.sorted(by: #Expression { $0.memo[\.folded] }, nils: nils).sorted(
                            by: \.whole), \.memo)
                }
            }
            try contract.expectEqual(
                words, [[nil, "Á", "a", "ab", "b", "B"], ["Á", "a", "ab", "b", "B", nil]], "folded text")
            let memos = try await store.read { tx in
                try tx.fetch(Specimen.sorted(by: \.memo, .descending, nils: .first), \.memo)
            }
            try contract.expectEqual(memos, [nil, "Á", "b", "ab", "a", "B"], "text, nil first")
        },
        Requirement("Q+figure", "a condition compares figures over related rows") { contract in
            let store = try await sightings(contract)
            func expect(_ expected: [Int], _ subject: String, _ query: Query<Sighting>) async throws {
                try await Self.expect(contract, store, expected, subject, query.sorted(by: \.number))
            }
            try await expect(
                [2, 3], "the number of some rows",
                Sighting.where(
                    .count(\.following) { $0.where(#Predicate { $0.number > 5 }) }, .equal, 1))
            try await expect(
                [1, 2], "sums", Sighting.where(.figure(\.following, .sum(\.number)), .greater, 6))
            try await expect(
                [4, 5, 6, 8], "no greatest",
                Sighting.where(.figure(\.following, .maximum(\.number)), .equal, nil))
            try await expect(
                [2, 3], "averages", Sighting.where(.figure(\.following, .average(\.number)), .greater, 3))
            try await expect(
                [1, 4, 5, 6, 8], "the opposite",
                Sighting.matching(
                    .not(.where(.figure(\.following, .average(\.number)), .greater, 3))))
            try await expect(
                [5, 6, 8], "averages of another row",
                Sighting.matching(
                    .over(\.previous, .where(.figure(\.following, .average(\.number)), .greater, 3))))
            try await expect(
                [1], "averages within averages",
                Sighting.where(
                    .figure(\.following, .average(\.number)) {
                        $0.where(.figure(\.following, .average(\.number)), .greater, 3)
                    }, .equal, 2.5))
            let counts = try await store.write { tx in
                [
                    try tx.update(
                        Sighting.where(.figure(\.following, .average(\.number)), .equal, 6),
                        set: [.set(\.number, to: 9)]),
                    try tx.delete(Sighting.where(.figure(\.following, .average(\.number)), .greater, 6)),
                    try tx.count(Sighting.where(.figure(\.following, .minimum(\.number)), .less, 9)),
                ]
            }
            try contract.expectEqual(counts, [1, 1, 2], "rows changed, deleted and counted by figures")
            try await pages(contract)
        },
    ]

    /// The first row of a tree of sightings is followed by those numbered 2, 3 and 4, the second by 5 and 8, the third by 6.
    static func sightings(_ contract: Contract) async throws -> any Store {
        let store = try await contract.makeStore()
        try await store.write { tx in
            let specimen = try tx.insert(Specimen(text: "lynx")).id
            var sightings: [Int: Sighting.ID] = [:]
            for (number, previous) in [(1, 0), (2, 1), (3, 1), (4, 1), (5, 2), (8, 2), (6, 3)] {
                sightings[number] = try tx.insert(
                    Sighting(specimen: specimen, previous: sightings[previous], number: number)
                ).id
            }
        }
        return store
    }

    /// The second page is of the rows that fulfil the condition by then, however it is worked out.
    private static func pages(_ contract: Contract) async throws {
        func expect(_ expected: [Int], _ subject: String, _ query: Query<Sighting>) async throws {
            let store = try await sightings(contract)
            let query = query.sorted(by: \.number)
            let first = try await store.read { try $0.page(query, size: 2) }
            // Each number from 8 follows the one before, in one chain.
            try await store.write { tx in
                let fourth = try tx.fetch(Sighting.where(#Predicate { $0.number == 4 }))[0]
                try tx.insert(Sighting(specimen: fourth.specimen, previous: fourth.id, number: 3))
                var last = try tx.fetch(Sighting.where(#Predicate { $0.number == 8 }))[0]
                for number in 9...12 {
                    last = try tx.insert(
                        Sighting(specimen: last.specimen, previous: last.id, number: number))
                }
            }
            let rest = try await store.read { try $0.page(query, size: 20, after: first.next) }
            try contract.expectEqual(
                (first.items + rest.items).map(\.number), expected, "\(subject), a write between two pages")
        }
        try await expect(
            [1, 2, 3, 4], "averages",
            Sighting.where(.figure(\.following, .average(\.number)), .less, 7))
        // 29/7 at first, and 74/12 then.
        try await expect(
            [5, 6, 8, 9, 10, 11, 12], "above the average",
            Sighting.where(\.number, .greater, overall: .average(\.number)))
        try await expect(
            [1, 2, 3, 3, 4, 5, 6, 8, 9, 10], "fewer than five rows before",
            Sighting.matching(
                .not(
                    .over(
                        \.previous,
                        .over(
                            \.previous,
                            .over(
                                \.previous,
                                .over(\.previous, .over(\.previous, .where(\.number, .greater, 0)))))))))
    }

    /// Expects rows at once, and on pages of two.
    private static func expect(
        _ contract: Contract, _ store: any Store, _ expected: [Int], _ subject: String,
        _ query: Query<Sighting>
    ) async throws {
        let found = try await store.read { try $0.fetch(query, \.number) }
        try contract.expectEqual(found, expected, subject)
        var page = try await store.read { try $0.page(query, size: 2) }
        var numbers = page.items.map(\.number)
        while let next = page.next, numbers.count <= expected.count {
            page = try await store.read { try $0.page(query, size: 2, after: next) }
            numbers += page.items.map(\.number)
        }
        try contract.expectEqual(numbers, expected, "\(subject), page by page")
    }
}
