import Foundation
import MemoryStore
import Switchyard
import Testing

@Suite("Constraints in memory")
struct ConstraintTests {
    let store: MemoryStore
    init() throws { store = try Nursery.store() }

    @Test("a duplicate in memory names its entity, attribute and constraint")
    func duplicates() async throws {
        let mia = Baby(name: "Mia", badge: 7)
        try await store.write { tx in try tx.insert(mia) }
        let badge = await #expect(throws: StoreError.self) {
            try await store.write { tx in try tx.insert(Baby(badge: 7)) }
        }
        #expect(badge?.code == .unique)
        #expect(badge?.entity == "Baby")
        #expect(badge?.attribute == "badge")
        #expect(badge?.constraint == "unique_Baby_badge")
        let id = await #expect(throws: StoreError.self) { try await store.write { tx in try tx.insert(mia) } }
        #expect(id?.code == .unique)
        #expect(id?.attribute == "id")
        #expect(id?.constraint == "primary_Baby")
        let feed = Feed(baby: mia.id, start: time(0), end: time(1))
        let pair = await #expect(throws: StoreError.self) {
            try await store.write { tx in
                try tx.insert(contentsOf: [feed, Feed(baby: mia.id, start: time(0), end: time(2))])
            }
        }
        #expect(pair?.constraint == "unique_Feed_baby_start")
        #expect(pair?.attribute == nil)
    }

    @Test("nils are distinct, and a filtered constraint ignores other rows")
    func nilsAndFilters() async throws {
        let mia = Baby(name: "Mia")
        try await store.write { tx in
            try tx.insert(contentsOf: [mia, Baby(name: "Leo")])
            try tx.insert(contentsOf: [
                Feed(baby: mia.id, start: time(0), end: time(1)),
                Feed(baby: mia.id, start: time(1), end: time(2)),
                Feed(baby: mia.id, start: time(2)), Feed(start: time(0)), Feed(start: time(0)),
            ])
        }
        let second = await #expect(throws: StoreError.self) {
            try await store.write { tx in try tx.insert(Feed(baby: mia.id, start: time(3))) }
        }
        #expect(second?.code == .unique)
        #expect(second?.constraint?.hasPrefix("unique_Feed_baby_") == true)
        let reopened = await #expect(throws: StoreError.self) {
            try await store.write { tx in
                try tx.update(
                    Feed.matching(.compare(.attribute("baby"), .notEqual, .value(.null))),
                    set: [.set(\.end, to: nil)])
            }
        }
        #expect(reopened?.code == .unique)
    }

    @Test("a reference to nothing is refused at commit, not before")
    func foreignKeys() async throws {
        let mia = Baby(name: "Mia")
        try await store.write { tx in
            try tx.insert(Weight(baby: mia.id, grams: 4_000))
            try tx.insert(mia)
        }
        let error = await #expect(throws: StoreError.self) {
            try await store.write { tx in try tx.insert(Weight(baby: Baby.ID())) }
        }
        #expect(error?.code == .foreignKey)
        #expect(error?.entity == "Weight")
        #expect(error?.attribute == "baby")
        #expect(error?.constraint == "reference_Weight_baby")
    }

    @Test("an update of a missing row is `notFound`; a delete of one counts 0")
    func missing() async throws {
        #expect(
            await #expect(throws: StoreError.self) { try await store.write { tx in try tx.update(Baby()) } }?
                .code == .notFound)
        #expect(try await store.write { tx in try tx.delete(Baby.ID()) } == 0)
    }

    @Test("a delete in memory nullifies, cascades and is denied by the rules")
    func deleteRules() async throws {
        let (mia, leo) = (Baby(name: "Mia"), Baby(name: "Leo"))
        let feed = Feed(baby: mia.id, start: time(0))
        try await store.write { tx in
            try tx.insert(contentsOf: [mia, leo])
            try tx.insert(feed)
            try tx.insert(contentsOf: [Weight(baby: mia.id), Weight(baby: mia.id), Weight(baby: leo.id)])
            try tx.insert(Toy(owner: leo.id))
        }
        #expect(try await store.write { tx in try tx.delete(mia.id) } == 1)
        let (baby, weights) = try await store.read { tx in
            (try tx.find(feed.id)?.baby, try tx.count(Weight.all))
        }
        #expect(baby == nil)
        #expect(weights == 1)
        let denied = await #expect(throws: StoreError.self) {
            try await store.write { tx in try tx.delete(leo.id) }
        }
        #expect(denied?.code == .foreignKey)
        #expect(try await store.read { tx in try tx.count(Baby.all) } == 1)
        try await store.write { tx in
            try tx.delete(Toy.all)
            try tx.delete(leo.id)
        }
        #expect(try await store.check() == [])
    }

    @Test("a cascade follows a cycle and a self-reference to the end")
    func cycles() async throws {
        let (a, b, c) = (Room.ID(), Room.ID(), Room.ID())
        try await store.write { tx in
            try tx.insert(contentsOf: [
                Room(id: a, outer: c), Room(id: b, outer: a), Room(id: c, outer: b),
                Room(outer: nil),
            ])
        }
        #expect(try await store.write { tx in try tx.delete(a) } == 1)
        #expect(try await store.read { tx in try tx.count(Room.all) } == 1)
        let own = Room.ID()
        try await store.write { tx in try tx.insert(Room(id: own, outer: own)) }
        #expect(try await store.write { tx in try tx.delete(own) } == 1)
    }

    @Test("an upsert keeps the stored id, takes the last of several equal keys, and never matches nil")
    func upsert() async throws {
        let mia = Baby(name: "Mia", badge: 1)
        try await store.write { tx in try tx.insert(mia) }
        let result = try await store.write { tx in
            try tx.upsert(
                [
                    Baby(name: "Mia 2", badge: 1), Baby(name: "Leo", badge: 2), Baby(name: "Leo 2", badge: 2),
                    Baby(name: "Ida"), Baby(name: "Zoe"),
                ], on: \.badge)
        }
        #expect(result.map(\.name) == ["Mia 2", "Leo 2", "Ida", "Zoe"])
        #expect(result[0].id == mia.id)
        #expect(try await store.read { tx in try tx.count(Baby.all) } == 4)
        let undeclared = await #expect(throws: StoreError.self) {
            try await store.write { tx in try tx.upsert([mia], on: \.name) }
        }
        #expect(undeclared?.code == .unsupported)
    }

    @Test("an update calculates values from the row before it")
    func expressions() async throws {
        try await store.write { tx in
            try tx.insert(contentsOf: (0..<3).map { Baby(name: "\($0)", count: $0) })
            let changed = try tx.update(
                Baby.all, set: [.set(\.count, to: #Expression<Baby, Int> { $0.count * 10 })])
            #expect(changed == 3)
        }
        #expect(try await store.read { tx in try tx.fetch(Baby.sorted(by: \.name), \.count) } == [0, 10, 20])
        let overflow = await #expect(throws: StoreError.self) {
            try await store.write { tx in
                try tx.update(
                    Baby.all,
                    set: [.set(\.count, to: #Expression<Baby, Int> { $0.count + 9_223_372_036_854_775_807 })])
            }
        }
        #expect(overflow?.code == .arithmetic)
    }
}
