import Foundation
import SQLiteStore
import SwitchyardCore
import Testing

/// Rows go 64 to a statement, and what is left over goes one by one.
@Suite("Rows inserted together")
struct BatchTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("rows inserted together arrive whole and in any number", arguments: [0, 1, 63, 64, 65, 200])
    func numbers(count: Int) async throws {
        let store = try await openStore(directory.file())
        let people = (0..<count).map { number in
            var person = Person("P\(number)", balance: Decimal(number), visits: Int64(number))
            if number.isMultiple(of: 3) { person.photo = Data([UInt8(number), 0, 255]) }
            if number.isMultiple(of: 5) { person.photo = Data() }
            return person
        }
        #expect(try await store.write { try $0.insert(contentsOf: people) } == count)
        let stored = try await store.read { try $0.fetch(Person.all.sorted(by: \.visits)) }
        #expect(stored == people)
        try await store.close()
    }

    @Test("rows inserted together may have any length")
    func longRows() async throws {
        let store = try await openStore(directory.file())
        let people = (0..<5).map { number in
            var person = Person("P\(number)", visits: Int64(number))
            person.photo = Data(repeating: UInt8(number), count: 700_000)
            return person
        }
        #expect(try await store.write { try $0.insert(contentsOf: people) } == 5)
        let photos = try await store.read { try $0.fetch(Person.all.sorted(by: \.visits)) }.map(\.photo)
        #expect(photos == people.map(\.photo))
        try await store.close()
    }

    @Test("one refused row undoes a whole batch of inserts", arguments: [3, 70])
    func refusal(position: Int) async throws {
        let store = try await openStore(directory.file())
        try await store.write { tx in
            try tx.insert(Person("First"))
            let error = #expect(throws: StoreError.self) {
                try tx.nested {
                    var names = (0..<100).map { "P\($0)" }
                    names[position] = "First"
                    try tx.insert(contentsOf: names.map { Person($0) })
                }
            }
            #expect(error?.code == .unique)
            try tx.insert(Person("Last"))
        }
        let names = try await store.read { try $0.fetch(Person.all.sorted(by: \.name)) }.map(\.name)
        #expect(names == ["First", "Last"])
        try await store.close()
    }

    @Test("a batch of inserts conflicts with existing rows and within itself")
    func upsert() async throws {
        let store = try await openStore(directory.file())
        let known = Person("P7", visits: 7)
        let people = (0..<130).map { Person("P\($0 % 100)", visits: Int64(1_000 + $0)) }
        try await store.write { tx in
            try tx.insert(known)
            try tx.upsert(people, on: \.name)
        }
        let stored = try await store.read { try $0.fetch(Person.all) }
        #expect(stored.count == 100)
        #expect(stored.first { $0.name == "P7" }?.visits == 1_107)
        #expect(stored.first { $0.name == "P7" }?.id == known.id)
        #expect(stored.first { $0.name == "P99" }?.visits == 1_099)
        try await store.close()
    }
}
