import Foundation
import MemoryStore
import Switchyard
import Testing

@Suite("Queries in memory")
struct QueryTests {
    let store: MemoryStore
    init() throws { store = try Nursery.store() }

    private func seed() async throws -> (mia: Baby.ID, leo: Baby.ID) {
        let (mia, leo) = (Baby(name: "Mia", badge: 1), Baby(name: "léo", badge: 2))
        try await store.write { tx in
            try tx.insert(contentsOf: [mia, leo, Baby(name: "Zoe")])
            try tx.insert(contentsOf: [
                Feed(baby: mia.id, start: time(0), end: time(60), amount: 0.1),
                Feed(baby: mia.id, start: time(86_400), end: time(86_460), amount: 0.2),
                Feed(baby: mia.id, start: time(90_000), end: time(90_060)),
                Feed(baby: leo.id, start: time(0), amount: 0.3),
                Feed(start: time(10), end: time(20), amount: 5),
            ])
        }
        return (mia.id, leo.id)
    }

    @Test("nil sorts first ascending and last descending, and ids break ties")
    func nils() async throws {
        _ = try await seed()
        let (up, down) = try await store.read { tx in
            (
                try tx.fetch(Baby.sorted(by: \.badge), \.badge),
                try tx.fetch(Baby.sorted(by: \.badge, .descending), \.badge)
            )
        }
        #expect(up == [nil, 1, 2])
        #expect(down == [2, 1, nil])
    }

    @Test("a comparison with != includes nil, and so does the negation of an order comparison")
    func twoValued() async throws {
        _ = try await seed()
        let one: Int? = 1
        let counts = try await store.read { tx in
            [
                try tx.count(Baby.where(#Predicate { $0.badge != one })),
                try tx.count(Baby.where(#Predicate { !(($0.badge ?? 9) < 2) })),
                try tx.count(Baby.matching(.not(.compare(.attribute("badge"), .less, .value(.int(2)))))),
            ]
        }
        #expect(counts == [2, 2, 2])
    }

    @Test("limits and offsets cut a sorted result")
    func limits() async throws {
        _ = try await seed()
        let names = try await store.read { tx in
            let all = Baby.sorted(by: \.name)
            return [
                try tx.fetch(all.limit(0), \.name), try tx.fetch(all.offset(9), \.name),
                try tx.fetch(all.offset(1).limit(1), \.name), try tx.fetch(all.limit(2), \.name),
            ]
        }
        #expect(names == [[], [], ["Zoe"], ["Mia", "Zoe"]])
        let error = await #expect(throws: StoreError.self) {
            try await store.read { tx in try tx.fetch(Baby.all.limit(-1)) }
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test("a condition asks about a to-many")
    func toMany() async throws {
        let (mia, leo) = try await seed()
        let found = try await store.read { tx in
            [
                try tx.fetch(Baby.where(#Predicate { $0.feeds.contains { $0.end == nil } }), \.id),
                try tx.fetch(Baby.where(#Predicate { $0.feeds.contains { $0.end != nil } }), \.id),
            ]
        }
        #expect(found == [[leo], [mia]])
    }

    @Test("a search disregards case and diacritics")
    func search() async throws {
        let (_, leo) = try await seed()
        let found = try await store.read { tx in
            try tx.fetch(Baby.where(#Predicate { $0.name.localizedStandardContains("LEO") }), \.id)
        }
        #expect(found == [leo])
        try await store.write { tx in try tx.update(Baby.all, set: [.set(\.name, to: "Ünal")]) }
        let count = try await store.read { tx in
            try tx.count(Baby.where(#Predicate { $0.name.localizedStandardContains("una") }))
        }
        #expect(count == 3)
    }

    @Test("a query groups feeds per day per baby, with exact sums")
    func perDay() async throws {
        let (mia, leo) = try await seed()
        let days = try await store.read { tx in
            try tx.aggregate(
                Feed.where(#Predicate { $0.baby != nil }), by: .day(of: \.start, in: .gmt),
                .attribute(\.baby),
                figures: .count, .sum(\.amount), .average(\.amount), .maximum(\.start))
        }
        let order = mia < leo ? [0, 1] : [1, 0]
        #expect(days.map(\.key.0.description) == ["2026-01-01", "2026-01-01", "2026-01-02"])
        let first = days[order[0]]
        #expect(first.key.1 == mia)
        #expect(first.figures.0 == 1)
        #expect(first.figures.1 == 0.1)
        #expect(days[2].figures.0 == 2)
        #expect(days[2].figures.1 == 0.2)
        #expect(days[2].figures.2 == 0.2)
        #expect(days[2].figures.3 == time(90_000))
    }

    @Test("a day that begins at 07:00 counts 06:59:59 to the day before")
    func dayOffset() async throws {
        try await store.write { tx in
            try tx.insert(contentsOf: [Feed(start: time(25_199)), Feed(start: time(25_200))])
        }
        let days = try await store.read { tx in
            try tx.aggregate(
                Feed.all, by: .day(of: \.start, in: .gmt, startingAt: .seconds(25_200)), figures: .count)
        }
        #expect(days.map(\.key.description) == ["2025-12-31", "2026-01-01"])
        #expect(days.map(\.figures) == [1, 1])
    }

    @Test("aggregates of no rows are 0, and nil")
    func nothing() async throws {
        let (count, sum, average, least) = try await store.read { tx in
            try tx.aggregate(Feed.all, .count, .sum(\.amount), .average(\.amount), .minimum(\.start))
        }
        #expect(count == 0)
        #expect(sum == 0)
        #expect(average == nil)
        #expect(least == nil)
        let groups = try await store.read { tx in
            try tx.aggregate(Feed.all, by: .attribute(\.baby), figures: .count)
        }
        #expect(groups.isEmpty)
    }

    @Test("the sum of integers overflows with `arithmetic`")
    func overflow() async throws {
        try await store.write { tx in
            try tx.insert(contentsOf: [Baby(count: .max), Baby(count: 1), Baby(count: -1)])
        }
        let total = try await store.read { tx in try tx.aggregate(Baby.all, .sum(\.count)) }
        #expect(total == .max)
        try await store.write { tx in try tx.insert(Baby(count: 1)) }
        let error = await #expect(throws: StoreError.self) {
            _ = try await store.read { tx in try tx.aggregate(Baby.all, .sum(\.count)) }
        }
        #expect(error?.code == .arithmetic)
    }

    @Test(
        "pages follow each other without a gap, nils and ties included",
        arguments: [SortDirection.ascending, .descending])
    func pages(direction: SortDirection) async throws {
        let feeds = (0..<50).map { (index: Int) -> Feed in
            let end: Date? = index % 3 == 0 ? nil : time(Double(index % 5))
            return Feed(start: time(Double(index % 7)), end: end)
        }
        try await store.write { tx in try tx.insert(contentsOf: feeds) }
        let query = Feed.sorted(by: \.end, direction).sorted(by: \.start)
        let (all, paged) = try await store.read { tx in
            var ids: [Feed.ID] = []
            var cursor: PageCursor?
            repeat {
                let page = try tx.page(query, size: 7, after: cursor)
                ids += page.items.map(\.id)
                cursor = page.next.flatMap { PageCursor($0.description) }
            } while cursor != nil
            return (try tx.fetch(query, \.id), ids)
        }
        #expect(all.count == 50)
        #expect(paged == all)
    }

    @Test("a cursor of another order is refused")
    func foreignCursor() async throws {
        try await store.write { tx in try tx.insert(contentsOf: [Baby(), Baby()]) }
        let error = await #expect(throws: StoreError.self) {
            _ = try await store.read { tx in
                let page = try tx.page(Baby.sorted(by: \.name), size: 1)
                return try tx.page(Baby.sorted(by: \.count), size: 1, after: page.next).items.count
            }
        }
        #expect(error?.code == .invalidArgument)
        #expect(PageCursor("nonsense") == nil)
    }

    @Test("a partial fetch returns tuples of the attributes' types")
    func partial() async throws {
        let (mia, _) = try await seed()
        let rows = try await store.read { tx in
            try tx.fetch(
                Feed.where(#Predicate { $0.baby == mia }).sorted(by: \.start), \.start, \.amount, \.baby)
        }
        #expect(rows.map(\.0) == [time(0), time(86_400), time(90_000)])
        #expect(rows.map(\.1) == [0.1, 0.2, nil])
        #expect(rows.map(\.2) == [mia, mia, mia])
    }

    @Test("one attribute and one aggregate are plain values, two are pairs, also in a chain")
    func chains() async throws {
        _ = try await seed()
        try await store.read { tx in
            #expect(try tx.fetch(Feed.all, \.end).filter { $0 != nil }.count == 4)
            let babies = Baby.sorted(by: \.name)
            #expect(try tx.fetch(babies, \.name).map { $0.uppercased() } == ["MIA", "ZOE", "LÉO"])
            #expect(try tx.fetch(babies, \.badge, \.name).last?.1 == "léo")
            #expect(
                try tx.fetch(babies, \.name, \.count).map { $0.0 + "\($0.1)" } == ["Mia0", "Zoe0", "léo0"])
            let none = Feed.where(#Predicate { $0.amount == 9 })
            let isNone = try tx.aggregate(none, .maximum(\.end)) == nil
            #expect(isNone)
            #expect(try tx.aggregate(Feed.all, .maximum(\.end))?.addingTimeInterval(-60) == time(90_000))
            #expect(try tx.aggregate(Feed.all, .minimum(\.start), .count).1 == 5)
        }
    }

    @Test("one key and one aggregate of a group are plain values, also in a chain")
    func groupChains() async throws {
        let (mia, _) = try await seed()
        try await store.read { tx in
            let known = try tx.aggregate(Feed.all, by: .attribute(\.baby), figures: .count)
                .filter { $0.key != nil }
            #expect(known.count == 2)
            let ended = try tx.aggregate(Feed.all, by: .attribute(\.baby), figures: .maximum(\.end))
                .filter { $0.figures != nil }
            #expect(ended.map(\.key) == [nil, mia])
            let counts = try tx.aggregate(
                Feed.all, by: .attribute(\.baby), figures: .count, .sum(\.amount), .maximum(\.end)
            ).filter { $0.key == mia }
            #expect(counts.map(\.figures.0) == [3])
            let open = try tx.aggregate(
                Feed.all, by: .attribute(\.baby), .day(of: \.start, in: .gmt), figures: .maximum(\.end)
            ).filter { $0.figures == nil }
            #expect(open.count == 1)
        }
    }
}
