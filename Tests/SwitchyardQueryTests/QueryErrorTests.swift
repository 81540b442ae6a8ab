import Foundation
import SwitchyardCore
import SwitchyardQuery
import Testing

@Suite("The error of a query's text")
struct QueryErrorTests {
    private func fault(_ text: String) throws -> QueryError? {
        let schema = try Schema(version: Nursery.version, models: Nursery.models)
        do {
            _ = try StoredQuery(parsing: text, schema: schema)
            return nil
        } catch let error as QueryError {
            return error
        }
    }

    /// Texts, and the place and the message of their errors.
    nonisolated static let faults: [(String, Int, String)] = [
        ("", 1, "the name of an entity is expected here, and not the end."),
        (
            "where", 1,
            "the name of an entity is expected here, and not `where`. A name that is a keyword stands in"
        ),
        ("Fed", 1, "The store has no entity `Fed`. Did you mean `Feed`?"),
        ("Zoo", 1, "The store has no entity `Zoo`. It has: Baby, Feed, House."),
        ("Feed were", 6, "a clause, such as where or sort, is expected here, and not `were`."),
        ("Feed where strat > 1", 12, "Feed has no attribute `strat`. Did you mean `start`?"),
        ("Feed where baby.nam = 'x'", 17, "Baby has no attribute `nam`. Did you mean `name`?"),
        ("Feed where count.x = 1", 12, "Feed.count is no reference, so that nothing follows it."),
        ("Baby where feeds.count = 1", 12, "Baby.feeds leads to many rows. Write `has feeds where (…)`"),
        ("Baby where feeds = 1", 12, "Baby.feeds leads to many rows."),
        ("Baby where has feds", 16, "Baby has no relationship `feds`. Did you mean `feeds`?"),
        ("Baby where count(house) > 1", 18, "Baby has no to-many relationship `house`. It has: feeds."),
        (
            "Feed where count", 17,
            "an operator, such as =, contains or is null, is expected here, and not the end."
        ),
        ("Feed where count = ", 20, "a value or an attribute is expected here, and not the end."),
        ("Feed where count = 1 or", 24, "an attribute, `not`, `has` or `(` is expected here"),
        ("Feed where (count = 1", 22, "`)` is expected here, and not the end."),
        ("Feed where count = 1)", 21, "a clause, such as where or sort, is expected here, and not `)`."),
        (
            "Feed where count = 1.5", 20,
            "Feed.count is of type int, and `1.5` is no such value. Write an integer"
        ),
        ("Feed where count = 99999999999999999999", 20, "Feed.count is of type int, and"),
        ("Feed where amount = 1e999", 21, "Feed.amount is of type double, and `1e999` is no such value."),
        ("Feed where portion = 1e99", 22, "Feed.portion is of type double, and"),
        (
            "Feed where limit = 1", 12,
            "an attribute, `not`, `has` or `(` is expected here, and not `limit`. A name"
        ),
        (
            "Feed where `limit` = 300", 22,
            "Feed.limit is never `300`. It is beyond the numbers that it can have."
        ),
        ("Feed where kind = 'botle'", 19, "Feed.kind is never `'botle'`. It has: \"breast\", \"bottle\"."),
        (
            "Feed where memo = 3", 19,
            "Feed.memo is of type text, and `3` is no such value. Write a text in quotes"
        ),
        (
            "Feed where isNight = 1", 22,
            "Feed.isNight is of type bool, and `1` is no such value. Write true or false"
        ),
        ("Feed where start > 2026-02-30", 20, "Feed.start is of type timestamp, and `2026-02-30`"),
        (
            "Feed where start > 2026-01-01T10:00:00", 20,
            "or a time with its zone, such as 2026-01-31T10:00:00Z"
        ),
        ("Feed where end > null", 18, "null is neither before nor after a value. Write `is null`."),
        ("Feed where count in (1, null)", 25, "null stands in no list. Write `or … is null`."),
        ("Feed where count contains 'x'", 12, "Feed.count is of type int, and only text is searched."),
        ("Feed where memo starts 'x'", 24, "`with` is expected here, and not `'x'`."),
        ("Feed where memo contains memo", 26, "a text in quotes is expected here, and not `memo`."),
        ("Feed where label < 'x'", 20, "Feed.label is JSON, which has no order."),
        (
            "Feed where kind = bottle", 19,
            "isNight, data, label, code, day. A text stands in quotes."
        ),
        ("Feed where memo = count", 19, "Feed.memo is of type text, and Feed.count of type int."),
        ("Feed where memo = 'x", 19, "The text that begins here has no end."),
        (#"Feed where memo = 'é\x'"#, 21, "A backslash stands only in"),
        ("Feed where memo = 'é' and ß = 1", 27, "Feed has no attribute `ß`."),
        ("Feed where `", 12, "A name is expected between two backquotes."),
        ("Feed where count ? 3", 18, "`?` begins no word, value or operator."),
        ("Feed sort label", 11, "Feed.label is JSON, which has no order."),
        ("Feed sort start,", 17, "an attribute is expected here, and not the end."),
        ("Feed limit -1", 12, "a number of rows, such as 10, is expected here, and not `-1`."),
        ("Feed limit 99999999999999999999", 12, "a number of rows, such as 10, is expected here"),
        ("Feed limit 1 limit 2", 14, "This is the second `limit` of one query."),
        ("Feed sort start count", 17, "sort and having stand after the figures"),
        ("Feed having count > 1", 6, "sort and having stand after the figures"),
        ("Feed count sort start", 17, "a figure, such as count, is expected here, and not `start`."),
        ("Feed count having amount > 1", 19, "a figure, such as count, is expected here"),
        ("Feed count having count", 24, "an operator, such as >, is expected here, and not the end."),
        ("Feed count show start", 12, "show and include are for rows, and not for figures."),
        ("Baby sort count(feeds) nulls", 29, "`first` or `last` is expected here, and not the end."),
        ("Baby where sum(feeds) > 1", 16, "`sum` needs an attribute of a to-many relationship"),
        ("Feed sum(baby.name)", 15, "Baby.name is of type text, which has no sum."),
        ("Feed runing(count)", 6, "and not `runing`. Did you mean `running`?"),
        ("Feed running(count", 19, "`)` is expected here, and not the end."),
        ("Feed percentile(amount)", 23, "`,` is expected here, and not `)`."),
        ("Feed percentile(amount, 2)", 25, "a fraction from 0 to 1, such as 0.9, is expected here"),
        ("Feed sort overall(count)", 11, "A figure over all rows stands in the condition of"),
        ("Feed count(where count > overall(count))", 26, "A figure over all rows stands in the condition of"),
        ("Feed count(where amount > 1) as sum", 33, "`sum` is the name of a figure."),
        ("Feed by kind running(count) as all having all > 1", 43, "by their own figures"),
        ("Feed by kind count sort day", 25, "The groups have no key `day`. It has: kind."),
        ("Feed where count * memo > 1", 18, "`*` has no result for int and text."),
        ("Feed where start + end > start", 18, "`+` has no result for timestamp and timestamp."),
        ("Feed where count * 1.5 > 1", 20, "Feed.count is of type int, and `1.5` is nothing to calculate"),
        ("Feed where amount + 'x' > 1", 21, "a number or an attribute is expected here, and not `'x'`."),
        ("Feed where count > 1 + 2", 24, "Only what depends on the row is calculated."),
        ("Feed where 3 = count", 12, "an attribute, `not`, `has` or `(` is expected here, and not `3`."),
        ("Feed where folded(memo) = 'x'", 19, "Feed.memo is not searchable."),
        ("Feed where folded(baby.nick) = 'x'", 24, "Baby.nick is not searchable. It has: name."),
        ("Baby where sum(feeds.count * house.id) > 1", 30, "Each attribute of this figure is one of `feeds`"),
        ("Baby where sum(count(feeds)) > 1", 16, "Baby has no to-many relationship `count`."),
        ("Baby where max(feeds.count) > 1", 12, "There is no figure `max`. Did you mean `maximum`?"),
        ("Feed by day(memo) count", 13, "Feed.memo is of type text; only a time has a part such as day."),
        ("Feed sum", 9, "`sum` needs an attribute, as in `sum(amount)`."),
        ("Feed sum(memo)", 10, "Feed.memo is of type text, which has no sum."),
        ("Feed minimum(label)", 14, "Feed.label is of type json, which has no minimum."),
        ("Feed count, count", 18, "A key or a figure is named twice before this."),
        ("Baby include feds", 14, "Baby has no relationship `feds`. Did you mean `feeds`?"),
        ("Baby include max(feeds.start)", 14, "There is no figure `max`. Did you mean `maximum`?"),
        ("Baby include sum(feeds)", 18, "`sum` needs an attribute of a to-many relationship"),
        ("Baby include count(feds)", 20, "Baby has no to-many relationship `feds`. Did you mean `feeds`?"),
        ("Baby include first(house)", 20, "Baby has no to-many relationship `house`. It has: feeds."),
        ("Baby include count(feeds sort start)", 26, "`)` is expected here, and not `sort`."),
        ("Baby include house(where name = 'x')", 20, "`)` is expected here, and not `where`."),
        (
            "Baby include count(feeds), count(feeds)", 28,
            "Two items are called `count(feeds)`. Give one another"
        ),
        ("Baby include count(feeds) as name", 30, "Baby has an attribute `name`. Choose another name."),
    ]

    @Test("it names the place, and what was expected", arguments: faults)
    func fault(text: String, column: Int, message: String) throws {
        let error = try #require(try fault(text))
        #expect(error.column == column, "\(error)")
        #expect(error.message.contains(message), "\(error)")
    }

    @Test("a text that is too long, too deep or too large is refused, and traps nothing")
    func tooLarge() throws {
        let texts = [
            "Feed where " + String(repeating: "(", count: 300) + "count = 1"
                + String(repeating: ")", count: 300),
            "Feed where " + String(repeating: "(", count: 1_000_000),
            "Feed where " + String(repeating: "not ", count: 200_000) + "count = 1",
            "Feed where has baby" + String(repeating: ".house", count: 100_000),
            "Baby where count(feeds where count(baby.feeds where count(baby.feeds) > 1) > 1) > 1",
            "Feed where count" + String(repeating: " + 1", count: 20) + " > 1",
            "Feed where count" + String(repeating: " + 1", count: 2_000) + " > 1",
            "Feed where count > 2 * " + String(repeating: "(", count: 300) + "count",
            "Feed where " + String(repeating: "(count + ", count: 1_000),
            "Feed where count = 1" + String(repeating: " or count = 1", count: 1_000),
            "Feed sort start" + String(repeating: ", start", count: 200),
            "Baby include " + String(repeating: "feeds(include baby(include ", count: 1_000) + "feeds",
            String(repeating: "x", count: 1_000_000),
            String(repeating: "x", count: 10_000_000),
            "Feed where " + String(repeating: "x", count: 300) + " = 1",
        ]
        for text in texts {
            let error = try #require(try fault(text))
            #expect(error.code == .tooLarge, "\(error)")
            #expect(error.message.count < 300)
        }
    }

    @Test("no sequence of bytes or of a query's words traps")
    func random() throws {
        var texts = RandomTexts()
        let schema = try Schema(version: Nursery.version, models: Nursery.models)
        for _ in 0..<3_000 {
            let text = texts.next()
            do {
                let query = try StoredQuery(parsing: text, schema: schema)
                let again = try StoredQuery(parsing: "\(query)", schema: schema)
                #expect(again == query, "seed \(texts.seed): \(text)")
            } catch let error as QueryError {
                #expect((1...text.count + 1).contains(error.column), "seed \(texts.seed): \(text)")
            }
        }
    }
}
