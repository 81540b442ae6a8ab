import Foundation
import SwitchyardCore
import SwitchyardSQL
import Testing

@Suite("Conditions print in both dialects")
struct ConditionTests {
    /// Checks what follows `WHERE` in a selection of pets.
    private func expect(
        _ condition: Condition, sqlite: String, postgres: String,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let selection = Selection(entity: Fixture.pet, columns: [.attribute("id")], condition: condition)
        let first = try Fixture.sqlite().select(selection).text
        let second = try Fixture.postgres().select(selection).text
        #expect(first == "SELECT \"id\" FROM \"Pet\" WHERE \(sqlite)", sourceLocation: location)
        #expect(second == "SELECT \"id\" FROM \"app\".\"Pet\" WHERE \(postgres)", sourceLocation: location)
    }

    private func expect(
        _ condition: Condition, both text: String, at location: SourceLocation = #_sourceLocation
    )
        throws
    {
        try expect(condition, sqlite: text, postgres: text, at: location)
    }

    private let age = Operand.attribute("age")
    private let legs = Operand.attribute("legs")
    private let kind = Operand.attribute("kind")

    @Test("constants and empty lists")
    func constants() throws {
        try expect(.constant(false), both: "FALSE")
        try expect(.not(.constant(true)), both: "FALSE")
        try expect(.all([]), both: "TRUE")
        try expect(.any([]), both: "FALSE")
        try expect(.not(.any([])), both: "TRUE")
    }

    @Test("no condition prints no WHERE")
    func none() throws {
        let all = Selection(entity: Fixture.pet, columns: [.attribute("id")])
        #expect(try Fixture.sqlite().select(all).text == "SELECT \"id\" FROM \"Pet\"")
    }

    @Test("equality with a value is a plain =, which indexes serve")
    func equal() throws {
        try expect(.compare(legs, .equal, .value(.int(3))), sqlite: "\"legs\" = ?", postgres: "\"legs\" = $1")
    }

    @Test("a difference from a value includes nil")
    func notEqual() throws {
        try expect(
            .compare(legs, .notEqual, .value(.int(3))), sqlite: "\"legs\" IS NOT ?",
            postgres: "\"legs\" IS DISTINCT FROM $1")
        try expect(
            .compare(age, .notEqual, .value(.int(3))), sqlite: "\"age\" <> ?", postgres: "\"age\" <> $1")
    }

    @Test("comparison with nil")
    func null() throws {
        try expect(.compare(legs, .equal, .value(.null)), both: "\"legs\" IS NULL")
        try expect(.compare(.value(.null), .notEqual, legs), both: "\"legs\" IS NOT NULL")
        try expect(.compare(legs, .less, .value(.null)), both: "FALSE")
        try expect(.not(.compare(legs, .less, .value(.null))), both: "TRUE")
        try expect(.compare(.value(.null), .equal, .value(.null)), both: "TRUE")
    }

    @Test("two attributes are the same if both are nil")
    func attributes() throws {
        try expect(
            .compare(legs, .equal, .attribute("legs")), sqlite: "\"legs\" IS \"legs\"",
            postgres: "\"legs\" IS NOT DISTINCT FROM \"legs\"")
        try expect(.compare(legs, .equal, age), both: "\"legs\" = \"age\"")
    }

    @Test("the opposite of an order comparison includes nil")
    func negatedOrder() throws {
        try expect(
            .not(.compare(legs, .less, .value(.int(3)))), sqlite: "(\"legs\" >= ? OR \"legs\" IS NULL)",
            postgres: "(\"legs\" >= $1 OR \"legs\" IS NULL)")
        try expect(.not(.compare(legs, .less, age)), both: "(\"legs\" < \"age\") IS NOT TRUE")
        try expect(
            .not(.compare(age, .less, .value(.int(3)))), sqlite: "\"age\" >= ?", postgres: "\"age\" >= $1")
    }

    @Test("negation is pushed down to the leaves")
    func negation() throws {
        try expect(
            .not(.all([.compare(age, .less, .value(.int(1))), .not(.compare(legs, .equal, .value(.null)))])),
            sqlite: "\"age\" >= ? OR \"legs\" IS NULL", postgres: "\"age\" >= $1 OR \"legs\" IS NULL")
    }

    @Test("membership is one parameter")
    func membership() throws {
        let list: [StoredValue] = [.int(1), .int(2)]
        try expect(
            .isIn(age, list), sqlite: "\"age\" IN (SELECT \"value\" FROM \"switchyard_list\"(?))",
            postgres: "\"age\" = ANY ($1)")
        try expect(
            .not(.isIn(age, list)), sqlite: "\"age\" NOT IN (SELECT \"value\" FROM \"switchyard_list\"(?))",
            postgres: "\"age\" <> ALL ($1)")
        try expect(
            .not(.isIn(legs, list)),
            sqlite: "(\"legs\" IN (SELECT \"value\" FROM \"switchyard_list\"(?))) IS NOT TRUE",
            postgres: "(\"legs\" = ANY ($1)) IS NOT TRUE")
        try expect(
            .isIn(legs, list + [.null]),
            sqlite: "(\"legs\" IN (SELECT \"value\" FROM \"switchyard_list\"(?)) OR \"legs\" IS NULL)",
            postgres: "(\"legs\" = ANY ($1) OR \"legs\" IS NULL)")
        try expect(
            .not(.isIn(legs, list + [.null])),
            sqlite: "\"legs\" NOT IN (SELECT \"value\" FROM \"switchyard_list\"(?))",
            postgres: "\"legs\" <> ALL ($1)")
        try expect(.isIn(age, []), both: "FALSE")
        try expect(.isIn(age, [.int(1)]), sqlite: "\"age\" = ?", postgres: "\"age\" = $1")
    }

    @Test("a list is bound as one parameter of its type, without null")
    func listParameter() throws {
        let selection = Selection(
            entity: Fixture.pet, columns: [.attribute("id")],
            condition: .isIn(legs, [.int(1), .null, .int(2)]))
        #expect(try Fixture.postgres().select(selection).parameters == [.list([.int(1), .int(2)], .int)])
    }

    @Test("text is matched without wildcards")
    func match() throws {
        let text = Operand.value(.text("5%"))
        try expect(
            .match(kind, .contains, text), sqlite: "instr(\"kind\", ?) > 0",
            postgres: "strpos(\"kind\", $1) > 0")
        try expect(
            .match(kind, .hasSuffix, text), sqlite: "switchyard_has_suffix(\"kind\", ?)",
            postgres: "strpos(reverse(\"kind\"), reverse($1)) = 1")
        try expect(.match(kind, .equals, text), sqlite: "\"kind\" = ?", postgres: "\"kind\" = $1")
        try expect(
            .not(.match(kind, .contains, text)), sqlite: "(instr(\"kind\", ?) > 0) IS NOT TRUE",
            postgres: "(strpos(\"kind\", $1) > 0) IS NOT TRUE")
    }

    @Test("a prefix is a range", arguments: [("ab", "ac"), ("a\u{D7FF}", "a\u{E000}"), ("a\u{10FFFF}", "b")])
    func prefix(prefix: String, end: String) throws {
        let condition = Condition.match(kind, .hasPrefix, .value(.text(prefix)))
        try expect(
            condition, sqlite: "(\"kind\" >= ? AND \"kind\" < ?)",
            postgres: "(\"kind\" >= $1 AND \"kind\" < $2)")
        let selection = Selection(entity: Fixture.pet, columns: [.attribute("id")], condition: condition)
        #expect(
            try Fixture.sqlite().select(selection).parameters
                == [.value(.text(prefix), .text), .value(.text(end), .text)])
    }

    @Test("a prefix that nothing follows has no upper end; an empty one fits every text")
    func endlessPrefix() throws {
        try expect(
            .match(kind, .hasPrefix, .value(.text("\u{10FFFF}"))), sqlite: "\"kind\" >= ?",
            postgres: "\"kind\" >= $1")
        try expect(.match(kind, .hasPrefix, .value(.text(""))), both: "\"kind\" IS NOT NULL")
    }

    @Test("what can fail waits for what stands before it")
    func guards() throws {
        let isZero = Condition.compare(age, .equal, .value(.int(0)))
        let quotient = Condition.compare(
            .arithmetic(.value(.int(10)), .divide, age), .greater, .value(.int(1)))
        try expect(
            .all([.not(isZero), quotient]),
            sqlite: "\"age\" <> ? AND CASE WHEN \"age\" = ? THEN FALSE "
                + "WHEN switchyard_divide(?, \"age\") <= ? THEN FALSE ELSE TRUE END",
            postgres: "\"age\" <> $1 AND CASE WHEN \"age\" = $2 THEN FALSE "
                + "WHEN ($3 / \"age\") <= $4 THEN FALSE ELSE TRUE END")
        try expect(
            .any([isZero, quotient]),
            sqlite:
                "CASE WHEN \"age\" = ? THEN TRUE WHEN switchyard_divide(?, \"age\") > ? THEN TRUE ELSE FALSE END",
            postgres: "CASE WHEN \"age\" = $1 THEN TRUE WHEN ($2 / \"age\") > $3 THEN TRUE ELSE FALSE END")
    }

    @Test("doubles calculate without NaN and without −0")
    func doubles() throws {
        try expect(
            .compare(
                .arithmetic(.attribute("weight"), .multiply, .value(.double(2))), .less,
                .negated(.attribute("weight"))),
            sqlite: "switchyard_multiply(\"kg\", ?) < switchyard_negate(\"kg\")",
            postgres: "(NULLIF(\"kg\" * $1, 'NaN'::double precision) + 0) < (0 - \"kg\")")
    }

    @Test("a collation is named where no column brings it along")
    func collations() throws {
        try expect(
            .compare(.coalesce(.attribute("price"), .value(.decimal(3))), .less, .value(.decimal(9))),
            sqlite: "COALESCE(\"price\", ?) COLLATE \"switchyard_decimal\" < ?",
            postgres: "COALESCE(\"price\", $1) < $2")
        try expect(
            .compare(
                .conditional(
                    .compare(.attribute("tame"), .equal, .value(.bool(true))), kind, .value(.text("x"))),
                .equal, .value(.text("y"))),
            sqlite: "CASE WHEN \"tame\" = ? THEN \"kind\" ELSE ? END = ?",
            postgres: "CASE WHEN \"tame\" = $1 THEN \"kind\" ELSE $2 END COLLATE \"C\" = $3")
    }

    @Test("exists asks about the other table under an alias of its own, search about the folded copy")
    func exists() throws {
        let condition = Condition.all([
            .not(.exists(relationship: "pets", .compare(age, .less, .value(.int(4))))),
            .search(attribute: "name", .contains, text: "mi"),
        ])
        let selection = Selection(entity: Fixture.owner, columns: [.attribute("id")], condition: condition)
        #expect(
            try Fixture.sqlite().select(selection).text
                == "SELECT \"id\" FROM \"Owner\" WHERE NOT EXISTS (SELECT 1 FROM \"Pet\" AS \"switchyard_1\" "
                + "WHERE \"switchyard_1\".\"owner\" = \"Owner\".\"id\" AND \"switchyard_1\".\"age\" < ?) "
                + "AND instr(\"name_search\", ?) > 0")
        #expect(
            try Fixture.postgres().select(selection).text
                == "SELECT \"id\" FROM \"app\".\"Owner\" WHERE NOT EXISTS (SELECT 1 FROM \"app\".\"Pet\" AS "
                + "\"switchyard_1\" WHERE \"switchyard_1\".\"owner\" = \"Owner\".\"id\" "
                + "AND \"switchyard_1\".\"age\" < $1) AND strpos(\"name_search\", $2) > 0")
    }

    @Test("what can fail is tried for all related rows, and for all rows whatever the limit")
    func trials() throws {
        let quotient = Condition.compare(
            .arithmetic(.value(.int(10)), .divide, age), .greater, .value(.int(1)))
        let ofPets = Selection(
            entity: Fixture.owner, columns: [.attribute("id")],
            condition: .exists(relationship: "pets", quotient))
        let count =
            "(SELECT COUNT(CASE WHEN ($1 / \"switchyard_1\".\"age\") > $2 THEN 1 END) "
            + "FROM \"app\".\"Pet\" AS \"switchyard_1\" WHERE \"switchyard_1\".\"owner\" = \"Owner\".\"id\")"
        #expect(
            try Fixture.postgres().select(ofPets).text
                == "SELECT \"id\" FROM \"app\".\"Owner\" WHERE \(count) > 0")
        var opposite = ofPets
        opposite.condition = .not(ofPets.condition)
        #expect(
            try Fixture.postgres().select(opposite).text
                == "SELECT \"id\" FROM \"app\".\"Owner\" WHERE \(count) = 0")
        var limited = Selection(
            entity: Fixture.pet, columns: [.attribute("age")], condition: quotient, order: [SortKey("id")],
            limit: 1)
        let all = Fixture.pet.attributes.map { "\"\($0.column)\"" }.joined(separator: ", ")
        #expect(
            try Fixture.sqlite().select(limited).text
                == "WITH \"switchyard_tried\" AS MATERIALIZED (SELECT \(all) FROM \"Pet\" "
                + "WHERE switchyard_divide(?, \"age\") > ?) SELECT \"age\" FROM \"switchyard_tried\" "
                + "ORDER BY \"id\" LIMIT ?")
        limited.limit = 0
        #expect(try !Fixture.sqlite().select(limited).text.contains("WITH"))
    }

    @Test("a deep condition is written as bits where the parser has no room for its brackets")
    func bits() throws {
        func compare(_ number: Int) -> Condition {
            .compare(age, .equal, .value(.int(Int64(number))))
        }
        let deep = (0..<18).reduce(compare(0)) { inner, level in
            level.isMultiple(of: 2)
                ? .any([compare(1), inner, .not(.compare(age, .less, .value(.int(2))))])
                : .all([inner, compare(3)])
        }
        let text = try Fixture.sqlite().select(.rows(of: Fixture.pet, where: .not(deep))).text
        #expect(
            text.contains(
                "((\"age\" <> ?) IS TRUE) & ((\"age\" <> ? AND \"age\" < ?) IS TRUE) | ((\"age\" <> ?) IS TRUE) & "
            ))
        #expect(!text.contains("(((("))
        #expect(try !Fixture.postgres().select(.rows(of: Fixture.pet, where: deep)).text.contains(" & "))
    }

    @Test("ten thousand terms nest in groups, so that no chain is longer than 64")
    func manyTerms() throws {
        let terms = (0..<10_000).map { Condition.compare(age, .equal, .value(.int($0))) }
        let statement = try Fixture.sqlite().select(.rows(of: Fixture.pet, where: .any(terms)))
        #expect(statement.parameters.count == 10_000)
        var depth = 0
        var deepest = 0
        for character in statement.text.utf8 {
            if character == UInt8(ascii: "(") { depth += 1 }
            if character == UInt8(ascii: ")") { depth -= 1 }
            deepest = max(deepest, depth)
        }
        #expect(deepest == 2)
    }
}
