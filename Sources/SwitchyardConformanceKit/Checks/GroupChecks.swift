internal import Foundation
package import Switchyard

/// Groups by what references lead to, and by the parts of a time on the clock of a zone.
package enum GroupChecks {
    package static func figures(_ contract: Contract, _ store: any Store) async throws {
        func expect<Key: Equatable & Sendable>(
            _ grouping: Grouping<Sighting, Key>, _ keys: [Key], _ sums: [Int], _ averages: [Double?]
        ) async throws {
            let found = try await store.read { tx in
                try tx.aggregate(
                    Sighting.all, by: grouping, figures: .count, .sum(\.number), .minimum(\.number),
                    .maximum(\.number))
            }
            try contract.expectEqual(found.map(\.key), keys, "the keys, in order")
            try contract.expectEqual(found.map(\.figures.1), sums, "the sums of \(keys)")
            let (counts, least) = (found.map { $0.figures.0 }, found.map { $0.figures.2 ?? 0 })
            let most = found.map { $0.figures.3 ?? 0 }
            for index in counts.indices {
                // The numbers of a group's rows are 1 and 3, 2 and 4, or one of them.
                let numbers =
                    counts[index] == 1 ? [sums[index]] : [sums[index] / 2 - 1, sums[index] / 2 + 1]
                try contract.expectEqual(
                    [least[index], most[index]], [numbers[0], numbers[counts[index] - 1]],
                    "the extremes of \(keys[index])")
            }
            let means = try await store.read { tx in
                try tx.aggregate(Sighting.all, by: grouping, figures: .average(\.number))
            }
            try contract.expectEqual(means.map(\.key), keys, "the keys of averages")
            try contract.expectEqual(means.map(\.figures), averages, "the averages of \(keys)")
        }
        try await expect(.over(\.specimen, .attribute(\.flag)), [false, true], [4, 6], [2, 3])
        try await expect(.over(\.specimen, .attribute(\.memo)), [nil, "Été"], [6, 4], [3, 2])
        try await expect(
            .over(\.previous, .attribute(\.number)), [nil, 1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4])
        try await expect(
            .over(\.previous, .over(\.specimen, .attribute(\.text))), [nil, "lynx", "otter"], [1, 6, 3],
            [1, 3, 3])
    }

    package static func clocks(_ contract: Contract) async throws {
        let store = try await moments(contract)
        let berlin = try zone("Europe/Berlin")
        try await expect(
            contract, store, .day(of: \.moment, in: berlin),
            "nil 1, 2025-12-31 1, 2026-01-01 1, 2026-03-29 3, 2026-03-30 1, 2026-10-25 3, 2026-10-26 1",
            "the days, one of 23 and one of 25 hours")
        try await expect(
            contract, store, .day(of: \.moment, in: berlin, startingAt: .seconds(9_000)),
            "nil 1, 2025-12-31 2, 2026-03-28 1, 2026-03-29 3, 2026-10-25 4",
            "the days that begin at 02:30, which the clock shows twice once")
        try await expect(
            contract, store, .hour(of: \.moment, in: berlin),
            "nil 1, 2025-12-31 22 1, 2025-12-31 23 1, 2026-03-28 23 1, 2026-03-29 01 1, 2026-03-29 21 1, "
                + "2026-03-29 22 1, 2026-10-25 00 1, 2026-10-25 01 2, 2026-10-25 23 1",
            "the hours, of which one is shown twice")
        try await expect(
            contract, store, .hourOfDay(of: \.moment, in: berlin), "nil 1, 0 4, 2 3, 3 1, 23 2",
            "the hours of the day")
        try await expect(
            contract, store, .hourOfDay(of: \.moment, in: try zone("Asia/Kolkata")),
            "nil 1, 3 2, 4 4, 6 3, 7 1",
            "the hours of the day half an hour beside those of UTC")
        for change in changes { try await expect(contract, change) }
        // At 00:01, the clock was set back by an hour.
        let late = try await moments(contract, ["2010-11-07T02:41:00Z"])
        try await expect(
            contract, late, .day(of: \.moment, in: try zone("America/St_Johns")), "nil 1, 2010-11-07 1",
            "a day that the clock had left again before the first row")
    }

    /// Times around changes of a clock that are not whole hours, or lie within an hour.
    private struct ClockChange {
        let zone: String
        /// Each time, and the start of its hour.
        let hours: KeyValuePairs<String, String>
        let hoursOfDay: String
    }

    private static let changes = [
        // 02:00 becomes 02:30 in October, and 01:30 in April.
        ClockChange(
            zone: "Australia/Lord_Howe",
            hours: [
                "2025-10-04T15:10:00Z": "2025-10-04T14:30:00Z",
                "2025-10-04T15:45:00Z": "2025-10-04T15:30:00Z",
                "2025-10-04T16:10:00Z": "2025-10-04T16:00:00Z",
                "2026-04-04T14:40:00Z": "2026-04-04T14:00:00Z",
                "2026-04-04T15:10:00Z": "2026-04-04T15:00:00Z",
                "2026-04-04T15:40:00Z": "2026-04-04T15:30:00Z",
            ], hoursOfDay: "nil 1, 1 3, 2 2, 3 1"),
        // 00:01 becomes 01:01 in March, and 23:01 of the day before in November.
        ClockChange(
            zone: "America/St_Johns",
            hours: [
                "2010-03-14T03:30:30Z": "2010-03-14T03:30:00Z",
                "2010-03-14T03:41:00Z": "2010-03-14T03:31:00Z",
                "2010-03-14T04:31:00Z": "2010-03-14T04:30:00Z",
                "2010-11-07T02:30:30Z": "2010-11-07T02:30:00Z",
                "2010-11-07T02:41:00Z": "2010-11-07T02:31:00Z",
                "2010-11-07T03:41:00Z": "2010-11-07T03:30:00Z",
            ], hoursOfDay: "nil 1, 0 3, 1 1, 2 1, 23 1"),
        // 02:30 becomes 03:00.
        ClockChange(
            zone: "America/Caracas",
            hours: [
                "2016-05-01T06:45:00Z": "2016-05-01T06:30:00Z",
                "2016-05-01T07:10:00Z": "2016-05-01T07:00:00Z",
            ], hoursOfDay: "nil 1, 2 1, 3 1"),
        // 23:30 becomes 00:00.
        ClockChange(
            zone: "Asia/Pyongyang",
            hours: [
                "2018-05-04T14:45:00Z": "2018-05-04T14:30:00Z",
                "2018-05-04T15:10:00Z": "2018-05-04T15:00:00Z",
            ], hoursOfDay: "nil 1, 0 1, 23 1"),
    ]

    private static func expect(_ contract: Contract, _ change: ClockChange) async throws {
        let zone = try zone(change.zone)
        let store = try await moments(contract, change.hours.map(\.key))
        let groups = try await store.read {
            try $0.aggregate(Specimen.all, by: .hour(of: \.moment, in: zone), figures: .count)
        }
        try contract.expectEqual(
            groups.compactMap { $0.key?.formatted(.iso8601) }, change.hours.map(\.value),
            "the hours in \(change.zone)")
        try contract.expectEqual(
            groups.map(\.figures), groups.map { _ in 1 }, "the times in the hours in \(change.zone)")
        try await expect(
            contract, store, .hourOfDay(of: \.moment, in: zone), change.hoursOfDay,
            "the hours of the day in \(change.zone)")
        for (time, hour) in change.hours {
            let moment = try Date(time, strategy: .iso8601)
            let alone = try await store.read { tx in
                try tx.aggregate(
                    Specimen.where(#Predicate { $0.moment == moment }), by: .hour(of: \.moment, in: zone),
                    figures: .count)
            }
            try contract.expectEqual(
                alone.compactMap { $0.key?.formatted(.iso8601) }, [hour],
                "the hour of \(time) in \(change.zone), without other rows")
        }
    }

    package static func calendar(_ contract: Contract) async throws {
        let store = try await moments(contract)
        let berlin = try zone("Europe/Berlin")
        try await expect(
            contract, store, .week(of: \.moment, in: berlin),
            "nil 1, 2025-12-29 2, 2026-03-23 3, 2026-03-30 1, 2026-10-19 3, 2026-10-26 1",
            "the weeks from Monday")
        try await expect(
            contract, store, .week(of: \.moment, in: berlin, startingOn: .sunday),
            "nil 1, 2025-12-28 2, 2026-03-29 4, 2026-10-25 4", "the weeks from Sunday")
        try await expect(
            contract, store, .month(of: \.moment, in: berlin),
            "nil 1, 2025-12-01 1, 2026-01-01 1, 2026-03-01 4, 2026-10-01 4",
            "the months")
        try await expect(
            contract, store, .quarter(of: \.moment, in: berlin),
            "nil 1, 2025-10-01 1, 2026-01-01 5, 2026-10-01 4",
            "the quarters")
        try await expect(
            contract, store, .year(of: \.moment, in: berlin), "nil 1, 2025-01-01 1, 2026-01-01 9", "the years"
        )
        try await expect(
            contract, store, .weekday(of: \.moment, in: berlin),
            "nil 1, monday 2, wednesday 1, thursday 1, sunday 6",
            "the days of the week")
        let months = try await store.read { tx in
            try tx.aggregate(
                Specimen.all, by: .year(of: \.moment, in: berlin), .quarter(of: \.moment, in: berlin),
                figures: .count
            ).map { "\($0.key.0?.description ?? "nil") \($0.key.1?.description ?? "nil") \($0.figures)" }
        }
        let expected = [
            "nil nil 1", "2025-01-01 2025-10-01 1", "2026-01-01 2026-01-01 5", "2026-01-01 2026-10-01 4",
        ]
        try contract.expectEqual(months, expected, "the years and quarters of one time")
        let sums = try await store.read { tx in
            try tx.aggregate(
                Specimen.all, by: .month(of: \.moment, in: berlin), figures: .sum(\.whole), .sum(\.real))
        }
        try contract.expectEqual(sums.map(\.figures.0), [10, 0, 1, 18, 26], "the sums of months")
        try contract.expectEqual(sums.map(\.figures.1), [5, 0, 0.5, 9, 13], "the sums of doubles")
    }

    package static func partsBehindReferences(_ contract: Contract) async throws {
        let store = try await moments(contract)
        let berlin = try zone("Europe/Berlin")
        let months = try await store.write { tx in
            var previous: Sighting.ID?
            for specimen in try tx.fetch(Specimen.sorted(by: \.whole).limit(3)) {
                previous = try tx.insert(Sighting(specimen: specimen.id, previous: previous, number: 1))
                    .id
            }
            return try tx.aggregate(
                Sighting.all, by: .over(\.specimen, .month(of: \.moment, in: berlin)), figures: .count)
        }
        try contract.expectEqual(
            text(months), "2025-12-01 1, 2026-01-01 1, 2026-03-01 1", "the months of the specimens")
    }

    private static func expect<Key: Sendable>(
        _ contract: Contract, _ store: any Store, _ grouping: Grouping<Specimen, Key>, _ expected: String,
        _ subject: String
    ) async throws {
        let groups = try await store.read { try $0.aggregate(Specimen.all, by: grouping, figures: .count) }
        try contract.expectEqual(text(groups), expected, subject)
    }

    /// Times round the changes of Berlin's clocks.
    private static let berlinTimes = [
        "2025-12-31T22:59:59Z", "2025-12-31T23:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z",
        "2026-03-29T22:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T01:00:00Z",
        "2026-10-25T23:00:00Z", "2026-03-29T01:00:00Z",
    ]

    /// A row for each time, numbered, and one without a time.
    private static func moments(_ contract: Contract, _ times: [String] = berlinTimes) async throws
        -> any Store
    {
        let store = try await contract.makeStore()
        let moments = try times.map { try Date($0, strategy: .iso8601) }
        try await store.write { tx in
            try tx.insert(
                contentsOf: moments.enumerated().map { number, moment in
                    Specimen(whole: number, real: Double(number) / 2, moment: moment)
                } + [Specimen(whole: 10, real: 5)])
        }
        return store
    }

    private static func zone(_ identifier: String) throws -> TimeZone {
        guard let zone = TimeZone(identifier: identifier) else {
            throw StoreError(.unsupported, "The system does not know the time zone \(identifier).")
        }
        return zone
    }

    /// The groups as text: `key count`, an hour as its day and its number in UTC.
    private static func text<Key: Sendable>(_ groups: [(key: Key, figures: Int)]) -> String {
        groups.map { group in
            var key: Any = group.key
            if let optional = key as? any OptionalKey { key = optional.content ?? "nil" }
            if let date = key as? Date {
                let text = date.formatted(.iso8601)
                key = "\(text.prefix(10)) \(text.dropFirst(11).prefix(2))"
            }
            return "\(key) \(group.figures)"
        }.joined(separator: ", ")
    }
}

private protocol OptionalKey {
    var content: Any? { get }
}

extension Optional: OptionalKey {
    fileprivate var content: Any? { map { $0 } }
}
