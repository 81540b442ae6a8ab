import EntryModel
import Foundation
import SwitchyardCore
import SwitchyardSQL
import Testing

@testable import PostgresStore

@Suite("Index use of PostgreSQL", .needsServer)
struct IndexPlanTests {
    private func expect(_ condition: Condition, isServedBy index: String) async throws {
        try await EntryTables.with { tables in
            let plans = try tables.plans { _ = try $0.fetch(Entry.matching(condition)) }
            #expect(plans.count == 1)
            let steps = plans.joined().filter { $0.contains("Scan") }
            #expect(steps.contains { $0.contains(index) }, "\(plans)")
            #expect(!steps.contains { $0.contains("Seq Scan") }, "\(plans)")
        }
    }

    @Test("a comparison with a default for nil uses the attribute's index in PostgreSQL")
    func coalesced() async throws {
        let above = Condition.compare(
            .coalesce(.attribute("first"), .value(.int(0))), .greaterOrEqual, .value(.int(990)))
        try await expect(above, isServedBy: "index_Entry_first")
        try await expect(
            .not(.compare(.coalesce(.attribute("first"), .value(.int(0))), .less, .value(.int(990)))),
            isServedBy: "index_Entry_first")
    }

    @Test("an index over searchable text serves prefix and equality searches in PostgreSQL")
    func folded() async throws {
        let index = "index_Entry_title_e17830c42b"
        try await expect(.search(attribute: "title", .hasPrefix, text: "e2999"), isServedBy: index)
        try await expect(.search(attribute: "title", .equals, text: "e7"), isServedBy: index)
    }

    @Test("ten statements upsert ten thousand rows, and read none back")
    func upsert() async throws {
        try await EntryTables.with { tables in
            let (session, schema) = (tables.session, tables.plan.schema)
            try session.script(
                """
                CREATE TABLE statements (n int);
                CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN INSERT INTO statements VALUES (1); RETURN NULL; END $$;
                CREATE TRIGGER note BEFORE INSERT ON "Entry" FOR EACH STATEMENT EXECUTE FUNCTION note()
                """)
            let entries = (0..<10_000).map { Entry(rank: $0, code: "c\($0)", price: $0 % 2 == 0 ? nil : 1) }
            func upsert(_ entries: [Entry]) throws -> [Entry] {
                let driver = NotingDriver(PostgresTransaction(session, plan: tables.plan))
                let stored = try WriteTransaction.run(schema: schema, driver: driver, session: nil) {
                    try $0.upsert(entries, on: \.code, \.price)
                }
                #expect(driver.selections.isEmpty)
                return stored
            }
            #expect(try upsert(entries) == entries)
            #expect(try session.cell("SELECT count(*) FROM statements") == .integer(10))
            let changed = entries.reversed().map { Entry(rank: -$0.rank, code: $0.code, price: $0.price) }
            let stored = try upsert(changed)
            #expect(stored.map(\.id) == entries.reversed().map(\.id))
            #expect(stored.map(\.rank) == (0..<10_000).reversed().map { -$0 })
            #expect(try session.cell("SELECT count(*) FROM statements") == .integer(20))
        }
    }
}
