import Foundation
import Switchyard
import SwitchyardConformance
import TestBackends
import Testing

@Suite("Many rows are upserted together")
struct UpsertTests {
    @Model
    struct Part {
        #Unique<Part>([\.number])
        #Unique<Part>([\.shelf, \.box], nilsAreDistinct: false)
        #Unique<Part>([\.label])
        let id: ID
        var number: Int = 0
        var shelf: String?
        var box: Decimal?
        var label: String?
        @Attribute(.searchable) var name: String = ""
        var weight: Double?
        var data: Data?
    }

    @Test(
        "upserted rows return in order, with the ids of the existing rows",
        arguments: TestBackend.available,
        [1, 63, 64, 65, 255, 1_024, 2_050])
    func places(backend: TestBackend, count: Int) async throws {
        try await backend.withStore(of: Part.self) { store in
            // Every third is there already.
            let present = (0..<count).filter { $0 % 3 == 0 }.map {
                Part(number: $0, shelf: "s\($0)", name: "old", weight: 0.5)
            }
            let parts = (0..<count).reversed().map { number in
                Part(
                    number: number, shelf: "s\(number)", name: "Né \(number)",
                    weight: number % 2 == 0 ? Double(number) : nil,
                    data: number % 5 == 0 ? Data() : Data([UInt8(number % 256), 0]))
            }
            let stored = try await store.write { tx in
                try tx.insert(contentsOf: present)
                return try tx.upsert(parts, on: \.number)
            }
            let ids = Dictionary(uniqueKeysWithValues: present.map { ($0.number, $0.id) })
            let expected = parts.map { part in
                Part(
                    id: ids[part.number] ?? part.id, number: part.number, name: part.name,
                    weight: part.weight,
                    data: part.data)
            }
            #expect(stored.map(\.id) == expected.map(\.id))
            #expect(stored.map(\.name) == expected.map(\.name))
            #expect(stored.map(\.weight) == expected.map(\.weight))
            #expect(stored.map(\.data) == expected.map(\.data))
            let all = try await store.read { try $0.fetch(Part.all.sorted(by: \.number, .descending)) }
            #expect(all.map(\.id) == expected.map(\.id))
            #expect(all.map(\.name) == expected.map(\.name))
            let found = try await store.read {
                try $0.count(Part.where(#Predicate { $0.name.localizedStandardContains("NE 0") }))
            }
            #expect(found == 1)
        }
    }

    @Test(
        "the last of several upserted rows with one key wins, nil equal to nil as well",
        arguments: TestBackend.available)
    func repeated(backend: TestBackend) async throws {
        try await backend.withStore(of: Part.self) { store in
            let known = Part(number: 1, shelf: "a", name: "known")
            let stored = try await store.write { tx in
                try tx.insert(known)
                return try tx.upsert(
                    [
                        Part(number: 2, shelf: "b", box: 1, name: "first"),
                        Part(number: 3, shelf: "a", name: "over"),
                        Part(number: 4, name: "neither"),
                        Part(number: 5, shelf: "b", box: Decimal(string: "1.0"), name: "last"),
                        Part(number: 6, name: "neither again"),
                    ], on: \.shelf, \.box)
            }
            #expect(stored.map(\.name) == ["last", "over", "neither again"])
            #expect(stored[1].id == known.id)
            #expect(try await store.read { try $0.count(Part.all) } == 3)
        }
    }

    @Test(
        "upserted rows with distinct nils are each inserted, and return by their ids",
        arguments: TestBackend.available)
    func nils(backend: TestBackend) async throws {
        try await backend.withStore(of: Part.self) { store in
            let parts = (0..<100).map {
                Part(number: $0, shelf: "s\($0)", label: $0 % 2 == 0 ? nil : "l\($0)")
            }
            let stored = try await store.write { try $0.upsert(parts, on: \.label) }
            #expect(stored.map(\.id) == parts.map(\.id))
            #expect(stored.map(\.number) == Array(0..<100))
        }
    }

    @Test("a row that breaks another constraint undoes the whole upsert", arguments: TestBackend.available)
    func refusal(backend: TestBackend) async throws {
        try await backend.withStore(of: Part.self) { store in
            let error = await #expect(throws: StoreError.self) {
                try await store.write { tx in
                    try tx.insert(Part(number: 1_000, shelf: "s", label: "taken"))
                    try tx.upsert(
                        (0..<200).map { Part(number: $0, shelf: "s\($0)", label: $0 == 150 ? "taken" : nil) },
                        on: \.number)
                }
            }
            #expect(error?.code == .unique)
            #expect(error?.constraint == "unique_Part_label")
            let isKept = try await store.read { try $0.exists(Part.all) }
            #expect(!isKept)
        }
    }
}
