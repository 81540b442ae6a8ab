import Foundation
import SQLiteStore
import SwitchyardCore
import Testing

@Suite("A store in an SQLite file")
struct StoreTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("unique constraints that differ only in their filters are never confused in an error")
    func filteredConstraints() async throws {
        func filter(_ name: String) -> Condition { .compare(.attribute(name), .equal, .value(.bool(true))) }
        let seat = Entity(
            "Seat",
            attributes: [
                Attribute("id", type: .uuid), Attribute("number", type: .int),
                Attribute("isSold", type: .bool),
                Attribute("isKept", type: .bool), Attribute("code", type: .int),
            ],
            uniqueConstraints: [
                UniqueConstraint(["number"], where: filter("isSold")),
                UniqueConstraint(["number"], where: filter("isKept")), UniqueConstraint(["code"]),
            ])
        let schema = try Schema(version: SchemaVersion(1), entities: [seat])
        let store = try await openStore(directory.file("seats.sqlite"), schema: schema)
        func insert(number: Int64, isKept: Bool, code: Int64) async throws {
            _ = try await store.write {
                try $0.insertRows(
                    into: "Seat", [[.uuid(UUID()), .int(number), .bool(false), .bool(isKept), .int(code)]])
            }
        }
        try await insert(number: 1, isKept: true, code: 1)
        let second = await #expect(throws: StoreError.self) {
            try await insert(number: 1, isKept: true, code: 2)
        }
        #expect(second?.code == .unique)
        #expect(second?.entity == "Seat")
        #expect(second?.attribute == "number")
        #expect(second?.constraint == nil)
        let third = await #expect(throws: StoreError.self) {
            try await insert(number: 2, isKept: false, code: 1)
        }
        #expect(third?.constraint == "unique_Seat_code")
        try await store.close()
    }

    @Test("rows are inserted, found, fetched, updated and deleted in SQLite")
    func roundTrip() async throws {
        let store = try await openStore(directory.file())
        var mia = Person("Mia", born: Date(timeIntervalSince1970: 1.25), balance: 12.5, visits: .max)
        mia.photo = Data([0, 1, 255])
        mia.weight = -.infinity
        let inserted = mia
        try await store.write { _ = try $0.insert(inserted) }
        #expect(try await store.read { try $0.find(inserted.id) } == inserted)
        #expect(try await store.read { try $0.fetch(Person.all) } == [inserted])
        try await store.write { tx in
            var changed = inserted
            changed.photo = Data()
            changed.name = ""
            _ = try tx.update(changed)
        }
        let changed = try await store.read { try $0.find(inserted.id) }
        #expect(changed?.photo == Data())
        #expect(changed?.name == "")
        #expect(try await store.check() == [])
        #expect(try await store.write { try $0.delete(inserted.id) } == 1)
        #expect(try await store.read { try $0.count(Person.all) } == 0)
        try await store.close()
    }

    @Test("rows survive closing and opening again")
    func reopening() async throws {
        let first = try await openStore(directory.file())
        try await first.write { _ = try $0.insert(Person("Mia")) }
        let marker = try await first.marker()
        try await first.close()
        let second = try await openStore(directory.file())
        #expect(try await second.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
        #expect(try await second.marker() == marker)
        try await second.close()
    }

    @Test("lists of any size, searches, and conditions through a relationship work in SQLite")
    func conditions() async throws {
        let store = try await openStore(directory.file())
        let mother = Person("Zoë", balance: -2)
        let people =
            [mother]
            + (0..<500).map { Person("P\($0)", balance: Decimal($0), motherID: mother.id, visits: $0) }
        try await store.write { _ = try $0.insert(contentsOf: people) }
        func count(_ condition: Condition) async throws -> Int {
            try await store.read { try $0.count(Person.matching(condition)) }
        }
        #expect(try await count(.isIn(.attribute("id"), people.map { .uuid($0.id.uuid) })) == 501)
        #expect(try await count(.isIn(.attribute("name"), [.text("P1"), .text("P7"), .text("none")])) == 2)
        #expect(
            try await count(.isIn(.attribute("balance"), [.decimal(-2), .decimal(7), .decimal(-1)])) == 2)
        #expect(try await count(.isIn(.attribute("visits"), [.int(3), .int(.min)])) == 1)
        #expect(try await count(.search(attribute: "name", .contains, text: "zoe")) == 1)
        #expect(try await count(.match(.attribute("name"), .hasSuffix, .value(.text("99")))) == 5)
        #expect(try await count(.compare(.attribute("balance"), .greater, .value(.decimal(99)))) == 400)
        #expect(
            try await count(
                .exists(relationship: "children", .compare(.attribute("visits"), .equal, .value(.int(499)))))
                == 1)
        try await store.close()
    }

    @Test("integers overflow to nil in an SQLite condition, and to an error in an update")
    func overflow() async throws {
        let store = try await openStore(directory.file())
        try await store.write { _ = try $0.insert(Person("Mia", visits: .max)) }
        let sum = Operand.arithmetic(.attribute("visits"), .add, .value(.int(1)))
        let counts = try await store.read { tx in
            [
                try tx.count(Person.matching(.compare(sum, .greater, .value(.int(0))))),
                try tx.count(Person.matching(.compare(sum, .equal, .value(.null)))),
            ]
        }
        #expect(counts == [0, 1])
        let error = await #expect(throws: StoreError.self) {
            try await store.write { tx in
                try tx.updateRows(
                    of: "Person", set: [Assignment(attribute: "visits", value: sum)], where: .constant(true))
            }
        }
        #expect(error?.code == .arithmetic)
        try await store.close()
    }

    @Test("a reference to no row is refused at commit, by name")
    func reference() async throws {
        let store = try await openStore(directory.file())
        let error = await #expect(throws: StoreError.self) {
            try await store.write { _ = try $0.insert(Person("Mia", motherID: Person.ID())) }
        }
        #expect(error?.code == .foreignKey)
        #expect(error?.entity == "Person")
        #expect(error?.attribute == "motherID")
        #expect(error?.constraint == "reference_Person_motherID")
        #expect(try await store.read { try $0.count(Person.all) } == 0)
        try await store.close()
    }

    @Test("a broken constraint is named in SQLite")
    func unique() async throws {
        let store = try await openStore(directory.file())
        let mia = Person("Mia", born: Date(timeIntervalSince1970: 1), balance: 2)
        try await store.write { _ = try $0.insert(mia) }
        let name = await #expect(throws: StoreError.self) {
            try await store.write { _ = try $0.insert(Person("Mia")) }
        }
        #expect(name?.code == .unique)
        #expect(name?.constraint == "unique_Person_name")
        #expect(name?.attribute == "name")
        let pair = await #expect(throws: StoreError.self) {
            try await store.write { _ = try $0.insert(Person("Leo", born: mia.born, balance: 2)) }
        }
        #expect(pair?.constraint == "unique_Person_born_balance")
        let id = await #expect(throws: StoreError.self) {
            try await store.write { tx in
                var copy = mia
                copy.name = "Leo"
                copy.born = nil
                _ = try tx.insert(copy)
            }
        }
        #expect(id?.constraint == "primary_Person")
        try await store.close()
    }

    @Test("a savepoint is undone alone in SQLite")
    func nested() async throws {
        let store = try await openStore(directory.file())
        try await store.write { tx in
            _ = try tx.insert(Person("Mia"))
            try? tx.nested {
                _ = try tx.insert(Person("Leo"))
                _ = try tx.insert(Person("Leo"))
            }
            _ = try tx.insert(Person("Ben"))
        }
        #expect(
            try await store.read { try $0.fetch(Person.sorted(by: \.name)).map(\.name) } == ["Ben", "Mia"])
        try await store.close()
    }

    @Test("an operation id tells whether its write was committed")
    func operation() async throws {
        let store = try await openStore(directory.file())
        let (kept, other) = (OperationID(), OperationID())
        try await store.write(WriteOptions(operation: kept)) { _ = try $0.insert(Person("Mia")) }
        #expect(try await store.wasCommitted(kept))
        #expect(try await !store.wasCommitted(other))
        try await store.close()
    }

    @Test("a closed SQLite store throws")
    func closed() async throws {
        let store = try await openStore(directory.file())
        try await store.close()
        try await store.close()
        #expect(await #expect(throws: StoreError.self) { _ = try await store.marker() }?.code == .closed)
        #expect(
            await #expect(throws: StoreError.self) {
                try await store.write { _ = try $0.insert(Person("Mia")) }
            }?.code == .closed)
    }
}
