internal import Foundation
package import Switchyard

/// Requirement Q7 for counts, sums, averages, extremes and groups.
package enum FigureChecks {
    // The store holds four flagged specimens whose doubles add up to 0.1 + 0.2 if no step is rounded.
    package static func verify(_ contract: Contract, _ store: any Store) async throws {
        let (count, others, whole, real, amount) = try await store.read { tx in
            try tx.aggregate(
                Specimen.all, .count, .count(of: \.otherWhole), .sum(\.whole), .sum(\.real), .sum(\.amount))
        }
        try contract.expectEqual([count, others, whole], [4, 2, 4], "the counts and the sum of integers")
        try contract.expectEqual(real, 0.30000000000000004, "the sum of doubles")
        try contract.expectEqual(amount, Decimal(string: "0.3"), "the sum of decimals")
        try await extremes(contract, store)
        try await emptiness(contract, store)
        try await groups(contract, store)
        try await contract.expectError(.arithmetic, "a sum beyond 64 bits") {
            try await store.write { tx in
                try tx.insert(contentsOf: [Specimen(whole: .max), Specimen(whole: 5)])
                return try tx.aggregate(Specimen.all, .sum(\.whole))
            }
        }
    }

    private static func extremes(_ contract: Contract, _ store: any Store) async throws {
        let (least, most, average, realAverage) = try await store.read { tx in
            try tx.aggregate(
                Specimen.all, .minimum(\.otherWhole), .maximum(\.otherWhole), .average(\.otherWhole),
                .average(\.real))
        }
        try contract.expectEqual([least, most], [4, 9], "the extremes of an attribute with nils")
        try contract.expectEqual(average, 6.5, "the average of integers that are not nil")
        try contract.expectEqual(realAverage, 0.07500000000000001, "the average of doubles")
        try await extremesOfTypes(contract)
    }

    /// Types whose extremes databases lack, or order differently.
    private static func extremesOfTypes(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let low = UUID(uuidString: "0F000000-0000-7000-8000-000000000000")
        let high = UUID(uuidString: "F0000000-0000-7000-8000-000000000000")
        let specimens = [
            Specimen(
                flag: false, amount: Decimal(10), text: "é", data: Data([0xFF]), key: high,
                day: CalendarDay("1969-12-31")),
            Specimen(
                flag: true, amount: Decimal(9), text: "Z", data: Data([0, 1]), key: low,
                day: CalendarDay("2026-01-01")),
            Specimen(flag: true, text: "a", data: Data([0])), Specimen(text: "e\u{301}"),
        ]
        try await store.write { try $0.insert(contentsOf: specimens) }
        let (flag, key, data, text) = try await store.read { tx in
            try tx.aggregate(
                Specimen.all, .minimum(\.flag), .minimum(\.key), .minimum(\.data), .minimum(\.text))
        }
        try contract.expectEqual(flag, false, "the smallest of truth values")
        try contract.expectEqual(key, low, "the smallest UUID")
        try contract.expectEqual(data, Data([0]), "the smallest blob")
        try contract.expectEqual(text, "Z", "the smallest text")
        let (flags, keys, most, texts) = try await store.read { tx in
            try tx.aggregate(
                Specimen.all, .maximum(\.flag), .maximum(\.key), .maximum(\.data), .maximum(\.text))
        }
        try contract.expectEqual(flags, true, "the greatest of truth values")
        try contract.expectEqual(keys, high, "the greatest UUID")
        try contract.expectEqual(most, Data([0xFF]), "the greatest blob")
        try contract.expectEqual(texts, "é", "the greatest text")
        let (least, greatest, first, last) = try await store.read { tx in
            try tx.aggregate(
                Specimen.all, .minimum(\.amount), .maximum(\.amount), .minimum(\.day), .maximum(\.day))
        }
        try contract.expectEqual([least, greatest], [9, 10], "the extremes of decimals")
        try contract.expectEqual(
            [first, last].map(\.?.description), ["1969-12-31", "2026-01-01"], "the extremes of days")
    }

    private static func emptiness(_ contract: Contract, _ store: any Store) async throws {
        let (count, sum, least, average) = try await store.read { tx in
            try tx.aggregate(
                Specimen.where(#Predicate { $0.whole > 100 }), .count, .sum(\.whole), .minimum(\.text),
                .average(\.whole))
        }
        try contract.expectEqual([count, sum], [0, 0], "the count and the sum of no rows")
        try contract.expectEqual(least, nil, "the smallest of no rows")
        try contract.expectEqual(average, nil, "the average of no rows")
    }

    /// Times around 07:00, when the days of this query begin, and around 1970, before which days are negative.
    private static func groups(_ contract: Contract, _ store: any Store) async throws {
        let times: [TimeInterval] = [7 * 3600, 7 * 3600 - 1, 0, 31 * 3600 - 1, -20 * 3600]
        let days = try await store.write { tx in
            try tx.delete(Specimen.all)
            try tx.insert(
                contentsOf: times.enumerated().map { index, time in
                    Specimen(flag: index == 2, whole: index, moment: Date(timeIntervalSince1970: time))
                })
            try tx.insert(Specimen(whole: 9))
            return try tx.aggregate(
                Specimen.all, by: .day(of: \.moment, in: .gmt, startingAt: .seconds(7 * 3600)),
                .attribute(\.flag), figures: .count,
                .sum(\.whole)
            ).map { "\($0.key.0?.description ?? "nil") \($0.key.1) \($0.figures.0) \($0.figures.1)" }
        }
        let expected = [
            "nil false 1 9", "1969-12-30 false 1 4", "1969-12-31 false 1 1", "1969-12-31 true 1 2",
            "1970-01-01 false 2 3",
        ]
        try contract.expectEqual(days, expected, "counts and sums by day and flag")
    }
}
