internal import Foundation
internal import Switchyard

/// Requirements Q+related and Q+count: conditions on the rows that references point to, and on their number.
enum RelatedRequirements {
    static let all: [Requirement] = [
        Requirement("Q+related", "a condition through a reference is about the row that it points at") {
            contract in
            let store = try await sightings(contract)
            func numbers(_ predicate: Predicate<Sighting>) async throws -> [Int] {
                try await store.read {
                    try $0.fetch(Sighting.where(predicate).sorted(by: \.number), \.number)
                }
            }
            func expect(_ expected: [Int], _ subject: String, _ predicate: Predicate<Sighting>) async throws {
                try contract.expectEqual(try await numbers(predicate), expected, subject)
            }
            try await expect([1, 3], "an equal text", #Predicate { $0.specimen[\.text] == "lynx" })
            try await expect([2, 4], "another text", #Predicate { $0.specimen[\.text] != "lynx" })
            try await expect([2, 4], "the opposite", #Predicate { !($0.specimen[\.text] == "lynx") })
            try await expect([2], "text within", #Predicate { $0.specimen[\.text].contains("tt") })
            try await expect([1, 3], "a prefix", #Predicate { $0.specimen[\.text].starts(with: "l") })
            try await expect(
                [1, 3], "a search",
                #Predicate { $0.specimen[\.memo]?.localizedStandardContains("ETE") == true })
            try await expect([2, 4], "a flag", #Predicate { $0.specimen[\.flag] })
            try await expect([1, 3], "the opposite of a flag", #Predicate { !$0.specimen[\.flag] })
            try await expect([2, 4], "no value", #Predicate { $0.specimen[\.memo] == nil })
            try await expect([1, 2, 3], "an order", #Predicate { $0.specimen[\.whole] < 3 })
            try await expect([4], "a calculation", #Predicate { $0.specimen[\.whole] * 2 > 5 })
            let texts = ["lynx", "wolf"]
            try await expect([1, 3, 4], "a list", #Predicate { texts.contains($0.specimen[\.text]) })
            try await expect(
                [1], "with another term", #Predicate { $0.specimen[\.text] == "lynx" && $0.number < 2 })
            try await expect(
                [1, 3, 4], "beside another term",
                #Predicate { $0.specimen[\.text] == "lynx" || $0.number > 3 })
        },
        Requirement("Q+related", "a reference that is nil leads to nil, over any number of steps") {
            contract in
            let store = try await sightings(contract)
            func numbers(_ predicate: Predicate<Sighting>) async throws -> [Int] {
                try await store.read {
                    try $0.fetch(Sighting.where(predicate).sorted(by: \.number), \.number)
                }
            }
            func expect(_ expected: [Int], _ subject: String, _ predicate: Predicate<Sighting>) async throws {
                try contract.expectEqual(try await numbers(predicate), expected, subject)
            }
            try await expect([3], "an equal number", #Predicate { $0.previous[\.number] == 2 })
            try await expect([1, 2, 4], "another number", #Predicate { $0.previous[\.number] != 2 })
            try await expect([1, 2, 4], "the opposite", #Predicate { !($0.previous[\.number] == 2) })
            // swift-format-ignore: NeverForceUnwrap
            try await expect([2, 4], "a value and another one", #Predicate { $0.previous![\.number] != 2 })
            try await expect([1], "no row", #Predicate { $0.previous[\.number] == nil })
            try await expect(
                [1], "a number in the place of nil", #Predicate { ($0.previous[\.number] ?? 9) == 9 })
            try await expect([2, 4], "two steps", #Predicate { $0.previous[\.specimen][\.text] == "lynx" })
            try await expect(
                [1, 2, 3], "three steps, and nil",
                #Predicate { $0.previous[\.previous][\.specimen][\.flag] != true })
            try await expect([1, 2], "no row after two steps", #Predicate { $0.previous[\.previous] == nil })
            try await expect(
                [1, 3], "no value or no row", #Predicate { $0.previous[\.specimen][\.memo] == nil })
            let same = ComparisonResult.orderedSame
            try await expect(
                [2, 4], "a search",
                #Predicate {
                    $0.previous[\.specimen][\.memo]?.caseInsensitiveCompare("ÉTÉ") == same
                })
            try await expect(
                [1, 3], "the opposite of a search",
                #Predicate {
                    $0.previous[\.specimen][\.memo]?.caseInsensitiveCompare("ÉTÉ") != same
                })
            try await expect(
                [1, 4], "a choice",
                #Predicate { if let last = $0.previous { last[\.number] > 2 } else { $0.number == 1 } })
        },
        Requirement("Q+count", "the rows of a to-many are counted") { contract in
            let store = try await sightings(contract)
            try await store.write { tx in
                let first = try contract.require(
                    try tx.fetch(Sighting.where(#Predicate { $0.number == 1 })).first, "a row")
                try tx.insert(Sighting(specimen: first.specimen, previous: first.id, number: 5))
            }
            func expect(_ expected: [Int], _ subject: String, _ predicate: Predicate<Sighting>) async throws {
                let found = try await store.read {
                    try $0.fetch(Sighting.where(predicate).sorted(by: \.number), \.number)
                }
                try contract.expectEqual(found, expected, subject)
            }
            try await expect([1], "two rows", #Predicate { $0.following[\.count] == 2 })
            try await expect([2, 3, 4, 5], "fewer rows", #Predicate { $0.following[\.count] < 2 })
            try await expect([1, 2, 3], "any rows", #Predicate { $0.following[\.count] > 0 })
            try await expect([4, 5], "no rows", #Predicate { $0.following[\.isEmpty] })
            try await expect([1, 2, 3], "not none", #Predicate { !$0.following[\.isEmpty] })
            try await expect(
                [2], "as many as a number", #Predicate { $0.following[\.count] == $0.number - 1 })
            // swift-format-ignore: NeverForceUnwrap
            try await expect(
                [2, 5], "the rows of another row", #Predicate { $0.previous![\.following][\.count] == 2 })
        },
        Requirement("Q+captured", "a predicate compares with the attributes of a model that it captures") {
            contract in
            let store = try await sightings(contract)
            let (lynx, first) = try await store.read { tx in
                (
                    try contract.require(
                        try tx.first(Specimen.where(#Predicate { $0.text == "lynx" })), "the lynx"),
                    try contract.require(try tx.first(Sighting.sorted(by: \.number)), "the first sighting")
                )
            }
            func expect(_ expected: [Int], _ subject: String, _ predicate: Predicate<Sighting>) async throws {
                let numbers = try await store.read {
                    try $0.fetch(Sighting.where(predicate).sorted(by: \.number), \.number)
                }
                try contract.expectEqual(numbers, expected, subject)
            }
            try await expect([1, 3], "the id of a model", #Predicate { $0.specimen == lynx.id })
            try await expect([2, 4], "another id", #Predicate { $0.specimen != lynx.id })
            try await expect([1], "an attribute", #Predicate { $0.number == lynx.whole })
            try await expect(
                [1, 3], "a model captured inside a to-many",
                #Predicate { $0.following.contains { $0.specimen != lynx.id } })
            let chosen: Sighting? = first
            try await expect([2], "an optional model", #Predicate { $0.previous == chosen?.id })
            try await expect(
                [1, 3, 4], "another than an optional model", #Predicate { $0.previous != chosen?.id })
            let none: Sighting? = nil
            try await expect([1], "no model", #Predicate { $0.previous == none?.id })
            let models = [lynx]
            let numbers = try await store.write { tx in
                try tx.update(
                    Sighting.where(#Predicate { sighting in models.contains { $0.id == sighting.specimen } }),
                    set: [.set(\.number, to: 9)])
            }
            try contract.expectEqual(numbers, 2, "the count of an update of the rows of captured models")
        },
        Requirement("Q+before", "an update and a delete test each row as all rows were before") { contract in
            let store = try await contract.makeStore()
            let specimen = Specimen(text: "lynx")
            // Two chains of four rows, one with ascending ids and one with descending ids: any order of updates reaches
            // some row after the row that it refers to, and some row after a row that refers to it.
            let ids = (0..<8).map { _ in Sighting.ID() }
            let sightings = [Array(ids[..<4]), ids[4...].reversed()].flatMap { ids in
                ids.indices.map { index in
                    Sighting(
                        id: ids[index], specimen: specimen.id, previous: index == 0 ? nil : ids[index - 1],
                        number: 0)
                }
            }
            let counts = try await store.write { tx in
                try tx.insert(specimen)
                try tx.insert(contentsOf: sightings)
                return [
                    try tx.update(
                        Sighting.where(#Predicate { !$0.following.contains { $0.number == 1 } }),
                        set: [.set(\.number, to: 1)]),
                    try tx.update(
                        Sighting.where(#Predicate { $0.following[\.isEmpty] }),
                        set: [.set(\.previous, to: nil)]),
                    try tx.delete(Sighting.where(#Predicate { $0.following[\.isEmpty] })),
                ]
            }
            try contract.expectEqual(
                counts, [8, 2, 4],
                "rows before none that is marked, rows that no other refers to, and those again")
        },
    ]

    /// Four sightings, each but the first referring to the one before: of a lynx, an otter, the lynx and a wolf.
    static func sightings(_ contract: Contract) async throws -> any Store {
        let store = try await contract.makeStore()
        let lynx = Specimen(whole: 1, text: "lynx", memo: "Été")
        let otter = Specimen(flag: true, whole: 2, text: "otter")
        let wolf = Specimen(flag: true, whole: 3, text: "wolf")
        try await store.write { tx in
            try tx.insert(contentsOf: [lynx, otter, wolf])
            var previous: Sighting.ID?
            for (index, specimen) in [lynx, otter, lynx, wolf].enumerated() {
                previous = try tx.insert(
                    Sighting(specimen: specimen.id, previous: previous, number: index + 1)
                ).id
            }
        }
        return store
    }
}
