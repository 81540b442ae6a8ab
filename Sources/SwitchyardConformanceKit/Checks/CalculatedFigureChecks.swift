internal import Foundation
internal import Switchyard

/// Requirements Q+rows, Q+overall, Q+across and Q+span: figures of what is calculated for each row, comparisons with figures
/// over all rows and with other rows, and figures over several groups.
package enum CalculatedFigureChecks {
    package static let all: [Requirement] = [
        Requirement("Q+rows", "figures are of what is calculated for each row, also behind references") {
            contract in
            let store = try await OrderChecks.sightings(contract)
            let price = Decimal(string: "0.07") ?? 0
            try await store.write { tx in
                try tx.insert(contentsOf: [
                    Specimen(whole: 3, real: 0.5, amount: price),
                    Specimen(whole: 4, real: 0.25, amount: 3 * price), Specimen(whole: 5),
                ])
            }
            let priced = Specimen.where(#Predicate { $0.whole > 2 })
            let hundred = Decimal(100)
            let square = #Expression<Specimen, Int> { $0.whole * $0.whole + 1 }
            let present = #Expression<Specimen, Decimal> { $0.amount ?? hundred }
            let scaled = #Expression<Specimen, Double> { $0.real * 4 }
            let (sum, count, most, average) = try await store.read { tx in
                try tx.aggregate(
                    priced, .sum(square), .count(where: #Predicate { $0.amount != nil && $0.real < 0.5 }),
                    .maximum(present), .average(scaled))
            }
            try contract.expectEqual([sum, count], [53, 1], "a sum and a count")
            try contract.expectEqual(most, 100, "the greatest")
            try contract.expectEqual(average, 1, "an average")
            // swift-format-ignore: NeverForceUnwrap
            let exact = try await store.read { tx in
                try tx.aggregate(priced, .sum(#Expression { $0.amount! * hundred }))
            }
            try contract.expectEqual(exact, 28, "a sum of decimals")
            try await contract.expectError(.arithmetic, "a sum with a division by zero") {
                let none = 3
                return try await store.read { tx in
                    try tx.aggregate(priced, .sum(#Expression { 1 / ($0.whole - none) }))
                }
            }
            let groups = try await store.read { tx in
                try tx.aggregate(
                    Sighting.where(#Predicate { $0.previous != nil }),
                    by: .over(\.previous, .attribute(\.number)),
                    figures: .sum(#Expression { $0.previous[\.number] }), .sum(\.number))
            }
            try contract.expectEqual(
                groups.map { [$0.figures.0, $0.figures.1] }, [[3, 9], [4, 13], [3, 6]],
                "sums of what is behind a reference, in groups")
            let rows = Sighting.sorted(by: \.number)
            let included = try await store.read { tx in
                try tx.fetch(
                    rows, including: .figure(\.following, .sum(#Expression { $0.number * 10 })),
                    .figure(\.following, .minimum(#Expression { $0.previous[\.number] })),
                    .running(.sum(#Expression { 0 - $0.number })))
            }
            try contract.expectEqual(
                included.map(\.1), [90, 130, 60, 0, 0, 0, 0], "sums of each row's rows")
            try contract.expectEqual(
                included.map(\.2), [1, 2, 3, nil, nil, nil, nil], "the smallest behind a reference")
            try contract.expectEqual(
                included.map(\.3), [-1, -3, -6, -10, -15, -21, -29], "a running sum")
            let chosen = try await store.read { tx in
                try tx.fetch(
                    Sighting.where(
                        .figure(\.following, .sum(#Expression { $0.number * 10 })), .greaterOrEqual, 90
                    ).sorted(by: .figure(\.following, .sum(#Expression { $0.number * 10 })), .descending),
                    \.number)
            }
            try contract.expectEqual(chosen, [2, 1], "rows chosen and sorted by such a sum")
        },
        Requirement("Q+overall", "a condition compares with a figure over all rows") { contract in
            let store = try await OrderChecks.sightings(contract)
            func expect(_ expected: [Int], _ subject: String, _ query: Query<Sighting>) async throws {
                let found = try await store.read { try $0.fetch(query.sorted(by: \.number), \.number) }
                try contract.expectEqual(found, expected, subject)
            }
            // The average of 1, 2, 3, 4, 5, 6 and 8 is 29/7.
            try await expect(
                [5, 6, 8], "above the average",
                Sighting.where(\.number, .greater, overall: .average(\.number)))
            try await expect(
                [1, 2, 3, 4], "not above it",
                Sighting.matching(.not(.where(\.number, .greaterOrEqual, overall: .average(\.number)))))
            try await expect(
                [], "equal to it", Sighting.where(\.number, .equal, overall: .average(\.number)))
            try await expect(
                [8], "the greatest", Sighting.where(\.number, .equal, overall: .maximum(\.number)))
            let small = Sighting.where(#Predicate { $0.number < 4 })
            try await expect(
                [2], "the average of some",
                Sighting.where(\.number, .equal, overall: .average(\.number), of: small))
            try await expect(
                [], "below the least of none",
                Sighting.where(
                    \.number, .less, overall: .minimum(\.number),
                    of: Sighting.where(#Predicate { $0.number > 9 })))
            try await expect(
                [], "above the average of none",
                Sighting.where(
                    \.number, .greater, overall: .average(\.number),
                    of: Sighting.where(#Predicate { $0.number > 9 })))
            let changed = try await store.write { tx in
                try tx.update(
                    Sighting.where(\.number, .equal, overall: .maximum(\.number)),
                    set: [.set(\.number, to: 0)])
                return try tx.fetch(
                    Sighting.where(\.number, .equal, overall: .minimum(\.number)), \.number)
            }
            try contract.expectEqual(changed, [0], "the least after the greatest has changed")
            try await expect(
                [6], "the greatest now", Sighting.where(\.number, .equal, overall: .maximum(\.number)))
            try await contract.expectError(.unsupported, "a number compared with a text") {
                try await store.read {
                    try $0.count(Specimen.where(\.whole, .equal, overall: .maximum(\.text)))
                }
            }
        },
        Requirement("Q+across", "a row is compared with the rows that it refers to, and calculated with them")
        {
            contract in
            let store = try await OrderChecks.sightings(contract)
            func expect(_ expected: [Int], _ subject: String, _ query: Query<Sighting>) async throws {
                let found = try await store.read { try $0.fetch(query.sorted(by: \.number), \.number) }
                try contract.expectEqual(found, expected, subject)
            }
            // swift-format-ignore: NeverForceUnwrap
            let twice = Sighting.where(#Predicate { $0.number >= $0.previous[\.number]! * 3 })
            try await expect([3, 4, 8], "three times the one before", twice)
            try await expect(
                [1, 2, 3, 5, 6], "less than three times, or none before",
                Sighting.where(#Predicate { !($0.number > ($0.previous[\.number] ?? 9) * 3) }))
            try await expect(
                [5, 6, 8], "more than two before",
                Sighting.where(#Predicate { $0.number > ($0.previous[\.previous][\.number] ?? 9) }))
            try await expect(
                [1], "one before equal to two before",
                Sighting.where(#Predicate { $0.previous[\.number] == $0.previous[\.previous][\.number] }))
            let order = try await store.read { tx in
                try tx.fetch(
                    Sighting.sorted(by: #Expression { $0.number - ($0.previous[\.number] ?? 0) }, .descending)
                        .sorted(by: \.number), \.number)
            }
            try contract.expectEqual(order, [8, 4, 5, 6, 3, 1, 2], "by the distance from the one before")
            let moved = try await store.write { tx in
                try tx.update(
                    Sighting.where(#Predicate { $0.previous != nil }),
                    set: [.set(\.number, to: #Expression { $0.number + ($0.previous[\.number] ?? 0) })])
                return try tx.fetch(Sighting.sorted(by: \.number), \.number)
            }
            try contract.expectEqual(moved, [1, 3, 4, 5, 7, 9, 10], "numbers added to those before")
        },
        Requirement("Q+span", "figures of groups are of those before as well, and of all") { contract in
            let store = try await OrderChecks.sightings(contract)
            let groups = try await store.read { tx in
                try tx.aggregate(
                    Sighting.all, by: .over(\.previous, .attribute(\.number)), figures: .sum(\.number),
                    .running(.sum(\.number)), .overall(.count), .running(.average(\.number))
                ) { $0.having(.sum(\.number), .greater, 5).sorted(by: .sum(\.number), .descending) }
            }
            try contract.expectEqual(
                groups.map { [$0.figures.0, $0.figures.1, $0.figures.2] },
                [[13, 23, 7], [9, 10, 7], [6, 29, 7]], "sums, running sums and the count of all")
            try contract.expectEqual(
                groups.map(\.figures.3), [23.0 / 6, 2.5, 29.0 / 7], "running averages")
            let sums = try await store.read { tx in
                try tx.aggregate(
                    Sighting.all, by: .over(\.previous, .attribute(\.number)), figures: .sum(\.number),
                    .running(.sum(\.number)))
            }
            try contract.expectEqual(
                sums.map { [$0.figures.0, $0.figures.1] }, [[1, 1], [9, 10], [13, 23], [6, 29]],
                "sums and running sums alone")
            let most = try await store.read { tx in
                try tx.aggregate(
                    Sighting.all, by: .attribute(\.number), figures: .running(.maximum(\.number)))
            }
            try contract.expectEqual(
                most.map(\.figures), [1, 2, 3, 4, 5, 6, 8], "the greatest so far, by an attribute")
            try await contract.expectError(.unsupported, "a running figure of each row's rows") {
                try await store.read {
                    try $0.fetch(
                        Sighting.all, including: .figure(\.following, .running(.sum(\.number)))
                    ).count
                }
            }
        },
    ]
}
