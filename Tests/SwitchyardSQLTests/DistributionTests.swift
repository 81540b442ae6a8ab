import SwitchyardCore
import SwitchyardSQL
import Testing

@Suite("Distribution of tables on Citus")
struct DistributionTests {
    private func generator(_ schema: Schema? = nil, isDistributed: Bool = true) throws -> SQLGenerator {
        SQLGenerator(
            dialect: .postgres, schema: try schema ?? Fixture.schema(), namespace: "app", isScoped: true,
            isDistributed: isDistributed)
    }

    /// The statement that distributes a table like all others.
    private func distribute(_ table: String) -> String {
        #"SELECT create_distributed_table('"app"."\#(table)"', 'switchyard_scope', "#
            + #"colocate_with => '"app"."switchyard_operation"')"#
    }

    @Test("all tables of a new store are distributed, first the one that the others are colocated with")
    func creation() throws {
        let plain = try generator(isDistributed: false).createStore()
        let statements = try generator().createStore()
        #expect(Array(statements.prefix(plain.count)) == plain)
        #expect(
            statements.dropFirst(plain.count) == [
                #"SELECT create_distributed_table('"app"."switchyard_operation"', 'switchyard_scope', "#
                    + "colocate_with => 'none')",
                #"SELECT create_reference_table('"app"."switchyard_store"')"#,
                distribute("switchyard_queue"), distribute("Owner"), distribute("Pet"),
                distribute("switchyard_history"), distribute("switchyard_history_block"),
                distribute("switchyard_history_consumer"), distribute("switchyard_mirror"),
            ])
    }

    @Test("a copy's tables are distributed without their indexes, which come later")
    func copy() throws {
        let statements = try generator().createStore(role: .copying)
        #expect(statements.filter { $0.hasPrefix("CREATE UNIQUE INDEX") } == [])
        #expect(statements.suffix(4).contains(distribute("switchyard_history_consumer")))
        #expect(statements.contains(distribute("Pet")))
    }

    @Test("tables on one server are not distributed")
    func one() throws {
        let statements = try generator(isDistributed: false).createStore()
        #expect(statements.allSatisfy { !$0.contains("create_") })
    }

    private static func schema(_ version: Int, _ entities: [Entity]) throws -> Schema {
        try Schema(version: SchemaVersion(version), entities: entities)
    }

    private static func entity(_ name: String, _ attributes: Attribute...) -> Entity {
        Entity(name, attributes: [Attribute("id", type: .uuid)] + attributes)
    }

    @Test("a table that a stage creates is distributed before its rows come; an altered one stays so")
    func stage() throws {
        let old = Self.entity("Pet", Attribute("name", type: .text))
        let new = Self.entity("Animal", Attribute("name", type: .text), Attribute("age", type: .int))
        let (gone, fresh) = (Self.entity("Owner"), Self.entity("Toy"))
        let (older, newer) = (try Self.schema(1, [old, gone]), try Self.schema(2, [new, fresh]))
        let statements = try generator(newer).change(
            [
                .change(
                    old, to: new,
                    [ValueSource("id"), ValueSource("name"), ValueSource(nil, fallback: .int(3))]),
                .drop(gone), .create(fresh),
            ], from: generator(older))
        #expect(statements.drafts.count == 2)
        #expect(statements.drafts[0].hasPrefix(#"CREATE TABLE "app"."switchyard_draft_2" ("#))
        #expect(statements.drafts[1] == distribute("switchyard_draft_2"))
        #expect(
            statements.others == [
                #"DROP TABLE "app"."Owner""#,
                #"ALTER INDEX "app"."primary_Pet" RENAME TO "switchyard_draft_0_key""#,
                #"ALTER TABLE "app"."Pet" RENAME TO "switchyard_draft_0""#,
                #"ALTER INDEX "app"."switchyard_draft_0_key" RENAME TO "primary_Animal""#,
                #"ALTER TABLE "app"."switchyard_draft_0" RENAME TO "Animal""#,
                #"ALTER TABLE "app"."Animal" ADD COLUMN "age" bigint NOT NULL DEFAULT '3'::bigint"#,
                #"ALTER TABLE "app"."Animal" ALTER COLUMN "age" DROP DEFAULT"#,
                #"ALTER INDEX "app"."switchyard_draft_2_key" RENAME TO "primary_Toy""#,
                #"ALTER TABLE "app"."switchyard_draft_2" RENAME TO "Toy""#,
            ])
    }

    @Test("no statement adds a constraint beside another change, or renames one, which Citus refuses")
    func constraints() throws {
        let old = Self.entity("Pet", Attribute("kind", type: .text, cases: [.text("cat")]))
        let new = Self.entity(
            "Animal", Attribute("kind", type: .text, cases: [.text("cat"), .text("dog")]),
            Attribute("note", type: .text, isOptional: true))
        let statements = try generator(Self.schema(2, [new])).change(
            [.change(old, to: new, [ValueSource("id"), ValueSource("kind"), ValueSource(nil)])],
            from: generator(Self.schema(1, [old]))
        ).others
        #expect(
            statements.filter { $0.contains("CONSTRAINT") } == [
                #"ALTER TABLE "app"."Animal" DROP CONSTRAINT "check_Pet_kind", "#
                    + #"ADD COLUMN "note" text COLLATE "C""#,
                #"ALTER TABLE "app"."Animal" ADD CONSTRAINT "check_Animal_kind" "#
                    + #"CHECK ("kind" IN ('cat', 'dog'))"#,
            ])
    }

    @Test("an insert with ON CONFLICT returns its rows on Citus, for their count")
    func conflicts() throws {
        func text(_ isDistributed: Bool, givesRows: Bool) throws -> String {
            try generator(isDistributed: isDistributed).insertArrays(
                into: "Owner", onConflict: .ignore(key: ["id"]), givesRows: givesRows
            ).text
        }
        #expect(try text(true, givesRows: false).hasSuffix("DO NOTHING RETURNING 1"))
        #expect(try text(true, givesRows: true).hasSuffix(#"DO NOTHING RETURNING "id", "name""#))
        #expect(try text(false, givesRows: false).hasSuffix("DO NOTHING"))
    }

    @Test("scopes are listed without a recursive query, which Citus refuses")
    func scopes() throws {
        let schema = try Self.schema(1, [Self.entity("Pet")])
        let statement = try generator(schema).selectScopes(after: Fixture.zone, limit: 7)
        let tables = [
            "Pet", "switchyard_history", "switchyard_history_block", "switchyard_history_consumer",
            "switchyard_mirror", "switchyard_operation",
        ]
        let parts = tables.enumerated().map { number, table in
            #"SELECT "switchyard_scope" AS "scope" FROM "app"."\#(table)" "#
                + #"WHERE "switchyard_scope" > $\#(number + 1)"#
        }
        #expect(
            statement.text
                == #"SELECT "held"."scope", "ends"."id" FROM ("# + parts.joined(separator: " UNION ")
                + #") AS "held" LEFT JOIN (SELECT "switchyard_scope" AS "scope", MAX("id") AS "id" "#
                + #"FROM "app"."switchyard_history" GROUP BY "switchyard_scope") AS "ends" "#
                + #"ON "ends"."scope" = "held"."scope" ORDER BY "held"."scope" LIMIT 7"#)
        #expect(statement.parameters.count == 6)
    }
}
