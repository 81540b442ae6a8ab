import Foundation
import SwitchyardCore
import SwitchyardSQL
import Testing

@Suite("Statements in both dialects")
struct StatementTests {
    private let wholePet =
        "\"id\", \"owner\", \"kind\", \"kg\", \"age\", \"legs\", \"price\", \"born\", \"tame\""

    @Test("an order is printed with nil first ascending and last descending, and with its limits")
    func order() throws {
        let selection = Selection.rows(
            of: Fixture.pet, order: [SortKey("born", .descending), SortKey("age"), SortKey("id")], offset: 2)
        #expect(
            try Fixture.sqlite().select(selection)
                == SQLStatement(
                    text:
                        "SELECT \(wholePet) FROM \"Pet\" ORDER BY \"born\" DESC, \"age\", \"id\" LIMIT -1 OFFSET ?",
                    parameters: [.value(.int(2), .int)]))
        #expect(
            try Fixture.postgres().select(selection).text
                == "SELECT \(wholePet) FROM \"app\".\"Pet\" ORDER BY \"born\" DESC NULLS LAST, \"age\", \"id\" OFFSET $1"
        )
    }

    @Test("a range of ids is a parameter, for any number of rows")
    func range() throws {
        let id = try #require(UUID(uuidString: "00000000-0000-0000-0000-0000000000AB"))
        let selection = Selection.rows(
            of: Fixture.pet, where: .compare(.attribute("id"), .greater, .value(.uuid(id))), order: [],
            limit: 20_000)
        #expect(
            try Fixture.postgres().select(selection)
                == SQLStatement(
                    text: "SELECT \(wholePet) FROM \"app\".\"Pet\" WHERE \"id\" > $1 LIMIT $2",
                    parameters: [.value(.uuid(id), .uuid), .value(.int(20_000), .int)]))
    }

    @Test("a limit for each of several values is that of a sub-query for each")
    func partition() throws {
        let owner = try #require(UUID(uuidString: "00000000-0000-0000-0000-0000000000AB"))
        var selection = Selection(
            entity: Fixture.pet, columns: [.attribute("id"), .attribute("owner")],
            condition: .compare(.attribute("legs"), .greater, .value(.int(3))),
            order: [SortKey("age", .descending), SortKey("id")], limit: 2)
        selection.partition = Selection.Partition("owner", [.uuid(owner)])
        let parameters: [SQLParameter] = [
            .list([.uuid(owner)], .uuid), .value(.int(3), .int), .value(.int(2), .int),
        ]
        #expect(
            try Fixture.sqlite().select(selection)
                == SQLStatement(
                    text:
                        "SELECT \"Pet\".\"id\", \"Pet\".\"owner\" FROM \"switchyard_list\"(?) AS \"switchyard_keys\" "
                        + "CROSS JOIN \"Pet\" WHERE \"Pet\".\"id\" IN (SELECT \"switchyard_1\".\"id\" FROM \"Pet\" AS "
                        + "\"switchyard_1\" WHERE (\"switchyard_1\".\"owner\" = \"switchyard_keys\".\"value\") AND "
                        + "\"switchyard_1\".\"legs\" > ? ORDER BY \"switchyard_1\".\"age\" DESC, \"switchyard_1\".\"id\" "
                        + "LIMIT ?) ORDER BY \"Pet\".\"age\" DESC, \"Pet\".\"id\"",
                    parameters: parameters))
        #expect(
            try Fixture.postgres().select(selection)
                == SQLStatement(
                    text:
                        "SELECT \"switchyard_column_0\", \"switchyard_column_1\" FROM unnest($1) AS \"switchyard_keys\" "
                        + "(\"value\") CROSS JOIN LATERAL (SELECT \"id\" AS \"switchyard_column_0\", \"owner\" AS "
                        + "\"switchyard_column_1\", \"age\" AS \"switchyard_order_0\", \"id\" AS \"switchyard_order_1\" FROM "
                        + "\"app\".\"Pet\" WHERE (\"owner\" = \"switchyard_keys\".\"value\") AND \"legs\" > $2 ORDER BY "
                        + "\"age\" DESC, \"id\" LIMIT $3) AS \"switchyard_rows\" ORDER BY \"switchyard_order_0\" DESC, "
                        + "\"switchyard_order_1\"",
                    parameters: parameters))
    }

    @Test("a figure of related rows is a sub-query, in a condition and in an order")
    func relatedFigure() throws {
        let figure = Operand.figure(
            .maximum("age"), of: "pets", where: .compare(.attribute("legs"), .equal, .value(.int(4))))
        let selection = Selection(
            entity: Fixture.owner, columns: [.attribute("id")],
            condition: .compare(figure, .greater, .value(.int(3))),
            order: [SortKey(figure, .descending, nils: .first), SortKey("id")])
        let text =
            "(SELECT MAX(\"switchyard_1\".\"age\") FROM \"Pet\" AS \"switchyard_1\" WHERE \"switchyard_1\".\"owner\" = "
            + "\"Owner\".\"id\" AND \"switchyard_1\".\"legs\" = ?)"
        #expect(
            try Fixture.sqlite().select(selection).text
                == "SELECT \"id\" FROM \"Owner\" WHERE \(text) > ? ORDER BY \(text) DESC NULLS FIRST, \"id\"")
    }

    @Test("orders after the id are omitted")
    func orderByID() throws {
        let selection = Selection(
            entity: Fixture.pet, columns: [.attribute("id")],
            order: [SortKey("id", .descending), SortKey("age")],
            limit: 0)
        #expect(
            try Fixture.sqlite().select(selection)
                == SQLStatement(
                    text: "SELECT \"id\" FROM \"Pet\" ORDER BY \"id\" DESC LIMIT ?",
                    parameters: [.value(.int(0), .int)]))
    }

    @Test("an attribute fixed by the condition sorts in the direction of the next, as one index does")
    func fixedOrder() throws {
        let selection = Selection(
            entity: Fixture.pet, columns: [.attribute("id")],
            condition: .all([
                .compare(.attribute("born"), .equal, .value(.null)),
                .compare(.attribute("legs"), .less, .value(.int(4))),
            ]), order: [SortKey("born"), SortKey("legs", .descending), SortKey("id")])
        #expect(
            try Fixture.postgres().select(selection).text
                == "SELECT \"id\" FROM \"app\".\"Pet\" WHERE \"born\" IS NULL AND \"legs\" < $1 "
                + "ORDER BY \"born\" DESC NULLS LAST, \"legs\" DESC NULLS LAST, \"id\"")
    }

    @Test("groups by day and attribute are printed with aggregates")
    func groups() throws {
        let selection = Selection(
            entity: Fixture.pet,
            columns: [
                .group(.attribute("owner")), .aggregate(.count), .aggregate(.countOf("legs")),
                .aggregate(.sum("age")),
                .aggregate(.minimum("owner")), .aggregate(.maximum("tame")),
            ], groups: [.attribute("owner")])
        #expect(
            try Fixture.sqlite().select(selection).text
                == "SELECT \"owner\", COUNT(*), COUNT(\"legs\"), COALESCE(switchyard_sum(\"age\"), 0), MIN(\"owner\"), "
                + "MAX(\"tame\") FROM \"Pet\" GROUP BY \"owner\" ORDER BY \"Pet\".\"owner\"")
        #expect(
            try Fixture.postgres().select(selection).text
                == "SELECT \"owner\", COUNT(*), COUNT(\"legs\"), COALESCE(SUM(\"age\")::bigint, 0), "
                + "MIN(\"owner\"::text COLLATE \"C\")::uuid, bool_or(\"tame\") FROM \"app\".\"Pet\" "
                + "GROUP BY \"owner\" ORDER BY \"Pet\".\"owner\" NULLS FIRST")
    }

    @Test("the day of a time is rounded down in SQL")
    func day() throws {
        let key = GroupKey.period(.day, of: "born", ClockOffsets(-3600))
        let selection = Selection(entity: Fixture.pet, columns: [.group(key)], groups: [key])
        #expect(
            try Fixture.sqlite().select(selection)
                == SQLStatement(
                    text: "SELECT ((\"born\" + ?) / 86400000000 - 719168) FROM \"Pet\" GROUP BY 1 ORDER BY 1",
                    parameters: [.value(.int(62_136_111_600_000_000), .int)]))
        #expect(
            try Fixture.postgres().select(selection)
                == SQLStatement(
                    text:
                        "SELECT (((\"born\" + $1 * INTERVAL '1 second') AT TIME ZONE 'UTC')::date) "
                        + "FROM \"app\".\"Pet\" GROUP BY 1 ORDER BY 1 NULLS FIRST",
                    parameters: [.value(.int(-3_600), .int)]))
    }

    @Test("a clock that changes is asked for its last change first")
    func hour() throws {
        let clock = ClockOffsets(0, changes: [.init(at: 10, to: 1800), .init(at: 20, to: 60)])
        let key = GroupKey.period(.hour, of: "born", clock)
        let selection = Selection(entity: Fixture.pet, columns: [.group(key)], groups: [key])
        #expect(
            try Fixture.sqlite().select(selection)
                == SQLStatement(
                    text:
                        "SELECT ((\"born\" + CASE WHEN \"born\" >= ? THEN ? WHEN \"born\" >= ? THEN ? ELSE ? END) "
                        + "/ 3600000000 - 17260032) FROM \"Pet\" GROUP BY 1 ORDER BY 1",
                    parameters: [
                        .value(.timestamp(20), .timestamp), .value(.int(62_136_115_260_000_000), .int),
                        .value(.timestamp(10), .timestamp), .value(.int(62_136_117_000_000_000), .int),
                        .value(.int(62_136_115_200_000_000), .int),
                    ]))
        #expect(
            try Fixture.postgres().select(selection).text
                == "SELECT (floor(extract(epoch FROM (\"born\" + CASE WHEN \"born\" >= $1 THEN $2 WHEN \"born\" >= $3 "
                + "THEN $4 ELSE $5 END * INTERVAL '1 second')) / 3600)::bigint) "
                + "FROM \"app\".\"Pet\" GROUP BY 1 ORDER BY 1 NULLS FIRST")
    }

    @Test("a grouping period that is not selected is refused")
    func unselectedPeriod() throws {
        let selection = Selection(
            entity: Fixture.pet, columns: [.aggregate(.count)],
            groups: [.period(.day, of: "born", ClockOffsets())])
        let error = #expect(throws: StoreError.self) { try Fixture.postgres().select(selection) }
        #expect(error?.code == .unsupported)
        #expect(error?.attribute == "born")
    }

    @Test("insert and upsert write the folded copy")
    func insert() throws {
        let insert = try Fixture.sqlite().insert(into: "Owner", onConflict: .fail)
        #expect(insert.text == "INSERT INTO \"Owner\" (\"id\", \"name\", \"name_search\") VALUES (?, ?, ?)")
        #expect(insert.types == [.uuid, .text, .text])
        #expect(
            try Fixture.sqlite().insert(into: "Owner", onConflict: .fail, rows: 2).text
                == "INSERT INTO \"Owner\" (\"id\", \"name\", \"name_search\") VALUES (?, ?, ?), (?, ?, ?)")
        #expect(
            try Fixture.postgres().insert(into: "Owner", onConflict: .update(key: ["id"], set: ["name"])).text
                == "INSERT INTO \"app\".\"Owner\" (\"id\", \"name\", \"name_search\") VALUES ($1, $2, $3) "
                + "ON CONFLICT (\"id\") DO UPDATE SET \"name\" = excluded.\"name\", "
                + "\"name_search\" = excluded.\"name_search\"")
        #expect(
            try Fixture.sqlite().insert(into: "Owner", onConflict: .update(key: ["id"], set: [])).text
                .hasSuffix(" ON CONFLICT (\"id\") DO UPDATE SET \"id\" = excluded.\"id\""))
    }

    @Test("writing statements return rows, doubles as doubles")
    func returning() throws {
        let update = ConflictResolution.update(key: ["id"], set: ["weight"])
        #expect(
            try Fixture.sqlite().insert(into: "Pet", onConflict: update, givesRows: true).text.hasSuffix(
                " DO UPDATE SET \"kg\" = excluded.\"kg\" RETURNING \"id\", \"owner\", \"kind\", "
                    + "CAST(\"kg\" AS REAL), \"age\", \"legs\", \"price\", \"born\", \"tame\""))
        #expect(
            try Fixture.postgres().insert(into: "Pet", onConflict: update, givesRows: true).text.hasSuffix(
                " DO UPDATE SET \"kg\" = excluded.\"kg\" RETURNING \(wholePet)"))
    }

    @Test("any number of rows travels in arrays, one for each column")
    func arrays() throws {
        let insert = try Fixture.postgres().insertArrays(
            into: "Owner", onConflict: .update(key: ["id"], set: ["name"]), givesRows: true)
        #expect(
            insert.text == "INSERT INTO \"app\".\"Owner\" (\"id\", \"name\", \"name_search\") "
                + "SELECT \"id\", \"name\", \"name_search\" FROM unnest($1, $2, $3) "
                + "AS \"switchyard_rows\" (\"id\", \"name\", \"name_search\") "
                + "ON CONFLICT (\"id\") DO UPDATE SET \"name\" = excluded.\"name\", "
                + "\"name_search\" = excluded.\"name_search\" RETURNING \"id\", \"name\"")
        #expect(insert.types == [.uuid, .text, .text])
    }

    @Test("an upsert's conflict target is the constraint's index, or the one for nils")
    func conflictTarget() throws {
        let key = ["kind", "price"]
        #expect(
            try Fixture.sqlite().insert(into: "Pet", onConflict: .ignore(key: key)).text.hasSuffix(
                " ON CONFLICT (\"kind\", \"price\") DO NOTHING "
                    + "ON CONFLICT (\"kind\", (\"price\" IS NULL), ifnull(\"price\", 0) COLLATE \"switchyard_decimal\") "
                    + "WHERE \"price\" IS NULL DO NOTHING"))
        #expect(
            try Fixture.postgres().insert(into: "Pet", onConflict: .ignore(key: key)).text
                .hasSuffix(" ON CONFLICT (\"kind\", \"price\") DO NOTHING"))
    }

    @Test("an update folds constants itself and copies other folded columns")
    func update() throws {
        let constant = try Fixture.sqlite().update(
            "Owner", set: [Assignment(attribute: "name", value: .value(.text("Émil")))],
            where: .constant(true))
        #expect(constant.text == "UPDATE \"Owner\" SET \"name\" = ?, \"name_search\" = ?")
        #expect(constant.parameters == [.value(.text("Émil"), .text), .value(.text("emil"), .text)])
        let own = try Fixture.sqlite().update(
            "Owner",
            set: [Assignment(attribute: "name", value: .coalesce(.attribute("name"), .value(.text("X"))))],
            where: .constant(true))
        #expect(
            own.text == "UPDATE \"Owner\" SET \"name\" = COALESCE(\"name\", ?), "
                + "\"name_search\" = COALESCE(\"name_search\", ?)")
        #expect(own.parameters == [.value(.text("X"), .text), .value(.text("x"), .text)])
    }

    @Test("an assigned nil is bound, so the text does not depend on it")
    func updateNil() throws {
        let statement = try Fixture.postgres().update(
            "Pet", set: [Assignment(attribute: "legs", value: .value(.null))],
            where: .compare(.attribute("id"), .equal, .value(.uuid(Fixture.uuid(1)))))
        #expect(statement.text == "UPDATE \"app\".\"Pet\" SET \"legs\" = $1 WHERE \"id\" = $2")
        #expect(statement.parameters == [.value(.null, .int), .value(.uuid(Fixture.uuid(1)), .uuid)])
    }

    @Test("updates of whole rows share one text, with parameters for each")
    func updateRow() throws {
        let plan = try SQLPlan(Fixture.postgres()).entity("Owner")
        let condition = Condition.compare(.attribute("id"), .equal, .value(.uuid(Fixture.uuid(1))))
        let name = Assignment(attribute: "name", value: .value(.text("Émil")))
        let statement = try #require(plan.updateRow([name], where: condition, in: nil))
        #expect(
            statement.text
                == "UPDATE \"app\".\"Owner\" SET \"name\" = $1, \"name_search\" = $2 WHERE \"id\" = $3")
        #expect(
            statement.parameters == [
                .value(.text("Émil"), .text), .value(.text("emil"), .text),
                .value(.uuid(Fixture.uuid(1)), .uuid),
            ])
        #expect(plan.updateRow([name, name], where: condition, in: nil) == nil)
        #expect(plan.updateRow([name], where: .constant(true), in: nil) == nil)
        #expect(plan.updateRow([name], where: .not(condition), in: nil) == nil)
        let calculated = Assignment(attribute: "name", value: .attribute("name"))
        #expect(plan.updateRow([calculated], where: condition, in: nil) == nil)
    }

    @Test("delete, find and copy are printed")
    func others() throws {
        #expect(
            try Fixture.sqlite().delete(from: "Pet", where: .constant(true)).text == "DELETE FROM \"Pet\"")
        #expect(try Fixture.sqlite().find(in: "Pet") == "SELECT \(wholePet) FROM \"Pet\" WHERE \"id\" = ?")
        #expect(
            try Fixture.postgres().copyIn("Owner")
                == "COPY \"app\".\"Owner\" (\"id\", \"name\", \"name_search\") FROM STDIN (FORMAT binary)")
    }
}
