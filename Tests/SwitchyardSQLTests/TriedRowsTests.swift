import SwitchyardCore
import SwitchyardSQL
import Testing

@Suite("A condition that can fail is tried before an answer that could do without a row")
struct TriedRowsTests {
    private let failing = Condition.compare(
        .arithmetic(.value(.int(1)), .divide, .attribute("age")), .equal, .value(.int(1)))
    private let tried =
        "WITH \"switchyard_tried\" AS MATERIALIZED (SELECT \"id\", \"owner\", \"kind\", \"kg\", \"age\", "
        + "\"legs\", \"price\", \"born\", \"tame\" FROM \"Pet\" WHERE switchyard_divide(?, \"age\") = ?) "

    private func text(
        _ columns: [SelectedColumn], groups: [GroupKey] = [], limit: Int? = nil
    ) throws -> String {
        try Fixture.sqlite().select(
            Selection(
                entity: Fixture.pet, columns: columns, condition: failing, groups: groups, limit: limit)
        ).text
    }

    @Test("the smallest and the greatest value, in groups too")
    func extremes() throws {
        #expect(
            try text([.aggregate(.minimum("born"))])
                == tried + "SELECT MIN(\"born\") FROM \"switchyard_tried\"")
        #expect(
            try text([.aggregate(.count), .aggregate(.maximum("id"))])
                == tried + "SELECT COUNT(*), MAX(\"id\") FROM \"switchyard_tried\"")
        #expect(
            try text(
                [.group(.attribute("tame")), .aggregate(.maximum("born"))], groups: [.attribute("tame")])
                == tried
                + "SELECT \"tame\", MAX(\"born\") FROM \"switchyard_tried\" GROUP BY \"tame\" ORDER BY \"switchyard_tried\".\"tame\""
        )
    }

    @Test("a limit, but not that of no row")
    func limits() throws {
        #expect(
            try text([.attribute("id")], limit: 1)
                == tried + "SELECT \"id\" FROM \"switchyard_tried\" LIMIT ?")
        #expect(try text([.attribute("id")], limit: 0).hasPrefix("SELECT "))
    }

    @Test("figures that need every row do without it")
    func figures() throws {
        #expect(try text([.aggregate(.count)]).hasPrefix("SELECT COUNT(*) FROM \"Pet\" WHERE "))
        #expect(try text([.aggregate(.countOf("born")), .aggregate(.sum("age"))]).hasPrefix("SELECT "))
    }
}
