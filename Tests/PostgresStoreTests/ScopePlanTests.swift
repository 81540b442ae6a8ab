import EntryModel
import Foundation
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite(
    "Index use within a scope in PostgreSQL", .needsServer)
struct ScopePlanTests {
    private static let scope = StoreScope()

    private func plans(_ work: @escaping @Sendable (ReadTransaction) throws -> Void) async throws
        -> [[String]]
    {
        let found = Monitor<[[String]]>([])
        try await EntryTables.with(scope: Self.scope) { tables in
            // Ties that PostgreSQL would like to collect from a bitmap and to sort; asked is whether it has to.
            try tables.session.script("SET enable_bitmapscan = off")
            let plans = try tables.plans(of: work)
            found.withLock { $0 = plans }
        }
        return found.withLock { $0 }
    }

    @Test("a first page sorted by an attribute comes from its index without sorting, within a scope")
    func firstPage() async throws {
        #expect(
            try await plans { _ = try $0.page(Entry.sorted(by: \.first), size: 50) } == [
                [
                    "Limit", "  ->  Index Scan using \"index_Entry_first\" on \"Entry\"",
                    "        Index Cond: (switchyard_scope = '\(Self.scope)'::uuid)",
                ]
            ])
    }

    @Test("rows in id order come from the primary key, within a scope")
    func byID() async throws {
        #expect(
            try await plans { _ = try $0.fetch(Entry.all.limit(20)) } == [
                [
                    "Limit", "  ->  Index Scan using \"primary_Entry\" on \"Entry\"",
                    "        Index Cond: (switchyard_scope = '\(Self.scope)'::uuid)",
                ]
            ])
    }

    @Test("a later page begins in the index where the previous one ended, within a scope")
    func laterPage() async throws {
        try await EntryTables.with(scope: Self.scope) { tables in
            try tables.session.script("SET enable_bitmapscan = off")
            let query = Entry.sorted(by: \.rank)
            var cursor: PageCursor?
            _ = try tables.selections { cursor = try $0.page(query, size: 9_995).next }
            #expect(cursor != nil)
            let plans = try tables.plans { tx in
                let page = try tx.page(query, size: 50, after: cursor)
                #expect(page.items.count == 50)
            }
            #expect(plans.count == 2)
            for plan in plans {
                #expect(plan.contains { $0.contains("Index Scan using \"index_Entry_rank\"") }, "\(plan)")
                #expect(!plan.contains { $0.contains("Sort") || $0.contains("Filter") }, "\(plan)")
            }
        }
    }
}
