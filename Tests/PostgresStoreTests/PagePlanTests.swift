import EntryModel
import Foundation
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Page reads in PostgreSQL", .needsServer)
struct PagePlanTests {
    /// Two orders of optional attributes, in all directions.
    private static let directions: [(SortDirection, SortDirection?)] = [
        (.ascending, nil), (.descending, nil), (.ascending, .ascending), (.descending, .descending),
        (.ascending, .descending), (.descending, .ascending),
    ]

    /// The name of a plan's step; nil for a line that tells a property of one.
    private func step(_ line: String) -> String? {
        let text = line.trimmingCharacters(in: .whitespaces)
        if text.hasPrefix("->") { return text.dropFirst(2).trimmingCharacters(in: .whitespaces) }
        return line.hasPrefix(" ") ? nil : text
    }

    @Test(
        "a page is read from an index of PostgreSQL in every combination of direction and nil",
        arguments: directions)
    func optional(first: SortDirection, second: SortDirection?) async throws {
        try await EntryTables.with { tables in
            // A handful of ties PostgreSQL likes to collect from a bitmap and to sort; what is asked here is
            // whether it has to.
            try tables.session.script("SET enable_bitmapscan = off")
            var query = Entry.all.sorted(by: \.first, first)
            if let second { query = query.sorted(by: \.second, second) }
            // Pages that begin among the values, among the nils, where one follows the other, and near the end.
            for start in [50, 3_000, 8_990, 12_000, 20_000, 25_000, 29_900] {
                var cursor: PageCursor?
                _ = try tables.selections { cursor = try $0.page(query, size: start).next }
                #expect(cursor != nil)
                let plans = try tables.plans { tx in
                    let page = try tx.page(query, size: 50, after: cursor)
                    #expect(page.items.count == 50)
                }
                for plan in plans {
                    let steps = plan.compactMap(step)
                    #expect(steps.first == "Limit")
                    #expect(steps.last?.contains("using \"index_Entry_first") == true, "\(start): \(plan)")
                    // Only ties are sorted, as on the first page, where no index has the order of all keys.
                    let between = steps.dropFirst().dropLast()
                    #expect(between.allSatisfy { $0 == "Incremental Sort" }, "\(start): \(plan)")
                    if second == nil, first == .ascending { #expect(between.isEmpty, "\(start): \(plan)") }
                }
            }
        }
    }

    @Test("the first page is read from an index of PostgreSQL, with ties in id order")
    func firstPage() async throws {
        try await EntryTables.with { tables in
            let plans = try tables.plans { _ = try $0.page(Entry.all.sorted(by: \.first), size: 50) }
            #expect(plans == [["Limit", "  ->  Index Scan using \"index_Entry_first\" on \"Entry\""]])
        }
    }
}
