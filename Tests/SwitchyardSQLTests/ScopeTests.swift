import SwitchyardCore
import SwitchyardSQL
import Testing

@Suite("Scopes in SQL")
struct ScopeTests {
    private func generator(
        _ dialect: SQLDialect = .postgres, _ scopes: StoreScope...
    ) throws -> SQLGenerator {
        SQLGenerator(dialect: dialect, schema: try Fixture.schema(), isScoped: true)
            .confined(to: scopes.isEmpty ? [Fixture.zone] : scopes)
    }

    private let other = StoreScope(Fixture.uuid(0xBB))
    private let zone = SQLParameter.value(.uuid(Fixture.uuid(0xAA)), .uuid)
    private let both = SQLParameter.list([.uuid(Fixture.uuid(0xAA)), .uuid(Fixture.uuid(0xBB))], .uuid)

    @Test("a scope is first in primary and unique keys and in indexes, and there are no foreign keys")
    func keys() throws {
        let statements = try generator().createStore()
        #expect(
            statements[0].contains(
                "CREATE TABLE \"Owner\" (\n    \"switchyard_scope\" uuid NOT NULL,\n    \"id\" uuid NOT NULL")
        )
        #expect(statements[0].contains("PRIMARY KEY (\"switchyard_scope\", \"id\")"))
        #expect(
            statements.contains(
                "CREATE UNIQUE INDEX \"unique_Owner_name\" ON \"Owner\" (\"switchyard_scope\", \"name\")"))
        #expect(
            statements.contains(
                "CREATE INDEX \"reference_Pet_owner\" ON \"Pet\" (\"switchyard_scope\", \"owner\" NULLS FIRST, \"id\")"
            ))
        let sqlite = try generator(.sqlite).createTable("Pet")
        #expect(sqlite.contains("\"switchyard_scope\" BLOB NOT NULL"))
        #expect(sqlite.contains("CHECK (length(\"switchyard_scope\") = 16)"))
        #expect(!sqlite.contains("REFERENCES"))
    }

    @Test("a scope confines selections, and the EXISTS inside them")
    func select() throws {
        let selection = Selection(
            entity: Fixture.owner, columns: [.attribute("id")],
            condition: .exists(
                relationship: "pets", .compare(.attribute("age"), .less, .value(.int(4)))))
        let statement = try generator().select(selection)
        #expect(
            statement.text
                == "SELECT \"id\" FROM \"Owner\" WHERE \"switchyard_scope\" = $1 AND EXISTS "
                + "(SELECT 1 FROM \"Pet\" AS \"switchyard_1\" WHERE \"switchyard_1\".\"switchyard_scope\" = $2 "
                + "AND \"switchyard_1\".\"owner\" = \"Owner\".\"id\" AND \"switchyard_1\".\"age\" < $3)")
        #expect(statement.parameters == [zone, zone, .value(.int(4), .int)])
        #expect(
            try generator().select(.rows(of: Fixture.owner, order: [])).text
                == "SELECT \"id\", \"name\" FROM \"Owner\" WHERE \"switchyard_scope\" = $1")
    }

    @Test("with several scopes, each row is related to rows of its own")
    func several() throws {
        let selection = Selection(
            entity: Fixture.owner, columns: [.attribute("id"), .attribute("switchyard_scope")],
            condition: .exists(relationship: "pets", .constant(true)),
            order: [SortKey("name"), SortKey("id"), SortKey("switchyard_scope")], limit: 3)
        let statement = try generator(.postgres, Fixture.zone, other).select(selection)
        #expect(
            statement.text
                == "SELECT \"id\", \"switchyard_scope\" FROM \"Owner\" WHERE \"switchyard_scope\" = ANY ($1) AND EXISTS "
                + "(SELECT 1 FROM \"Pet\" AS \"switchyard_1\" "
                + "WHERE \"switchyard_1\".\"switchyard_scope\" = \"Owner\".\"switchyard_scope\" "
                + "AND \"switchyard_1\".\"owner\" = \"Owner\".\"id\") "
                + "ORDER BY \"name\", \"id\", \"switchyard_scope\" LIMIT $2")
        #expect(statement.parameters == [both, .value(.int(3), .int)])
    }

    @Test("a scope is printed before an OR in parentheses")
    func parentheses() throws {
        let condition = Condition.any([
            .compare(.attribute("age"), .equal, .value(.int(1))),
            .compare(.attribute("legs"), .equal, .value(.null)),
        ])
        #expect(
            try generator().delete(from: "Pet", where: condition).text
                == "DELETE FROM \"Pet\" WHERE \"switchyard_scope\" = $1 AND (\"age\" = $2 OR \"legs\" IS NULL)"
        )
    }

    @Test("a scope confines writes")
    func writes() throws {
        let insert = try generator().insert(into: "Owner", onConflict: .ignore(key: ["name"]))
        #expect(
            insert.text
                == "INSERT INTO \"Owner\" (\"switchyard_scope\", \"id\", \"name\", \"name_search\") "
                + "VALUES ($1, $2, $3, $4) ON CONFLICT (\"switchyard_scope\", \"name\") DO NOTHING")
        #expect(insert.types == [.uuid, .uuid, .text, .text])
        #expect(
            try generator().insert(into: "Owner", onConflict: .fail, rows: 2).text
                == "INSERT INTO \"Owner\" (\"switchyard_scope\", \"id\", \"name\", \"name_search\") "
                + "VALUES ($1, $2, $3, $4), ($5, $6, $7, $8)")
        #expect(
            try generator().insertArrays(into: "Owner", onConflict: .fail, givesRows: false).text
                == "INSERT INTO \"Owner\" (\"switchyard_scope\", \"id\", \"name\", \"name_search\") "
                + "SELECT \"switchyard_scope\", \"id\", \"name\", \"name_search\" FROM unnest($1, $2, $3, $4) "
                + "AS \"switchyard_rows\" (\"switchyard_scope\", \"id\", \"name\", \"name_search\")")
        #expect(
            try generator().copyIn("Owner")
                == "COPY \"Owner\" (\"switchyard_scope\", \"id\", \"name\", \"name_search\") FROM STDIN (FORMAT binary)"
        )
        #expect(
            try generator().update(
                "Pet", set: [Assignment(attribute: "age", value: .value(.int(1)))], where: .constant(true)
            ).text == "UPDATE \"Pet\" SET \"age\" = $1 WHERE \"switchyard_scope\" = $2")
        let row = try SQLPlan(generator()).entity("Owner").updateRow(
            [Assignment(attribute: "name", value: .value(.text("A")))],
            where: .compare(.attribute("id"), .equal, .value(.uuid(Fixture.uuid(1)))), in: Fixture.zone)
        #expect(
            row?.text == "UPDATE \"Owner\" SET \"name\" = $1, \"name_search\" = $2 "
                + "WHERE \"switchyard_scope\" = $3 AND \"id\" = $4")
        #expect(
            row?.parameters == [
                .value(.text("A"), .text), .value(.text("a"), .text), zone,
                .value(.uuid(Fixture.uuid(1)), .uuid),
            ])
        #expect(
            try generator().find(in: "Owner")
                == "SELECT \"id\", \"name\" FROM \"Owner\" WHERE \"switchyard_scope\" = $1 AND \"id\" = $2")
    }

    @Test("one SQL text serves all scopes")
    func texts() throws {
        let selection = Selection.rows(
            of: Fixture.owner, where: .compare(.attribute("name"), .equal, .value(.text("a"))))
        let first = try generator(.postgres, Fixture.zone).select(selection)
        let second = try generator(.postgres, other).select(selection)
        #expect(first.text == second.text)
        #expect(first.parameters == [zone, .value(.text("a"), .text)])
        #expect(second.parameters == [.value(.uuid(Fixture.uuid(0xBB)), .uuid), .value(.text("a"), .text)])
    }

    @Test("without scopes no statement is confined")
    func none() throws {
        let statement = try Fixture.postgres().select(.rows(of: Fixture.owner))
        #expect(!statement.text.contains("switchyard_scope"))
        #expect(try !Fixture.sqlite().createStore().joined().contains("switchyard_scope"))
    }
}
