import SwitchyardCore
import Testing

@testable import SwitchyardSQL

@Suite("The history's own table")
struct HistoryTests {
    private func generator(_ dialect: SQLDialect, isScoped: Bool = false) throws -> SQLGenerator {
        SQLGenerator(dialect: dialect, schema: try Fixture.schema(), isScoped: isScoped)
    }

    @Test("the history's table has an integer key, which is the rowid in SQLite unless a scope precedes it")
    func key() throws {
        let sqlite = try generator(.sqlite).createTable("switchyard_history")
        #expect(sqlite.contains("(\n    \"id\" INTEGER NOT NULL,\n"))
        #expect(sqlite.contains(" PRIMARY KEY (\"id\")"))
        #expect(sqlite.hasSuffix("\n) STRICT"))
        let scoped = try generator(.sqlite, isScoped: true).createTable("switchyard_history")
        #expect(scoped.contains("    \"id\" INTEGER NOT NULL,\n"))
        #expect(scoped.contains(" PRIMARY KEY (\"switchyard_scope\", \"id\")"))
        #expect(scoped.hasSuffix("\n) STRICT, WITHOUT ROWID"))
        let postgres = try generator(.postgres).createTable("switchyard_history")
        #expect(postgres.contains("(\n    \"id\" bigint NOT NULL,\n"))
    }

    @Test("PostgreSQL calculates a history's next number and digest in one statement")
    func append() throws {
        #expect(try generator(.sqlite).appendHistory == nil)
        #expect(
            try generator(.postgres).appendHistory == """
                INSERT INTO "switchyard_history" ("id", "transaction", "digest", "time", "author", "device", "operation", \
                "undone", "fingerprint", "count", "blocks", "changes", "origin") \
                SELECT coalesce("last"."id", $1) + 1, $2, substring(sha256(coalesce("last"."digest", \
                decode(repeat('00', 16), 'hex')) || uuid_send($2)) FOR 16), GREATEST($3, "last"."time"), $4, $5, $6, $7, \
                $8, $9, $10, $11, $12 \
                FROM (SELECT 1) AS "one" LEFT JOIN (SELECT "id", "digest", "time" FROM "switchyard_history" \
                WHERE "id" > $1 \
                ORDER BY "id" DESC LIMIT 1) AS "last" ON TRUE
                """)
        #expect(
            try generator(.postgres, isScoped: true).appendHistory == """
                INSERT INTO "switchyard_history" ("switchyard_scope", "id", "transaction", "digest", "time", "author", \
                "device", "operation", "undone", "fingerprint", "count", "blocks", "changes", "origin") \
                SELECT $1, coalesce("last"."id", $2) + 1, $3, substring(sha256(coalesce("last"."digest", \
                decode(repeat('00', 16), 'hex')) || uuid_send($3)) FOR 16), GREATEST($4, "last"."time"), $5, $6, $7, $8, \
                $9, $10, $11, $12, $13 \
                FROM (SELECT 1) AS "one" LEFT JOIN (SELECT "id", "digest", "time" FROM "switchyard_history" \
                WHERE "switchyard_scope" = $1 AND "id" > $2 \
                ORDER BY "switchyard_scope" DESC, "id" DESC LIMIT 1) AS "last" ON TRUE
                """)
    }
}
