import SwitchyardCore
import SwitchyardSQL
import Testing

@Suite("Changes of tables in both dialects")
struct ChangeTests {
    private static func schema(_ version: Int, _ attributes: [Attribute], indexes: [Index] = []) throws
        -> Schema
    {
        try Schema(
            version: SchemaVersion(version),
            entities: [
                Entity("Pet", attributes: [Attribute("id", type: .uuid)] + attributes, indexes: indexes)
            ])
    }

    private func statements(
        _ dialect: SQLDialect, _ older: Schema, _ newer: Schema, _ sources: [ValueSource]
    ) throws -> [String] {
        let change = TableChange.change(
            older.entities[0], to: newer.entities[0], [ValueSource("id")] + sources)
        return try SQLGenerator(dialect: dialect, schema: newer).change(
            [change], from: SQLGenerator(dialect: dialect, schema: older)
        ).others
    }

    @Test("adding a column touches no row")
    func addition() throws {
        let older = try Self.schema(1, [Attribute("name", type: .text)])
        let newer = try Self.schema(
            2,
            [
                Attribute("name", type: .text), Attribute("age", type: .int),
                Attribute("note", type: .text, isOptional: true),
            ], indexes: [Index(["age"])])
        let sources = [ValueSource("name"), ValueSource(nil, fallback: .int(3)), ValueSource(nil)]
        #expect(
            try statements(.sqlite, older, newer, sources) == [
                #"ALTER TABLE "Pet" ADD COLUMN "age" INTEGER NOT NULL DEFAULT 3"#,
                #"ALTER TABLE "Pet" ADD COLUMN "note" TEXT"#,
                #"CREATE INDEX "index_Pet_age" ON "Pet" ("age")"#,
            ])
        #expect(
            try statements(.postgres, older, newer, sources) == [
                #"ALTER TABLE "Pet" ADD COLUMN "age" bigint NOT NULL DEFAULT '3'::bigint, "#
                    + #"ADD COLUMN "note" text COLLATE "C""#,
                #"ALTER TABLE "Pet" ALTER COLUMN "age" DROP DEFAULT"#,
                #"CREATE INDEX "index_Pet_age" ON "Pet" ("age", "id")"#,
            ])
    }

    @Test("an index follows its renamed column when another column takes the name")
    func exchange() throws {
        let attributes = [Attribute("name", type: .text), Attribute("nick", type: .text)]
        let older = try Self.schema(1, attributes, indexes: [Index(["name"])])
        let newer = try Self.schema(2, attributes, indexes: [Index(["name"])])
        let sources = [ValueSource("nick"), ValueSource("name")]
        #expect(
            try statements(.postgres, older, newer, sources) == [
                #"DROP INDEX "index_Pet_name""#,
                #"ALTER TABLE "Pet" RENAME COLUMN "nick" TO "switchyard_draft_0""#,
                #"ALTER TABLE "Pet" RENAME COLUMN "name" TO "switchyard_draft_1""#,
                #"ALTER TABLE "Pet" RENAME COLUMN "switchyard_draft_0" TO "name""#,
                #"ALTER TABLE "Pet" RENAME COLUMN "switchyard_draft_1" TO "nick""#,
                #"CREATE INDEX "index_Pet_name" ON "Pet" ("name", "id")"#,
            ])
    }

    @Test("a unique index that belongs after a new one is rebuilt, since rows are checked in that order")
    func uniqueOrder() throws {
        func schema(_ version: Int, _ names: [String]) throws -> Schema {
            try Schema(
                version: SchemaVersion(version),
                entities: [
                    Entity(
                        "Pet",
                        attributes: ["id", "a", "b", "c"].map {
                            Attribute($0, type: $0 == "id" ? .uuid : .int)
                        },
                        uniqueConstraints: names.map { UniqueConstraint([$0]) })
                ])
        }
        func changes(_ dialect: SQLDialect, _ older: [String], _ newer: [String]) throws -> [String] {
            try statements(
                dialect, try schema(1, older), try schema(2, newer), ["a", "b", "c"].map { ValueSource($0) })
        }
        func create(_ name: String) -> String {
            #"CREATE UNIQUE INDEX "unique_Pet_\#(name)" ON "Pet" ("\#(name)")"#
        }
        func drop(_ name: String) -> String { #"DROP INDEX "unique_Pet_\#(name)""# }
        #expect(try changes(.postgres, ["a", "b"], ["a", "b", "c"]) == [create("c")])
        #expect(
            try changes(.postgres, ["a", "c"], ["a", "b", "c"]) == [drop("c"), create("b"), create("c")])
        #expect(try changes(.postgres, ["a", "b", "c"], ["b", "c"]) == [drop("a")])
        #expect(try changes(.postgres, ["a", "b"], ["b", "a"]) == [drop("a"), create("a")])
        #expect(
            try changes(.sqlite, ["a", "b"], ["a", "b", "c"])
                == [drop("b"), drop("a"), create("c"), create("b"), create("a")])
        #expect(try changes(.sqlite, ["b", "c"], ["a", "b", "c"]) == [create("a")])
        #expect(try changes(.sqlite, ["a", "b", "c"], ["b", "c"]) == [drop("a")])
    }

    @Test("SQLite rebuilds a table for any other change, and PostgreSQL alters it")
    func remake() throws {
        let older = try Self.schema(
            1, [Attribute("name", type: .text), Attribute("age", type: .int, isOptional: true)],
            indexes: [Index(["age"])])
        let newer = try Self.schema(2, [Attribute("age", type: .double)], indexes: [Index(["age"])])
        let sources = [ValueSource("age", fallback: .double(0.5))]
        #expect(
            try statements(.sqlite, older, newer, sources) == [
                #"DROP INDEX "index_Pet_age""#,
                """
                CREATE TABLE "switchyard_draft_0" (
                    "id" BLOB NOT NULL CONSTRAINT "check_Pet_id" CHECK (length("id") = 16),
                    "age" REAL NOT NULL,
                    CONSTRAINT "primary_Pet" PRIMARY KEY ("id")
                ) STRICT, WITHOUT ROWID
                """,
                #"INSERT INTO "switchyard_draft_0" ("id", "age") "#
                    + #"SELECT "id", coalesce(CAST("age" AS REAL), 0.5) FROM "Pet""#,
                #"DROP TABLE "Pet""#,
                #"ALTER TABLE "switchyard_draft_0" RENAME TO "Pet""#,
                #"CREATE INDEX "index_Pet_age" ON "Pet" ("age")"#,
            ])
        let altered = try statements(.postgres, older, newer, sources)
        #expect(
            altered == [
                // An index over an optional attribute puts nil first.
                #"DROP INDEX "index_Pet_age""#,
                #"ALTER TABLE "Pet" DROP COLUMN "name", ALTER COLUMN "age" TYPE double precision "#
                    + #"USING coalesce(CAST("age" AS double precision), '0.5'::double precision), "#
                    + #"ALTER COLUMN "age" SET NOT NULL"#,
                #"ALTER TABLE "Pet" ADD CONSTRAINT "check_Pet_age" CHECK ("age" <> 'NaN'::double precision)"#,
                #"CREATE INDEX "index_Pet_age" ON "Pet" ("age", "id")"#,
            ])
    }
}
