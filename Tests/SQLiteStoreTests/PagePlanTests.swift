import EntryModel
import Foundation
import SQLiteStore
import SwitchyardCore
import Testing

@Suite("Page reads in SQLite")
struct PagePlanTests {
    /// Two orders of optional attributes, in all directions.
    private static let directions: [(SortDirection, SortDirection?)] = [
        (.ascending, nil), (.descending, nil), (.ascending, .ascending), (.descending, .descending),
        (.ascending, .descending), (.descending, .ascending),
    ]

    private func store() async throws -> TracedStore {
        let traced = try await TracedStore()
        // Nils, single values and ties, in both attributes.
        let values: [Int64?] = [nil, nil, 1, 2, 2, 3, 4, 4, 4, 5]
        let entries = values.flatMap { first in values.map { Entry(first: first, second: $0) } }
        try await traced.store.write { _ = try $0.insert(contentsOf: entries) }
        return traced
    }

    @Test(
        "a page is read from an index of SQLite in every combination of direction and nil, without gap or repetition",
        arguments: directions
    )
    func optional(first: SortDirection, second: SortDirection?) async throws {
        let traced = try await store()
        var query = Entry.all.sorted(by: \.first, first)
        if let second { query = query.sorted(by: \.second, second) }
        let (asked, size) = (query, 7)
        let expected = try await traced.store.read { try $0.fetch(asked) }
        var page = Page<Entry>(items: [], next: nil)
        let firstPlans = try await traced.plans {
            page = try await traced.store.read { try $0.page(asked, size: size) }
        }
        #expect(firstPlans.count == 1)
        // What page 1 has to sort are ties; a page behind it has no more to sort.
        let sorts = Set(firstPlans.joined().filter { $0.hasPrefix("USE TEMP B-TREE") })
        #expect(!sorts.contains("USE TEMP B-TREE FOR ORDER BY"))
        var found = page.items
        while let next = page.next {
            let plans = try await traced.plans {
                page = try await traced.store.read { try $0.page(asked, size: size, after: next) }
            }
            for step in plans.joined() where !sorts.contains(step) {
                #expect(step.hasPrefix("SEARCH Entry USING INDEX index_Entry_first"), "\(plans)")
            }
            found += page.items
        }
        #expect(found == expected)
        #expect(found.count == 100)
    }

    @Test(
        "a page within the nils sorts nothing and skips nothing",
        arguments: [SortDirection.ascending, .descending])
    func nils(direction: SortDirection) async throws {
        let traced = try await TracedStore()
        try await traced.store.write { tx in
            _ = try tx.insert(contentsOf: (0..<50).map { _ in Entry() })
            if direction == .descending { _ = try tx.insert(Entry(first: 1)) }
        }
        let query = Entry.all.sorted(by: \.first, direction)
        let start = try await traced.store.read { try $0.page(query, size: 20) }
        let plans = try await traced.plans {
            let page = try await traced.store.read { try $0.page(query, size: 20, after: start.next) }
            #expect(page.items.count == 20)
        }
        #expect(plans == [["SEARCH Entry USING INDEX index_Entry_first (first=? AND id>?)"]])
    }

    @Test("a page by a required attribute reads its ties as one range, and the rest as another")
    func required() async throws {
        let traced = try await TracedStore()
        try await traced.store.write { tx in
            _ = try tx.insert(contentsOf: (0..<60).map { Entry(rank: $0 / 30) })
        }
        let query = Entry.all.sorted(by: \.rank)
        let start = try await traced.store.read { try $0.page(query, size: 25) }
        let plans = try await traced.plans {
            let page = try await traced.store.read { try $0.page(query, size: 25, after: start.next) }
            #expect(
                page.items.map(\.rank) == [Int64](repeating: 0, count: 5) + [Int64](repeating: 1, count: 20))
        }
        #expect(
            plans == [
                ["SEARCH Entry USING INDEX index_Entry_rank (rank=? AND id>?)"],
                ["SEARCH Entry USING INDEX index_Entry_rank (rank>?)"],
            ])
    }
}
