internal import Foundation
internal import Switchyard

/// Requirement T5+query: rows that are made of others.
enum InsertSelectedChecks {
    static let all: [Requirement] = [
        Requirement("T5+query", "rows are made of those of a query, with their ids or new ones") { contract in
            let store = try await contract.makeStore()
            let ids = try await store.write { tx in
                try (1...5).map { number in
                    try tx.insert(
                        Specimen(whole: number, text: "row \(number)", otherReal: number < 3 ? nil : 2.5)
                    ).id
                }
            }
            // By one statement, on a database that can.
            let copied = try await store.write { tx in
                try tx.insert(
                    Sighting.self, from: Specimen.where(#Predicate { $0.whole < 4 }),
                    setting: [.sameID, .set(\.specimen, to: \.id), .set(\.number, to: \.whole)])
            }
            try contract.expectEqual(copied, 3, "the number of rows made of others")
            let sightings = try await store.read { try $0.fetch(Sighting.sorted(by: \.number)) }
            try contract.expectEqual(sightings.map(\.number), [1, 2, 3], "the values of rows made of others")
            try contract.expectEqual(sightings.map(\.id.uuid), ids.prefix(3).map(\.uuid), "their ids")
            try contract.expectEqual(sightings.map(\.specimen), Array(ids.prefix(3)), "their references")
            try await contract.expectError(.unique, "ids that exist") {
                try await store.write { tx in
                    try tx.insert(
                        Sighting.self, from: Specimen.where(#Predicate { $0.whole < 2 }),
                        setting: [.sameID, .set(\.specimen, to: \.id)])
                }
            }
            let (limited, numbers) = try await store.write { tx in
                let count = try tx.insert(
                    Sighting.self, from: Specimen.sorted(by: \.whole, .descending).limit(2),
                    setting: [.set(\.specimen, to: \.id), .set(\.number, to: #Expression { $0.whole * 10 })])
                let made = Sighting.where(#Predicate { $0.number > 9 }).sorted(by: \.id)
                return (count, try tx.fetch(made, \.number))
            }
            try contract.expectEqual(limited, 2, "the number of rows made of the last two")
            try contract.expectEqual(numbers, [50, 40], "their values, in the order of their ids")
            let doubled = try await store.write { tx in
                try tx.insert(
                    Sighting.self, from: Sighting.all,
                    setting: [.set(\.specimen, to: \.specimen), .set(\.previous, to: \.previous)])
                return try tx.count(Sighting.all)
            }
            try contract.expectEqual(doubled, 10, "the number of rows, after each was copied once")
        }
    ]
}
