import SwitchyardCore
import SwitchyardSQL
import Testing

@Suite("A scope stands first in every key and statement")
struct ScopeTests {
    private func generator(_ dialect: SQLDialect = .postgres) throws -> SQLGenerator {
        SQLGenerator(dialect: dialect, schema: try Fixture.schema(), scope: Fixture.zone)
    }

    private let zone = SQLParameter.value(.uuid(Fixture.uuid(0xAA)), .uuid)

    @Test("in primary, foreign and unique keys and in indexes")
    func keys() throws {
        let statements = try generator().createStore()
        #expect(
            statements[0].contains(
                "CREATE TABLE \"Owner\" (\n    \"zone\" uuid NOT NULL,\n    \"id\" uuid NOT NULL"))
        #expect(statements[0].contains("PRIMARY KEY (\"zone\", \"id\")"))
        #expect(
            statements.contains("CREATE UNIQUE INDEX \"unique_Owner_name\" ON \"Owner\" (\"zone\", \"name\")")
        )
        #expect(
            statements.contains(
                "ALTER TABLE \"Pet\" ADD CONSTRAINT \"reference_Pet_owner\" FOREIGN KEY (\"zone\", \"owner\") "
                    + "REFERENCES \"Owner\" (\"zone\", \"id\") DEFERRABLE INITIALLY DEFERRED"))
        #expect(
            try generator(.sqlite).createTable("Pet").contains(
                "FOREIGN KEY (\"zone\", \"owner\") REFERENCES \"Owner\" (\"zone\", \"id\")"))
    }

    @Test("in selections, inside EXISTS as well")
    func select() throws {
        let selection = Selection(
            entity: Fixture.owner, columns: [.attribute("id")],
            condition: .exists(
                relationship: "pets", .compare(.attribute("age"), .less, .value(.int(4)))))
        let statement = try generator().select(selection)
        #expect(
            statement.text
                == "SELECT \"id\" FROM \"Owner\" WHERE \"zone\" = $1 AND EXISTS (SELECT 1 FROM \"Pet\" AS \"switchyard_1\" "
                + "WHERE \"switchyard_1\".\"zone\" = $2 AND \"switchyard_1\".\"owner\" = \"Owner\".\"id\" "
                + "AND \"switchyard_1\".\"age\" < $3)")
        #expect(statement.parameters == [zone, zone, .value(.int(4), .int)])
        #expect(
            try generator().select(.rows(of: Fixture.owner, order: [])).text
                == "SELECT \"id\", \"name\" FROM \"Owner\" WHERE \"zone\" = $1")
    }

    @Test("before an OR, in parentheses")
    func parentheses() throws {
        let condition = Condition.any([
            .compare(.attribute("age"), .equal, .value(.int(1))),
            .compare(.attribute("legs"), .equal, .value(.null)),
        ])
        #expect(
            try generator().delete(from: "Pet", where: condition).text
                == "DELETE FROM \"Pet\" WHERE \"zone\" = $1 AND (\"age\" = $2 OR \"legs\" IS NULL)")
    }

    @Test("in writes")
    func writes() throws {
        let insert = try generator().insert(into: "Owner", onConflict: .ignore(key: ["name"]))
        #expect(
            insert.text
                == "INSERT INTO \"Owner\" (\"zone\", \"id\", \"name\", \"name_search\") VALUES ($1, $2, $3, $4) "
                + "ON CONFLICT (\"zone\", \"name\") DO NOTHING")
        #expect(insert.scope == zone)
        #expect(
            try generator().insert(into: "Owner", onConflict: .fail, rows: 2).text
                == "INSERT INTO \"Owner\" (\"zone\", \"id\", \"name\", \"name_search\") "
                + "VALUES ($1, $2, $3, $4), ($5, $6, $7, $8)")
        #expect(
            try generator().update(
                "Pet", set: [Assignment(attribute: "age", value: .value(.int(1)))], where: .constant(true)
            ).text == "UPDATE \"Pet\" SET \"age\" = $1 WHERE \"zone\" = $2")
        #expect(
            try generator().find(in: "Owner")
                == "SELECT \"id\", \"name\" FROM \"Owner\" WHERE \"zone\" = $1 AND \"id\" = $2")
    }
}
