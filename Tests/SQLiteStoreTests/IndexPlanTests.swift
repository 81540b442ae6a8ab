import EntryModel
import Foundation
import SQLiteStore
import SwitchyardCore
import Testing

@Suite("Index use of SQLite")
struct IndexPlanTests {
    private func plans(_ query: Query<Entry>) async throws -> [[String]] {
        let traced = try await TracedStore()
        return try await traced.plans { _ = try await traced.store.read { try $0.fetch(query) } }
    }

    private func comparing(_ comparison: Comparison, with value: StoredValue, else other: StoredValue)
        -> Condition
    {
        .compare(.coalesce(.attribute("first"), .value(other)), comparison, .value(value))
    }

    @Test("a unique constraint with equal nils serves its key in SQLite, nil or not")
    func equalNils() async throws {
        let index = "unique_Entry_code_price_6efbfd6490"
        let whole: Condition = .all([
            .compare(.attribute("code"), .equal, .value(.text("a"))),
            .compare(.attribute("price"), .equal, .value(.decimal(1))),
        ])
        #expect(
            try await plans(Entry.matching(whole)) == [
                ["SEARCH Entry USING INDEX \(index) (code=? AND price=?)"]
            ])
        let withNil: Condition = .all([
            .compare(.attribute("code"), .equal, .value(.text("a"))),
            .compare(.attribute("price"), .equal, .value(.null)),
        ])
        #expect(
            try await plans(Entry.matching(withNil)) == [
                ["SEARCH Entry USING INDEX \(index) (code=? AND price=?)"]
            ])
    }

    @Test("an upsert on a key with nils reads no row back, and one statement takes sixty-four rows")
    func upsert() async throws {
        let traced = try await TracedStore()
        let entries = (0..<128).map { Entry(rank: Int64($0), code: "c\($0)", price: $0 % 2 == 0 ? nil : 1) }
        let first = try await traced.statements {
            _ = try await traced.store.write { try $0.upsert(entries, on: \.code, \.price) }
        }
        let again = try await traced.statements {
            let changed = entries.map { Entry(rank: $0.rank + 1_000, code: $0.code, price: $0.price) }
            let stored = try await traced.store.write { try $0.upsert(changed, on: \.code, \.price) }
            #expect(stored.map(\.id) == entries.map(\.id))
            #expect(stored.map(\.rank) == (1_000..<1_128).map { Int64($0) })
        }
        for statements in [first, again] {
            #expect(statements.count == 2)
            #expect(statements.allSatisfy { $0.hasPrefix("INSERT INTO \"Entry\"") })
        }
    }

    @Test("a comparison with a default for nil uses the attribute's index in SQLite")
    func coalesced() async throws {
        let (above, below, equal) = ("(first>?)", "(first<?)", "(first=?)")
        // What each step looks for in an index that begins with the attribute; all of any other step.
        func steps(_ condition: Condition) async throws -> [String] {
            let traced = try await TracedStore()
            let plans = try await traced.plans {
                _ = try await traced.store.read { try $0.count(Entry.matching(condition)) }
            }
            return plans.joined().compactMap { step in
                guard step.hasPrefix("SEARCH") || step.hasPrefix("SCAN") else { return nil }
                guard step.hasPrefix("SEARCH Entry USING"), step.contains("INDEX index_Entry_first") else {
                    return step
                }
                return step.split(separator: " ").last.map(String.init)
            }
        }
        #expect(try await steps(comparing(.greaterOrEqual, with: .int(5), else: .int(0))) == [above])
        #expect(try await steps(comparing(.greater, with: .int(5), else: .int(9))) == [above, equal])
        #expect(try await steps(comparing(.less, with: .int(5), else: .int(9))) == [below])
        #expect(try await steps(comparing(.lessOrEqual, with: .int(5), else: .int(0))) == [below, equal])
        #expect(try await steps(comparing(.equal, with: .int(5), else: .int(0))) == [equal])
        #expect(try await steps(comparing(.equal, with: .int(5), else: .int(5))) == [equal, equal])
        #expect(try await steps(.not(comparing(.less, with: .int(5), else: .int(0)))) == [above])
        #expect(try await steps(.not(comparing(.notEqual, with: .int(5), else: .int(0)))) == [equal])
        #expect(
            try await steps(.not(.compare(.attribute("first"), .less, .value(.int(5))))) == [above, equal])
    }

    @Test("an index over searchable text serves prefix and equality searches in SQLite")
    func folded() async throws {
        let prefix = try await plans(
            Entry.matching(.search(attribute: "title", .hasPrefix, text: "emil")))
        #expect(
            prefix == [
                [
                    "SEARCH Entry USING INDEX index_Entry_title_e17830c42b (title_search>? AND title_search<?)",
                    "USE TEMP B-TREE FOR ORDER BY",
                ]
            ])
        let whole = try await plans(Entry.matching(.search(attribute: "title", .equals, text: "emil")))
        #expect(whole == [["SEARCH Entry USING INDEX index_Entry_title_e17830c42b (title_search=?)"]])
    }
}
