import SwitchyardCore
import SwitchyardSQL
import Testing

@Suite("Conditions through references in SQL")
struct RelatedConditionTests {
    private let age = Operand.attribute("age")

    private func text(_ generator: SQLGenerator, _ entity: Entity, _ condition: Condition) throws -> String {
        try generator.select(Selection(entity: entity, columns: [.attribute("id")], condition: condition))
            .text
    }

    private let isMia = Condition.exists(
        relationship: "owner", .compare(.attribute("name"), .equal, .value(.text("Mia"))))

    @Test("a condition through a reference is an indexed list in SQLite, and a joined EXISTS in PostgreSQL")
    func reference() throws {
        #expect(
            try text(Fixture.sqlite(), Fixture.pet, isMia)
                == "SELECT \"id\" FROM \"Pet\" WHERE \"owner\" IN (SELECT \"switchyard_1\".\"id\" FROM \"Owner\" AS "
                + "\"switchyard_1\" WHERE \"switchyard_1\".\"name\" = ?)")
        #expect(
            try text(Fixture.postgres(), Fixture.pet, isMia)
                == "SELECT \"id\" FROM \"app\".\"Pet\" WHERE EXISTS (SELECT 1 FROM \"app\".\"Owner\" AS "
                + "\"switchyard_1\" WHERE \"switchyard_1\".\"id\" = \"Pet\".\"owner\" "
                + "AND \"switchyard_1\".\"name\" = $1)")
    }

    @Test("the negation of a condition through a reference holds if the reference is nil")
    func opposite() throws {
        #expect(
            try text(Fixture.sqlite(), Fixture.pet, .not(isMia))
                == "SELECT \"id\" FROM \"Pet\" WHERE NOT EXISTS (SELECT 1 FROM \"Owner\" AS \"switchyard_1\" "
                + "WHERE \"switchyard_1\".\"id\" = \"Pet\".\"owner\" AND \"switchyard_1\".\"name\" = ?)")
    }

    @Test(
        "a list of references without a condition has no empty WHERE, and one with alternatives no parentheses"
    )
    func plain() throws {
        #expect(
            try text(Fixture.sqlite(), Fixture.pet, .exists(relationship: "owner", .constant(true)))
                == "SELECT \"id\" FROM \"Pet\" WHERE \"owner\" IN (SELECT \"switchyard_1\".\"id\" FROM \"Owner\" AS "
                + "\"switchyard_1\")")
        let names = ["Mia", "Leo"].map {
            Condition.compare(.attribute("name"), .equal, .value(.text($0)))
        }
        #expect(
            try text(Fixture.sqlite(), Fixture.pet, .exists(relationship: "owner", .any(names)))
                == "SELECT \"id\" FROM \"Pet\" WHERE \"owner\" IN (SELECT \"switchyard_1\".\"id\" FROM \"Owner\" AS "
                + "\"switchyard_1\" WHERE \"switchyard_1\".\"name\" = ? OR \"switchyard_1\".\"name\" = ?)")
    }

    @Test("a scope confines referenced rows, before alternatives as well")
    func scope() throws {
        let generator = SQLGenerator(dialect: .sqlite, schema: try Fixture.schema(), isScoped: true)
        let scoped = generator.confined(to: [Fixture.zone])
        let names = ["Mia", "Leo"].map {
            Condition.compare(.attribute("name"), .equal, .value(.text($0)))
        }
        let several = generator.confined(to: [Fixture.zone, StoreScope(Fixture.uuid(0xBB))])
        #expect(
            try text(several, Fixture.pet, .exists(relationship: "owner", .any(names)))
                == "SELECT \"id\" FROM \"Pet\" WHERE \"switchyard_scope\" IN (SELECT \"value\" FROM \"switchyard_list\"(?)) "
                + "AND (\"switchyard_scope\", \"owner\") IN "
                + "(SELECT \"switchyard_1\".\"switchyard_scope\", \"switchyard_1\".\"id\" FROM \"Owner\" AS \"switchyard_1\" "
                + "WHERE \"switchyard_1\".\"switchyard_scope\" IN (SELECT \"value\" FROM \"switchyard_list\"(?)) "
                + "AND (\"switchyard_1\".\"name\" = ? OR \"switchyard_1\".\"name\" = ?))")
        #expect(
            try text(scoped, Fixture.pet, .exists(relationship: "owner", .any(names)))
                == "SELECT \"id\" FROM \"Pet\" WHERE \"switchyard_scope\" = ? AND \"owner\" IN "
                + "(SELECT \"switchyard_1\".\"id\" FROM \"Owner\" AS \"switchyard_1\" "
                + "WHERE \"switchyard_1\".\"switchyard_scope\" = ? "
                + "AND (\"switchyard_1\".\"name\" = ? OR \"switchyard_1\".\"name\" = ?))")
    }

    @Test("related rows are counted in a subquery")
    func count() throws {
        let many = Condition.compare(.count(relationship: "pets"), .greater, .value(.int(3)))
        #expect(
            try text(Fixture.sqlite(), Fixture.owner, many)
                == "SELECT \"id\" FROM \"Owner\" WHERE (SELECT COUNT(*) FROM \"Pet\" AS \"switchyard_1\" "
                + "WHERE \"switchyard_1\".\"owner\" = \"Owner\".\"id\") > ?")
        #expect(
            try text(Fixture.postgres(), Fixture.pet, .exists(relationship: "owner", many))
                == "SELECT \"id\" FROM \"app\".\"Pet\" WHERE EXISTS (SELECT 1 FROM \"app\".\"Owner\" AS "
                + "\"switchyard_1\" WHERE \"switchyard_1\".\"id\" = \"Pet\".\"owner\" AND (SELECT COUNT(*) FROM "
                + "\"app\".\"Pet\" AS \"switchyard_2\" WHERE \"switchyard_2\".\"owner\" = \"switchyard_1\".\"id\") > $1)"
        )
    }

    @Test("SQLite first finds the rows of an update whose condition reads rows that it changes")
    func updates() throws {
        func text(_ generator: SQLGenerator, _ condition: Condition) throws -> String {
            try generator.update(
                "Pet", set: [Assignment(attribute: "age", value: .value(.int(1)))], where: condition
            ).text
        }
        let hasOldSibling = Condition.exists(
            relationship: "owner", .exists(relationship: "pets", .compare(age, .greater, .value(.int(9)))))
        let siblings =
            "\"owner\" IN (SELECT \"switchyard_1\".\"id\" FROM \"Owner\" AS \"switchyard_1\" WHERE EXISTS (SELECT 1 FROM "
            + "\"Pet\" AS \"switchyard_2\" WHERE \"switchyard_2\".\"owner\" = \"switchyard_1\".\"id\" "
            + "AND \"switchyard_2\".\"age\" > ?))"
        #expect(
            try text(Fixture.sqlite(), hasOldSibling)
                == "UPDATE \"Pet\" SET \"age\" = ? WHERE \"id\" IN (SELECT \"id\" FROM \"Pet\" WHERE \(siblings))"
        )
        let scoped = SQLGenerator(dialect: .sqlite, schema: try Fixture.schema(), isScoped: true)
        #expect(
            try text(scoped.confined(to: [Fixture.zone]), hasOldSibling).hasPrefix(
                "UPDATE \"Pet\" SET \"age\" = ? WHERE \"switchyard_scope\" = ? AND \"id\" IN (SELECT \"id\" FROM \"Pet\" "
                    + "WHERE \"switchyard_scope\" = ? AND \"owner\" IN "))
        #expect(
            try text(Fixture.sqlite(), isMia).hasPrefix("UPDATE \"Pet\" SET \"age\" = ? WHERE \"owner\" IN "))
        #expect(
            try text(Fixture.postgres(), hasOldSibling).hasPrefix(
                "UPDATE \"app\".\"Pet\" SET \"age\" = $1 WHERE EXISTS "))
    }
}
