import Switchyard
import SwitchyardCore
import SwitchyardQuery
import TestBackends
import Testing

@Suite("The keys of figures in a query")
struct FigureKeyTests {
    private static let schema = Result { try Schema(version: Nursery.version, models: Nursery.models) }

    /// Questions, and the values of the answers' rows.
    nonisolated static let answers: [(String, [[StoredValue]])] = [
        ("Feed by baby.house.name count", [[.null, .int(1)], [.text("Home"), .int(4)]]),
        (
            "Feed by weekday(start in \"Pacific/Auckland\"), baby.name sum(count)",
            [
                [.int(4), .null, .int(14)], [.int(4), .text("Ben"), .int(13)],
                [.int(4), .text("Mia"), .int(11)], [.int(5), .text("Mia"), .int(27)],
            ]
        ),
        ("Feed by baby.name count having count > 1 sort count desc", [[.text("Mia"), .int(3)]]),
        (
            "Feed by kind distinct(baby) sort sum(count) desc, count nulls last limit 2",
            [[.text("breast"), .int(2)], [.text("bottle"), .int(1)]]
        ),
        (
            "Feed by kind average(amount) having sum(count) < 40 and maximum(count) = 12",
            [[.text("bottle"), .double(75.25)]]
        ),
        ("Feed by kind", [[.text("bottle")], [.text("breast")]]),
        ("Feed count(where has baby where (has feeds where (count = 12)))", [[.int(3)]]),
        ("Feed by kind having maximum(count) > 12", [[.text("breast")]]),
        ("Feed count(where amount > 60), count(where kind = 'bottle') as bottles", [[.int(3), .int(2)]]),
        ("Feed sum(count * 2), average(amount where kind = 'breast')", [[.int(130), .double(75)]]),
        (
            "Feed by kind sum(count), running(sum(count)), overall(sum(count)) as all",
            [
                [.text("bottle"), .int(23), .int(23), .int(65)],
                [.text("breast"), .int(42), .int(65), .int(65)],
            ]
        ),
        ("Feed overall(count), running(count(where isNight = true))", [[.int(5), .int(1)]]),
        (
            "Feed by baby.name count(distinct kind) as kinds having kinds > 1", [[.text("Mia"), .int(2)]]
        ),
        ("Feed by day(start) count sort day(start) desc limit 1", [[day("1970-01-02"), .int(2)]]),
        (
            "Feed by kind percentile(count, 0.5), percentile(count, 0.25) sort kind desc limit 1",
            [[.text("breast"), .double(14), .double(13.5)]]
        ),
        (
            "Feed by weekday(start) sum(amount) as total sort total desc, weekday(start)",
            [[.int(4), .double(170)], [.int(5), .double(130.5)]]
        ),
        ("Feed by hourOfDay(start) count", [1, 2, 3, 6, 7].map { [.int($0), .int(1)] }),
        (
            "Feed by month(start in 'America/New_York') average(amount)",
            [[day("1969-12-01"), .double(85)], [day("1970-01-01"), .double(65.25)]]
        ),
    ]

    private static func day(_ text: String) -> StoredValue { CalendarDay(text).map { .day($0) } ?? .null }

    @Test("are attributes behind references, and parts of times", arguments: TestBackend.available)
    func answers(_ backend: TestBackend) async throws {
        try await backend.withStore(Self.schema.get()) { store in
            try await AnswerTests.fill(store)
            for (text, rows) in Self.answers {
                let query = try StoredQuery(parsing: text, schema: store.schema)
                let answer = try await store.read { try $0.answer(query) }
                #expect(try answer.flattened().rows == rows, "\(text)")
                #expect(try StoredQuery(parsing: query.description, schema: store.schema) == query)
            }
        }
    }

    @Test("have the names by which they are asked for")
    func titles() throws {
        let schema = try Self.schema.get()
        let text = "Feed by Month(baby.house.name) count"
        let error = #expect(throws: QueryError.self) { try StoredQuery(parsing: text, schema: schema) }
        #expect(error?.column == 26)
        #expect(error?.message.contains("only a time has a part such as month") == true)
        let query = try StoredQuery(parsing: "Feed by HOUR(start), baby.name count", schema: schema)
        #expect(query.figures?.keys.map(\.part) == [.hour, nil])
        #expect(query.description == "Feed by hour(start), baby.name count")
    }

    @Test(
        "name a time zone that there is",
        arguments: [
            ("Feed by day(start in 'Nowhere/Here') count", "There is no time zone"),
            ("Feed by day(start in Berlin) count", "a time zone in quotes is expected here"),
            ("Feed by day(start in) count", "a time zone in quotes is expected here"),
        ])
    func zones(_ text: String, _ message: String) throws {
        let schema = try Self.schema.get()
        let error = #expect(throws: QueryError.self) { try StoredQuery(parsing: text, schema: schema) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
}
