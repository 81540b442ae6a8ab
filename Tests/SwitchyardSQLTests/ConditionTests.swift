import Foundation
import SwitchyardCore
import SwitchyardSQL
import Testing

@Suite("Conditions in both dialects")
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

    @Test("SQL conditions of constants and empty lists are printed")
    func constants() throws {
        try expect(.constant(false), both: "FALSE")
        try expect(.not(.constant(true)), both: "FALSE")
        try expect(.all([]), both: "TRUE")
        try expect(.any([]), both: "FALSE")
        try expect(.not(.any([])), both: "TRUE")
    }

    @Test("an absent condition prints no WHERE")
    func none() throws {
        let all = Selection(entity: Fixture.pet, columns: [.attribute("id")])
        #expect(try Fixture.sqlite().select(all).text == "SELECT \"id\" FROM \"Pet\"")
    }

    @Test("equality with a value prints a plain =, which indexes serve")
    func equal() throws {
        try expect(.compare(legs, .equal, .value(.int(3))), sqlite: "\"legs\" = ?", postgres: "\"legs\" = $1")
    }

    @Test("inequality with a value includes nil in SQL")
    func notEqual() throws {
        try expect(
            .compare(legs, .notEqual, .value(.int(3))), sqlite: "\"legs\" IS NOT ?",
            postgres: "\"legs\" IS DISTINCT FROM $1")
        try expect(
            .compare(age, .notEqual, .value(.int(3))), sqlite: "\"age\" <> ?", postgres: "\"age\" <> $1")
    }

    @Test("comparison with nil prints IS NULL")
    func null() throws {
        try expect(.compare(legs, .equal, .value(.null)), both: "\"legs\" IS NULL")
        try expect(.compare(.value(.null), .notEqual, legs), both: "\"legs\" IS NOT NULL")
        try expect(.compare(legs, .less, .value(.null)), both: "FALSE")
        try expect(.not(.compare(legs, .less, .value(.null))), both: "TRUE")
        try expect(.compare(.value(.null), .equal, .value(.null)), both: "TRUE")
    }

    @Test("two attributes that are both nil are equal in SQL")
    func attributes() throws {
        try expect(
            .compare(legs, .equal, .attribute("legs")), sqlite: "\"legs\" IS \"legs\"",
            postgres: "\"legs\" IS NOT DISTINCT FROM \"legs\"")
        try expect(.compare(legs, .equal, age), both: "\"legs\" = \"age\"")
    }

    @Test("the negation of an order comparison includes nil in SQL")
    func negatedOrder() throws {
        try expect(
            .not(.compare(legs, .less, .value(.int(3)))), sqlite: "(\"legs\" >= ? OR \"legs\" IS NULL)",
            postgres: "(\"legs\" >= $1 OR \"legs\" IS NULL)")
        try expect(.not(.compare(legs, .less, age)), both: "(\"legs\" < \"age\") IS NOT TRUE")
        try expect(
            .not(.compare(age, .less, .value(.int(3)))), sqlite: "\"age\" >= ?", postgres: "\"age\" >= $1")
    }

    @Test("negation is pushed down to the leaves in SQL")
    func negation() throws {
        try expect(
            .not(.all([.compare(age, .less, .value(.int(1))), .not(.compare(legs, .equal, .value(.null)))])),
            sqlite: "\"age\" >= ? OR \"legs\" IS NULL", postgres: "\"age\" >= $1 OR \"legs\" IS NULL")
    }

    @Test("membership in a list is one parameter")
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

    @Test("text is matched without wildcards in SQL")
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

    @Test(
        "a prefix is printed as a range",
        arguments: [("ab", "ac"), ("a\u{D7FF}", "a\u{E000}"), ("a\u{10FFFF}", "b")])
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

    @Test("a prefix without a successor has no upper end; an empty one matches every text")
    func endlessPrefix() throws {
        try expect(
            .match(kind, .hasPrefix, .value(.text("\u{10FFFF}"))), sqlite: "\"kind\" >= ?",
            postgres: "\"kind\" >= $1")
        try expect(.match(kind, .hasPrefix, .value(.text(""))), both: "\"kind\" IS NOT NULL")
    }

    /// What brings a `numeric` into 64 bits.
    private let start = "NULLIF(NULLIF(LEAST(GREATEST("
    private let end =
        ", -9223372036854775809), 9223372036854775808), -9223372036854775809), 9223372036854775808)::bigint"

    @Test("integer calculations in SQL raise no errors, and evaluate each operand once")
    func integers() throws {
        func sum(_ calculation: ArithmeticOperator) -> Condition {
            .compare(.arithmetic(age, calculation, legs), .greater, .value(.int(1)))
        }
        for (calculation, sign) in [(ArithmeticOperator.add, "+"), (.subtract, "-"), (.multiply, "*")] {
            try expect(
                sum(calculation), sqlite: "switchyard_\(calculation.rawValue)(\"age\", \"legs\") > ?",
                postgres: "\(start)\"age\"::numeric \(sign) \"legs\"\(end) > $1")
        }
        try expect(
            sum(.divide), sqlite: "switchyard_divide(\"age\", \"legs\") > ?",
            postgres: "\(start)div(\"age\"::numeric, NULLIF(\"legs\", 0))\(end) > $1")
        try expect(
            sum(.remainder), sqlite: "switchyard_remainder(\"age\", \"legs\") > ?",
            postgres: "(\"age\" % NULLIF(\"legs\", 0)) > $1")
        try expect(
            .compare(.negated(age), .greater, .value(.int(1))), sqlite: "switchyard_negate(\"age\") > ?",
            postgres: "(0 - NULLIF(\"age\", '-9223372036854775808'::bigint)) > $1")
    }

    @Test("a calculation of required attributes can be nil in SQL")
    func nilCalculations() throws {
        let remainder = Operand.arithmetic(.value(.int(10)), .remainder, age)
        try expect(
            .compare(remainder, .notEqual, .value(.int(1))),
            sqlite: "switchyard_remainder(?, \"age\") IS NOT ?",
            postgres: "($1 % NULLIF(\"age\", 0)) IS DISTINCT FROM $2")
        try expect(
            .not(.compare(remainder, .less, .value(.int(1)))),
            sqlite: "(switchyard_remainder(?, \"age\") < ?) IS NOT TRUE",
            postgres: "(($1 % NULLIF(\"age\", 0)) < $2) IS NOT TRUE")
        try expect(
            .compare(age, .equal, remainder), sqlite: "\"age\" = switchyard_remainder(?, \"age\")",
            postgres: "\"age\" = ($1 % NULLIF(\"age\", 0))")
    }

    @Test("a calculation is a term like any other in SQL, in lists and behind an exists and a limit")
    func terms() throws {
        let isZero = Condition.compare(age, .equal, .value(.int(0)))
        let isOdd = Condition.compare(
            .arithmetic(age, .remainder, .value(.int(2))), .equal, .value(.int(1)))
        try expect(
            .all([isOdd, .not(isZero)]), sqlite: "switchyard_remainder(\"age\", ?) = ? AND \"age\" <> ?",
            postgres: "(\"age\" % NULLIF($1, 0)) = $2 AND \"age\" <> $3")
        let ofPets = Selection(
            entity: Fixture.owner, columns: [.attribute("id")],
            condition: .not(.exists(relationship: "pets", isOdd)), order: [SortKey("id")], limit: 1)
        #expect(
            try Fixture.postgres().select(ofPets).text
                == "SELECT \"id\" FROM \"app\".\"Owner\" WHERE NOT EXISTS (SELECT 1 FROM \"app\".\"Pet\" AS "
                + "\"switchyard_1\" WHERE \"switchyard_1\".\"owner\" = \"Owner\".\"id\" "
                + "AND (\"switchyard_1\".\"age\" % NULLIF($1, 0)) = $2) ORDER BY \"id\" LIMIT $3")
    }

    @Test("an SQL update calculates with errors, but not inside the conditions of a choice")
    func assignments() throws {
        let isMore = Condition.compare(.arithmetic(age, .add, .value(.int(1))), .greater, .value(.int(2)))
        let assignment = Assignment(
            attribute: "legs",
            value: .conditional(isMore, .arithmetic(age, .multiply, legs), .negated(legs)))
        #expect(
            try Fixture.sqlite().update("Pet", set: [assignment], where: isMore).text
                == "UPDATE \"Pet\" SET \"legs\" = CASE WHEN switchyard_add(\"age\", ?) > ? THEN "
                + "switchyard_checked_multiply(\"age\", \"legs\") ELSE switchyard_checked_negate(\"legs\") END "
                + "WHERE switchyard_add(\"age\", ?) > ?")
        #expect(
            try Fixture.postgres().update("Pet", set: [assignment], where: .constant(true)).text
                == "UPDATE \"app\".\"Pet\" SET \"legs\" = CASE WHEN \(start)\"age\"::numeric + $1\(end) > $2 THEN "
                + "(\"age\" * \"legs\") ELSE (0 - \"legs\") END")
    }

    @Test("double calculations in SQL produce neither NaN nor −0")
    func doubles() throws {
        try expect(
            .compare(
                .arithmetic(.attribute("weight"), .multiply, .value(.double(2))), .less,
                .negated(.attribute("weight"))),
            sqlite: "switchyard_multiply(\"kg\", ?) < switchyard_negate(\"kg\")",
            postgres: "(NULLIF(\"kg\" * $1, 'NaN'::double precision) + 0) < (0 - \"kg\")")
        try expect(
            .compare(
                .arithmetic(.value(.double(2)), .divide, .attribute("weight")), .less, .value(.double(3))),
            sqlite: "switchyard_divide(?, \"kg\") < ?",
            postgres: "(NULLIF($1 / NULLIF(\"kg\", 0), 'NaN'::double precision) + 0) < $2")
    }

    @Test("a collation is named if no column supplies it")
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

    @Test("exists queries the other table under an alias, and search the folded copy")
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

    @Test(
        "a dangling reference is tested by the other table's key, and with a condition by its rows")
    func leadsNowhere() throws {
        func text(_ condition: Condition, _ generator: SQLGenerator) throws -> String {
            let isNone = Condition.not(.exists(relationship: "owner", condition))
            let selection = Selection(entity: Fixture.pet, columns: [.attribute("id")], condition: isNone)
            return try generator.select(selection).text
        }
        #expect(
            try text(.constant(true), Fixture.sqlite())
                == "SELECT \"id\" FROM \"Pet\" WHERE (\"owner\" IN (SELECT \"switchyard_1\".\"id\" FROM \"Owner\" "
                + "AS \"switchyard_1\")) IS NOT TRUE")
        #expect(
            try text(.compare(.attribute("name"), .equal, .value(.text("Ada"))), Fixture.sqlite())
                == "SELECT \"id\" FROM \"Pet\" WHERE NOT EXISTS (SELECT 1 FROM \"Owner\" AS \"switchyard_1\" WHERE "
                + "\"switchyard_1\".\"id\" = \"Pet\".\"owner\" AND \"switchyard_1\".\"name\" = ?)")
        #expect(
            try text(.constant(true), Fixture.postgres())
                == "SELECT \"id\" FROM \"app\".\"Pet\" WHERE NOT EXISTS (SELECT 1 FROM \"app\".\"Owner\" AS "
                + "\"switchyard_1\" WHERE \"switchyard_1\".\"id\" = \"Pet\".\"owner\")")
    }

    @Test("a deep condition is printed as bits if the parser has no room for its brackets")
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

    @Test("ten thousand terms nest in groups, so that no chain exceeds 64")
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
