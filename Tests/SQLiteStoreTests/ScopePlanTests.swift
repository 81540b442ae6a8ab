import EntryModel
import Foundation
import SQLiteStore
import SwitchyardCore
import Testing

@Suite("Index use within a scope in SQLite")
struct ScopePlanTests {
    private func store() async throws -> TracedStore {
        let traced = try await TracedStore(scope: StoreScope())
        for scope in [nil, StoreScope()] {
            try await traced.store.write(WriteOptions(scope: scope)) { tx in
                _ = try tx.insert(contentsOf: (0..<60).map { Entry(first: $0 % 7, rank: $0 / 30) })
            }
        }
        return traced
    }

    private func plans(_ work: @escaping @Sendable (ReadTransaction) throws -> Void) async throws
        -> [[String]]
    {
        let traced = try await store()
        return try await traced.plans { try await traced.store.read(work) }
    }

    @Test("a row is found by the primary key, within a scope")
    func find() async throws {
        #expect(
            try await plans { _ = try $0.find(Entry.ID()) } == [
                ["SEARCH Entry USING PRIMARY KEY (switchyard_scope=? AND id=?)"]
            ])
    }

    @Test("all rows come in id order without being sorted, within a scope")
    func all() async throws {
        #expect(
            try await plans { _ = try $0.fetch(Entry.all) } == [
                ["SEARCH Entry USING PRIMARY KEY (switchyard_scope=?)"]
            ])
    }

    @Test("a sorted query and a sorted page use the index of their order, within a scope")
    func sorted() async throws {
        #expect(
            try await plans { _ = try $0.fetch(Entry.sorted(by: \.rank).limit(5)) } == [
                ["SEARCH Entry USING INDEX index_Entry_rank (switchyard_scope=?)"]
            ])
        let traced = try await store()
        let query = Entry.sorted(by: \.rank)
        let start = try await traced.store.read { try $0.page(query, size: 25) }
        let plans = try await traced.plans {
            let page = try await traced.store.read { try $0.page(query, size: 25, after: start.next) }
            #expect(
                page.items.map(\.rank) == [Int64](repeating: 0, count: 5) + [Int64](repeating: 1, count: 20))
        }
        #expect(
            plans == [
                ["SEARCH Entry USING INDEX index_Entry_rank (switchyard_scope=? AND rank=? AND id>?)"],
                ["SEARCH Entry USING INDEX index_Entry_rank (switchyard_scope=? AND rank>?)"],
            ])
    }

    @Test("a unique key is found in its index, within a scope")
    func key() async throws {
        let code = Condition.all([
            .compare(.attribute("code"), .equal, .value(.text("a"))),
            .compare(.attribute("price"), .equal, .value(.decimal(1))),
        ])
        #expect(
            try await plans { _ = try $0.fetch(Entry.matching(code)) } == [
                [
                    "SEARCH Entry USING INDEX unique_Entry_code_price_6efbfd6490 "
                        + "(switchyard_scope=? AND code=? AND price=?)"
                ]
            ])
    }

    @Test("one prepared statement serves every scope")
    func statements() async throws {
        let traced = try await store()
        let scopes = [StoreScope(), StoreScope()]
        let statements = try await traced.statements {
            for scope in scopes {
                _ = try await traced.store.read(ReadOptions(scopes: [scope])) { try $0.find(Entry.ID()) }
            }
        }
        #expect(statements.count == 2)
        for (statement, scope) in zip(statements, scopes) {
            let literal = "x'\(scope.uuid.uuidString.replacing("-", with: "").lowercased())'"
            #expect(statement.contains("\"switchyard_scope\" = \(literal)"), "\(statement)")
        }
    }
}
