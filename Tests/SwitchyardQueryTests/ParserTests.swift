import Foundation
import SwitchyardCore
import SwitchyardQuery
import Testing

@Suite("The text of a query")
struct ParserTests {
    private static let code = UUID(
        uuid: (
            0xA1, 0xA2, 0x22, 0x82, 0xA8, 0x31, 0x78, 0x54, 0xB5, 0x51, 0x4F, 0xAB, 0xDB, 0x6F, 0xCB, 0x19
        ))

    /// Conditions, and what they become.
    nonisolated static let conditions: [(String, Condition)] = [
        ("count = 3", .compare(.attribute("count"), .equal, .value(.int(3)))),
        ("count != -3", .compare(.attribute("count"), .notEqual, .value(.int(-3)))),
        ("amount >= 1e2", .compare(.attribute("amount"), .greaterOrEqual, .value(.double(100)))),
        ("amount < 12.5", .compare(.attribute("amount"), .less, .value(.double(12.5)))),
        ("portion = 0.1", .compare(.attribute("portion"), .equal, .value(.double(0.10000000149011612)))),
        (
            "price <= 12.50",
            .compare(.attribute("price"), .lessOrEqual, .value(.decimal(Decimal(1250) / 100)))
        ),
        ("isNight = True", .compare(.attribute("isNight"), .equal, .value(.bool(true)))),
        (#"memo = "a\"b\\c\n'""#, .compare(.attribute("memo"), .equal, .value(.text("a\"b\\c\n'")))),
        ("memo = 'x'", .compare(.attribute("memo"), .equal, .value(.text("x")))),
        ("kind = 'bottle'", .compare(.attribute("kind"), .equal, .value(.text("bottle")))),
        ("end = null", .compare(.attribute("end"), .equal, .value(.null))),
        ("end is null", .compare(.attribute("end"), .equal, .value(.null))),
        ("end IS NOT NULL", .compare(.attribute("end"), .notEqual, .value(.null))),
        ("start > 1970-01-02", .compare(.attribute("start"), .greater, .value(.timestamp(86_400_000_000)))),
        (
            "start > 1970-01-02T01:00:00.5+01:00",
            .compare(.attribute("start"), .greater, .value(.timestamp(86_400_500_000)))
        ),
        (
            "start > '1970-01-02T00:00:00Z'",
            .compare(.attribute("start"), .greater, .value(.timestamp(86_400_000_000)))
        ),
        (
            "day = 1970-01-02",
            .compare(.attribute("day"), .equal, .value(CalendarDay("1970-01-02").map { .day($0) } ?? .null))
        ),
        (
            "code = a1A22282-a831-7854-b551-4fabdb6fcb19",
            .compare(
                .attribute("code"), .equal,
                .value(.uuid(code)))
        ),
        ("data = 'AQI='", .compare(.attribute("data"), .equal, .value(.blob(Data([1, 2]))))),
        (#"label = '{ "a": 1 }'"#, .compare(.attribute("label"), .equal, .value(.json(#"{"a":1}"#)))),
        ("`limit` < count", .compare(.attribute("limit"), .less, .attribute("count"))),
        ("memo contains 'x'", .match(.attribute("memo"), .contains, .value(.text("x")))),
        ("memo starts with 'x'", .match(.attribute("memo"), .hasPrefix, .value(.text("x")))),
        ("memo ends with 'x'", .match(.attribute("memo"), .hasSuffix, .value(.text("x")))),
        ("count in (1, 2)", .isIn(.attribute("count"), [.int(1), .int(2)])),
        ("count not in (1)", .not(.isIn(.attribute("count"), [.int(1)]))),
        (
            "baby.name = 'Mia'",
            .exists(relationship: "baby", .compare(.attribute("name"), .equal, .value(.text("Mia"))))
        ),
        (
            "baby.name != 'Mia'",
            .not(
                .exists(relationship: "baby", .compare(.attribute("name"), .equal, .value(.text("Mia")))))
        ),
        (
            "baby.nick is null",
            .not(.exists(relationship: "baby", .compare(.attribute("nick"), .notEqual, .value(.null))))
        ),
        (
            "baby.house.name in ('x')",
            .exists(
                relationship: "baby",
                .exists(relationship: "house", .isIn(.attribute("name"), [.text("x")])))
        ),
        (
            "baby.name = baby.nick",
            .not(
                .exists(relationship: "baby", .compare(.attribute("name"), .notEqual, .attribute("nick"))))
        ),
        (
            "count(baby.feeds) >= 3",
            .exists(
                relationship: "baby",
                .compare(.count(relationship: "feeds"), .greaterOrEqual, .value(.int(3))))
        ),
        (
            "sum(baby.feeds.count where amount > 1) > 3",
            .exists(
                relationship: "baby",
                .compare(
                    .figure(
                        .sum("count"), of: "feeds",
                        where: .compare(.attribute("amount"), .greater, .value(.double(1)))), .greater,
                    .value(.int(3))))
        ),
        (
            "has baby where (has feeds)",
            .exists(relationship: "baby", .exists(relationship: "feeds", .constant(true)))
        ),
        (
            "count = 1 or count = 2 and not isNight = true",
            .any([
                .compare(.attribute("count"), .equal, .value(.int(1))),
                .all([
                    .compare(.attribute("count"), .equal, .value(.int(2))),
                    .not(.compare(.attribute("isNight"), .equal, .value(.bool(true)))),
                ]),
            ])
        ),
        (
            "((count = 1) or count = 2) and count = 3",
            .all([
                .any([
                    .compare(.attribute("count"), .equal, .value(.int(1))),
                    .compare(.attribute("count"), .equal, .value(.int(2))),
                ]),
                .compare(.attribute("count"), .equal, .value(.int(3))),
            ])
        ),
    ]

    private func parse(_ text: String) throws -> StoredQuery {
        try StoredQuery(
            parsing: text, schema: try Schema(version: Nursery.version, models: Nursery.models))
    }

    @Test("a condition becomes what a typed one does", arguments: conditions)
    func condition(text: String, expected: Condition) throws {
        #expect(try parse("Feed where \(text)").condition == expected)
    }

    @Test("clauses stand in any order, and keywords are written in any case")
    func clauses() throws {
        let query = try parse(
            "Feed LIMIT 10 Offset 5 sort baby.name desc, start asc WHERE count = 1 show start, baby.id")
        #expect(query.entity == "Feed")
        #expect(query.limit == 10)
        #expect(query.offset == 5)
        #expect(query.order == [SortKey("name", over: ["baby"], .descending), SortKey("start")])
        #expect(query.shown?.map(\.references) == [[], ["baby"]])
        #expect(query.shown?.map(\.attribute) == ["start", "id"])
    }

    @Test("figures are over groups, or over all rows")
    func figures() throws {
        #expect(try parse("Feed count").figures?.functions == [.count])
        let query = try parse(
            "Feed where count > 0 by baby, day(start) count, count(end), Sum(amount), minimum(start)")
        #expect(query.figures?.keys.map(\.path.attribute) == ["baby", "start"])
        #expect(query.figures?.keys.map(\.part) == [nil, .day])
        #expect(query.figures?.functions == [.count, .countOf("end"), .sum("amount"), .minimum("start")])
    }

    /// Queries, and how they are printed.
    nonisolated static let texts = [
        ("Feed", "Feed"),
        ("`Feed`\n where\t((count=1))", "Feed where count = 1"),
        (
            "Feed where `limit` = -1 or not (isNight = true and memo is null)",
            "Feed where `limit` = -1 or not (isNight = true and memo is null)"
        ),
        (
            #"Feed where baby.name != 'a\"\\b'"#, #"Feed where not has baby where (name = "a\"\\b")"#
        ),
        (
            "Feed where code in (a1A22282-a831-7854-b551-4fabdb6fcb19)",
            "Feed where code in (a1a22282-a831-7854-b551-4fabdb6fcb19)"
        ),
        (
            "Feed where start >= 2026-01-01 and day < 2026-01-01 and price = 1.50 and amount = 1e-7",
            "Feed where start >= 2026-01-01T00:00:00.000Z and day < 2026-01-01 and price = 1.5 and amount = 1e-07"
        ),
        (
            #"Feed where memo starts with 'x' and data = 'AQI=' and label = '{"a": 1}'"#,
            #"Feed where memo starts with "x" and data = "AQI=" and label = "{\"a\":1}""#
        ),
        (
            "Feed show start, baby.name sort baby.name desc, start asc limit 3 offset 2",
            "Feed sort baby.name desc, start limit 3 offset 2 show start, baby.name"
        ),
        (
            "Feed limit 3 by day(start), kind count, SUM(amount)",
            "Feed limit 3 by day(start), kind count, sum(amount)"
        ),
        (
            "Baby include feeds(limit 3 sort start show start include baby), house(show name)",
            "Baby include feeds(sort start limit 3 show start include baby), house(show name)"
        ),
        (
            "Baby include first(feeds sort start desc) as last, sum(feeds.amount where count(baby.feeds) > 1)",
            "Baby include first(feeds sort start desc) as last, "
                + "sum(feeds.amount where has baby where (count(feeds) > 1))"
        ),
        (
            "Feed where count*2 - (1 + count) > 3 and 2 * amount < amount sort amount / 2 desc",
            "Feed where (count * 2) - (1 + count) > 3 and 2.0 * amount < amount sort amount / 2.0 desc"
        ),
        (
            "Feed where memo = baby.nick and folded(baby.name) = 'ZOË' sort folded(baby.name)",
            #"Feed where memo = baby.nick and has baby where (folded(name) = "zoe") sort folded(baby.name)"#
        ),
        (
            "Feed where amount > overall(average(amount where isNight = true))",
            "Feed where amount > overall(average(amount where isNight = true))"
        ),
        (
            "Feed by day(start) running(sum(amount)), count(where end is null) as open, percentile(price, 0.9) "
                + "having open > 1 sort day(start) desc",
            "Feed by day(start) running(sum(amount)), count(where end is null) as open, percentile(price, 0.9) "
                + "having count(where end is null) > 1 sort day(start) desc"
        ),
        (
            "Feed by `count`, baby.name count(distinct baby), sum(count * 2 where price > 1.5) sort `count`, median(amount)",
            "Feed by count, baby.name distinct(baby), sum(count * 2 where price > 1.5) sort `count`, median(amount)"
        ),
        (
            "Baby include sum(2 * feeds.count where amount > 1), maximum(feeds.baby.name), percentile(feeds.amount, 0.1)",
            "Baby include sum(2 * feeds.count where amount > 1.0), maximum(feeds.baby.name), "
                + "percentile(feeds.amount, 0.1)"
        ),
        ("Feed by kind having count > 1 sort kind", "Feed by kind having count > 1 sort kind"),
        (
            "Baby include count(house.babies), count(feeds.end), count(feeds)",
            "Baby include count(house.babies), count(feeds.end), count(feeds)"
        ),
    ]

    @Test("a query is printed as a text that parses to the same query", arguments: texts)
    func printed(text: String, expected: String) throws {
        let query = try parse(text)
        #expect("\(query)" == expected)
        #expect(try parse("\(query)") == query)
    }
}
