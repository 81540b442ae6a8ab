internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirements about values, texts and rows that a backend could confuse: each exists because of a `Fault` that no
/// other requirement found.
enum ExactnessRequirements {
    static let all: [Requirement] = values + queries + transactions

    private static let values: [Requirement] = [
        Requirement("V5+exact", "integers that are one double are different integers") { contract in
            let store = try await contract.makeStore()
            // Where an `Int` has 32 bits, they are its greatest, and no longer distinct.
            let numbers = (0..<3).map { Int(clamping: 9_007_199_254_740_992 + $0 as Int64) }
            try await store.write { tx in
                try tx.insert(contentsOf: numbers.reversed().map { Specimen(whole: $0) })
            }
            let sorted = try await store.read { try $0.fetch(Specimen.sorted(by: \.whole), \.whole) }
            try contract.expectEqual(sorted, numbers, "integers around 2⁵³")
            let middle = numbers[1]
            let found = try await store.read { tx in
                [
                    try tx.count(Specimen.where(#Predicate { $0.whole == middle })),
                    try tx.count(Specimen.where(#Predicate { $0.whole > middle })),
                    try tx.count(Specimen.where(#Predicate { $0.whole != middle })),
                ]
            }
            try contract.expectEqual(found, [1, 1, 2], "rows with, above and without the middle one")
        },
        Requirement("V9+early", "times before 1970 keep their microseconds") { contract in
            let store = try await contract.makeStore()
            let row = try SpecimenRow.make(["moment": .timestamp(-1_234_567)])
            try await store.write { try $0.insertRows(into: "Specimen", [row]) }
            let found = try await store.read { try $0.fetchRows(of: "Specimen").map { $0[10] } }
            try contract.expectEqual(found, [.timestamp(-1_234_567)], "the stored microseconds")
        },
    ]

    private static let queries: [Requirement] = [
        Requirement("Q4+literal", "letters, spaces and signs in a text to look for stand for themselves") {
            contract in
            let store = try await contract.makeStore()
            let texts = ["a", "A", "a ", "a\\_b", "a_b", "e\u{301}"]
            try await store.write { tx in try tx.insert(contentsOf: texts.map { Specimen(text: $0) }) }
            func found(_ predicate: Predicate<Specimen>) async throws -> [String] {
                try await store.read { try $0.fetch(Specimen.where(predicate).sorted(by: \.text), \.text) }
            }
            try contract.expectEqual(try await found(#Predicate { $0.text == "a" }), ["a"], "equal to a")
            try contract.expectEqual(
                try await found(#Predicate { $0.text.contains("A") }), ["A"], "contains A")
            try contract.expectEqual(
                try await found(#Predicate { $0.text.starts(with: "A") }), ["A"], "begins with A")
            try contract.expectEqual(
                try await found(#Predicate { $0.text.contains("\\_") }), ["a\\_b"],
                "contains a backslash and a line")
            try contract.expectEqual(
                try await found(#Predicate { $0.text.contains("\u{E9}") }).count, 0,
                "rows that hold é as one scalar")
        },
        Requirement("Q2+keys", "each key of an order has its own direction") { contract in
            let store = try await contract.makeStore()
            let pairs = [(1, 1), (1, 2), (2, 1), (2, 2)]
            try await store.write { tx in
                try tx.insert(contentsOf: pairs.map { Specimen(whole: $0, otherWhole: $1) })
                try tx.insert(contentsOf: [
                    Specimen(data: Data([0xFF])), Specimen(data: Data([0, 1])), Specimen(data: Data([0])),
                ])
            }
            let sorted = try await store.read { tx in
                try tx.fetch(
                    Specimen.where(#Predicate { $0.whole > 0 }).sorted(by: \.whole)
                        .sorted(by: \.otherWhole, .descending)
                ).map { [$0.whole, $0.otherWhole ?? 0] }
            }
            try contract.expectEqual(
                sorted, [[1, 2], [1, 1], [2, 2], [2, 1]], "rows by one number ascending, another descending")
            let blobs = try await store.read { tx in
                try tx.fetch(Specimen.where(#Predicate { $0.data != nil }).sorted(by: \.data), \.data)
            }
            try contract.expectEqual(blobs, [Data([0]), Data([0, 1]), Data([0xFF])], "blobs by their bytes")
        },
        Requirement("Q3+not", "what is not above a value is below it, equal to it or absent") { contract in
            let store = try await contract.makeStore()
            try await store.write { tx in
                try tx.insert(contentsOf: [
                    Specimen(whole: 1, otherWhole: 1), Specimen(whole: 2, otherWhole: 2), Specimen(whole: 3),
                ])
            }
            let isAbove = Condition.compare(.attribute("otherWhole"), .greater, .value(.int(1)))
            let found = try await store.read { tx in
                try tx.fetch(Specimen.matching(.not(isAbove)).sorted(by: \.whole), \.whole)
            }
            try contract.expectEqual(found, [1, 3], "rows not above 1")
        },
        Requirement("Q9+last", "the last of 10,000 terms counts as the first does") { contract in
            let store = try await contract.makeStore()
            try await store.write { try $0.insert(contentsOf: [Specimen(whole: 1), Specimen(whole: 9_999)]) }
            let terms = (0..<10_000).map {
                Condition.compare(.attribute("whole"), .equal, .value(.int(Int64($0))))
            }
            let count = try await store.read { try $0.count(Specimen.matching(.any(terms))) }
            try contract.expectEqual(count, 2, "rows that fulfil an early and the last term")
        },
    ]

    private static let transactions: [Requirement] = [
        Requirement("T10+same", "an update that changes nothing finds its row") { contract in
            let store = try await contract.makeStore()
            let ticket = try await store.write { try $0.insert(Ticket(number: 1, gate: "A")) }
            let count = try await store.write { tx in
                try tx.update(ticket)
                return try tx.update(Ticket.all, set: [.set(\.gate, to: "A")])
            }
            try contract.expectEqual(count, 1, "rows updated to what they are")
        },
        Requirement("T1+uncommitted", "a read sees nothing of a write that is running") { contract in
            guard contract.has(.concurrentReads) else { return }
            let store = try await contract.makeStore()
            try await store.write { try $0.insert(Ticket(number: 1)) }
            let (written, counted) = (
                contract.signal("a row is written"), contract.signal("rows are counted")
            )
            let write = Task {
                try await store.write { tx in
                    try tx.insert(Ticket(number: 2))
                    written.raise()
                    counted.waitOnThread()
                }
            }
            try await contract.wait(for: written, in: write)
            let counts = try await store.read { tx in
                [try tx.count(Ticket.all), try tx.fetch(Ticket.all).count]
            }
            counted.raise()
            try await write.value
            try contract.expectEqual(counts, [1, 1], "rows counted and fetched beside a running write")
            try contract.expectEqual(try await store.read { try $0.count(Ticket.all) }, 2, "rows afterwards")
        },
    ]
}
