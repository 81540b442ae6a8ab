import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardQuery
import TestBackends
import Testing

@Suite("The answer to a query")
struct AnswerTests {
    /// Counts the selections that pass.
    private final class CountingDriver: InterceptingDriver {
        var count = 0

        override func select(
            _ selection: Selection, onlyDoubtful: Bool, _ body: (inout RowReader) throws -> Bool
        ) throws {
            count += 1
            try super.select(selection, onlyDoubtful: onlyDoubtful, body)
        }
    }

    private static func id(_ number: UInt8) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
    }

    private static func time(_ hours: Double) -> Date { Date(timeIntervalSince1970: hours * 3600) }

    /// One house with two babies, another baby, and five feeds, one without a baby.
    static func fill(_ store: any Store, in scope: StoreScope? = nil, named name: String = "Home")
        async throws
    {
        try await store.write(WriteOptions(scope: scope)) { tx in
            let house = try tx.insert(Nursery.House(id: .init(id(1)), name: name))
            let mia = try tx.insert(Nursery.Baby(id: .init(id(2)), name: "Mia", nick: "Mia", house: house.id))
            let ben = try tx.insert(Nursery.Baby(id: .init(id(3)), name: "Ben", nick: nil, house: house.id))
            try tx.insert(Nursery.Baby(id: .init(id(4)), name: "Zoë", nick: "Z", house: nil))
            for (number, baby, hours, amount) in [
                (11, mia.id, 1, 100), (12, mia.id, 30, 50.5), (13, ben.id, 2, nil), (14, nil, 3, 70),
                (15, mia.id, 31, 80),
            ] as [(UInt8, Nursery.Baby.ID?, Double, Double?)] {
                try tx.insert(
                    Nursery.Feed(
                        id: .init(id(number)), baby: baby, start: time(hours),
                        end: amount.map { _ in time(hours + 1) }, amount: amount,
                        price: amount == nil ? nil : 12.5, portion: 0.1, count: Int(number),
                        limit: number == 11 ? 3 : nil, kind: number < 13 ? .bottle : .breast,
                        memo: number == 12 ? "50 % \"a\",\nb" : nil, isNight: number == 13,
                        data: Data([1, 2]), label: Nursery.Label(a: 1), code: nil,
                        day: CalendarDay(daysSince1970: Int(number))))
            }
        }
    }

    private func ask(_ store: any Store, _ text: String) async throws -> QueryAnswer {
        let query = try StoredQuery(parsing: text, schema: store.schema)
        return try await store.read { try $0.answer(query) }
    }

    /// Questions about the numbers of feeds, and the answers.
    nonisolated static let numbers: [(String, [Int64])] = [
        ("sort count", [11, 12, 13, 14, 15]),
        ("where count > 11 and not count in (13, 14) sort count desc", [15, 12]),
        ("where baby.name = 'Mia' sort start desc limit 2", [15, 12]),
        ("where baby.name != 'Mia' sort count", [13, 14]),
        ("where baby.house.name starts with 'Ho' sort count offset 1 limit 2", [12, 13]),
        ("where baby.house.name is null sort count", [14]),
        ("where baby.nick is not null sort count", [11, 12, 15]),
        ("where baby.name = baby.nick sort count", [11, 12, 14, 15]),
        ("where baby.name != baby.nick sort count", [13]),
        (
            "where has baby where (count(feeds) = 1 or has feeds where (amount > 99)) sort count",
            [11, 12, 13, 15]
        ),
        ("where count(baby.feeds) >= 3 sort count", [11, 12, 15]),
        ("where count(baby.feeds.amount) = 3 sort count", [11, 12, 15]),
        ("where amount is null or amount >= 80 sort count", [11, 13, 15]),
        ("where average(baby.feeds.amount) > 70 sort count", [11, 12, 15]),
        ("where sum(baby.feeds.count where isNight = true) = 13", [13]),
        ("where distinct(baby.feeds.amount) = 3 sort count", [11, 12, 15]),
        ("sort sum(baby.feeds.count) desc, count", [11, 12, 15, 13, 14]),
        ("sort average(baby.feeds.amount) nulls last, count desc", [15, 12, 11, 14, 13]),
        ("sort amount nulls last limit 2", [12, 14]),
        ("where count * 2 - 1 > 25 sort count desc", [15, 14]),
        ("where (count - 1) * 2 = 22", [12]),
        ("where 30 - count > 17 sort count", [11, 12]),
        ("where price * 2 = 25 sort count % 2, count", [12, 14, 11, 15]),
        ("where start + 3600 = end sort count", [11, 12, 14, 15]),
        ("where amount > overall(average(amount)) sort count", [11, 15]),
        ("where count > overall(average(count)) sort count", [14, 15]),
        ("where count >= overall(maximum(count where kind = 'bottle')) sort count", [12, 13, 14, 15]),
        ("where memo = baby.nick sort count", [13, 14]),
        ("where baby.nick != memo sort count", [11, 12, 15]),
        ("where folded(baby.name) = 'MÍA' sort count", [11, 12, 15]),
        ("where folded(baby.name) != 'MÍA' sort count", [13, 14]),
        ("where folded(baby.name) starts with 'B' or folded(baby.name) is null sort count", [13, 14]),
        ("where folded(baby.name) in ('BEN', 'zoe') or folded(baby.name) < 'A'", [13]),
        ("sort folded(baby.name) desc, count", [11, 12, 15, 13, 14]),
        ("where sum(baby.feeds.count * 2 where amount > 60) = 52 sort count", [11, 12, 15]),
        ("where maximum(baby.feeds.baby.house.name) = 'Home' sort count", [11, 12, 13, 15]),
        ("where percentile(baby.feeds.amount, 0.25) < 70 sort count", [11, 12, 15]),
        ("where count(distinct baby.feeds.kind) = 2 sort count", [11, 12, 15]),
        (
            "where has baby where (has feeds where (has baby where (has feeds where (has baby where (has house))))) "
                + "sort count", [11, 12, 13, 15]
        ),
        ("sort amount desc nulls first limit 2", [13, 11]),
        ("where start >= 1970-01-02T07:00:00+01:00", [12, 15]),
        ("where start < 1970-01-02 sort count", [11, 13, 14]),
        ("where memo contains '%' or memo ends with 'x'", [12]),
        ("where kind = 'bottle' sort count", [11, 12]),
        ("where portion = 0.1 and price = 12.50 and day <= 1970-01-13 sort count", [11, 12]),
        ("where isNight = true or `limit` = 3 sort count", [11, 13]),
        ("where id = 00000000-0000-7000-8000-00000000000e", [14]),
        (
            "where label = '{ \"a\" : 1 }' and data = \"AQI=\" and code is null sort baby.name desc, count desc",
            [15, 12, 11, 13, 14]
        ),
    ]

    @Test("the same rows on every backend", arguments: TestBackend.available)
    func rows(backend: TestBackend) async throws {
        try await backend.withStore(try Schema(version: Nursery.version, models: Nursery.models)) { store in
            try await Self.fill(store)
            for (text, expected) in Self.numbers {
                let answer = try await ask(store, "Feed \(text) show count")
                #expect(answer.columns.map(\.name) == ["count"])
                #expect(answer.rows == expected.map { [.value(.int($0))] }, "\(text)")
            }
        }
    }

    @Test("figures over all rows and over groups, on every backend", arguments: TestBackend.available)
    func figures(backend: TestBackend) async throws {
        try await backend.withStore(try Schema(version: Nursery.version, models: Nursery.models)) { store in
            try await Self.fill(store)
            #expect(try await ask(store, "Feed where amount > 60 count").rows == [[.value(.int(3))]])
            let days = try await ask(store, "Feed by day(start), kind count, sum(amount), average(price)")
                .flattened()
            #expect(days.columns == ["day(start)", "kind", "count", "sum(amount)", "average(price)"])
            #expect(
                days.rows.map { $0.map(ValueText.plain) } == [
                    ["1970-01-01", "bottle", "1", "100.0", "12.5"],
                    ["1970-01-01", "breast", "2", "70.0", "12.5"],
                    ["1970-01-02", "bottle", "1", "50.5", "12.5"],
                    ["1970-01-02", "breast", "1", "80.0", "12.5"],
                ])
            let last = try await ask(
                store, "Feed by baby count, minimum(count), maximum(end) offset 1 limit 1")
            #expect(
                try last.flattened().rows.map { $0.map(ValueText.plain) } == [
                    [
                        "00000000-0000-7000-8000-000000000002", "3", "11", "1970-01-02T08:00:00.000Z",
                    ]
                ])
        }
    }

    @Test(
        "what is included becomes columns of a table, and objects and arrays of JSON",
        arguments: TestBackend.available)
    func included(backend: TestBackend) async throws {
        try await backend.withStore(try Schema(version: Nursery.version, models: Nursery.models)) { store in
            try await Self.fill(store)
            let babies = try await ask(
                store,
                """
                Baby sort name show name include house(show name), count(feeds), count(feeds where amount > 60) as large,
                sum(feeds.amount), first(feeds sort start desc show count), count(house.babies)
                """)
            let table = try babies.flattened()
            #expect(
                table.columns == [
                    "name", "house.name", "house.count(babies)", "count(feeds)", "large", "sum(feeds.amount)",
                    "first(feeds).count",
                ])
            #expect(
                table.rows.map { $0.map(ValueText.plain) } == [
                    ["Ben", "Home", "2", "1", "0", "0.0", "13"],
                    ["Mia", "Home", "2", "3", "2", "230.5", "15"],
                    ["Zoë", "", "", "0", "0", "0.0", ""],
                ])
            let nested = try await ask(
                store,
                """
                House show name include babies(sort name desc limit 1 show name
                    include feeds(where amount is not null sort count offset 1 limit 2 show amount, memo, baby.name))
                """)
            #expect(
                nested.json == #"""
                    [
                      {"name": "Home", "babies": [{"name": "Mia", "feeds": [{"amount": 50.5, "memo": "50 % \"a\",\nb", "baby": {"name": "Mia"}}, {"amount": 80.0, "memo": null, "baby": {"name": "Mia"}}]}]}
                    ]
                    """#)
            #expect(throws: StoreError.self) { try nested.flattened() }
            let feeds = try await ask(
                store, "Feed where count > 13 sort count show count, baby include baby.house(show name)")
            #expect(
                feeds.json == #"""
                    [
                      {"count": 14, "baby": null},
                      {"count": 15, "baby": {"id": "00000000-0000-7000-8000-000000000002", "house": {"name": "Home"}}}
                    ]
                    """#)
            #expect(try await ask(store, "Baby where name = 'x' include feeds").json == "[]")
            let whole = try await ask(store, "Feed where count = 11 include baby(show name)")
            #expect(
                whole.json == #"""
                    [
                      {"id": "00000000-0000-7000-8000-00000000000b", "baby": {"id": "00000000-0000-7000-8000-000000000002", "name": "Mia"}, "start": "1970-01-01T01:00:00.000Z", "end": "1970-01-01T02:00:00.000Z", "amount": 100.0, "price": "12.5", "portion": 0.10000000149011612, "count": 11, "limit": 3, "kind": "bottle", "memo": null, "isNight": false, "data": "AQI=", "label": {"a":1}, "code": null, "day": "1970-01-12"}
                    ]
                    """#)
        }
    }

    @Test(
        "a thousand comparisons, and a list of ten thousand values, on every backend",
        arguments: TestBackend.available)
    func large(backend: TestBackend) async throws {
        try await backend.withStore(try Schema(version: Nursery.version, models: Nursery.models)) { store in
            try await Self.fill(store)
            let any = (0..<1_000).map { "count = \($0)" }.joined(separator: " or ")
            #expect(try await ask(store, "Feed where \(any) count").rows == [[.value(.int(5))]])
            let list = (0..<10_000).map(String.init).joined(separator: ", ")
            #expect(try await ask(store, "Feed where count in (\(list)) count").rows == [[.value(.int(5))]])
        }
    }

    @Test("figures of what is calculated for each row of a relationship", arguments: TestBackend.shared)
    func calculated(backend: TestBackend) async throws {
        try await backend.withStore(try Schema(version: Nursery.version, models: Nursery.models)) { store in
            try await Self.fill(store)
            let text = """
                Baby sort name show name
                include sum(feeds.count * 2 where amount > 60) as double, maximum(feeds.baby.name)
                """
            let answer = try await ask(store, text).flattened()
            #expect(answer.columns == ["name", "double", "maximum(feeds.baby.name)"])
            #expect(
                answer.rows.map { $0.map(ValueText.plain) } == [
                    ["Ben", "0", "Ben"], ["Mia", "52", "Mia"], ["Zoë", "0", ""],
                ])
        }
    }

    @Test("random queries have the same answer as in memory", arguments: TestBackend.shared)
    func random(backend: TestBackend) async throws {
        let schema = try Schema(version: Nursery.version, models: Nursery.models)
        try await TestBackend.memory.withStore(schema) { memory in
            try await Self.fill(memory)
            try await backend.withStore(schema) { store in
                try await Self.fill(store)
                var texts = RandomTexts()
                for number in 0..<300 {
                    let text = number % 3 == 0 ? texts.nextFigures() : texts.nextQuery()
                    let expected = try await ask(memory, text).json
                    #expect(try await ask(store, text).json == expected, "seed \(texts.seed): \(text)")
                }
            }
        }
    }

    @Test("one statement for the rows, and one for each relationship")
    func statements() async throws {
        try await TestBackend.memory.withStore(try Schema(version: Nursery.version, models: Nursery.models)) {
            store in
            try await Self.fill(store)
            let query = try StoredQuery(
                parsing: "Baby include feeds(include baby(show name)), count(feeds), first(feeds), house",
                schema: store.schema)
            let count = try await store.read { tx in
                let driver = CountingDriver(tx.driver)
                let answer = try tx.read(through: driver).answer(query)
                #expect(answer.rows.count == 3)
                return driver.count
            }
            #expect(count == 6)
        }
    }

    @Test("an answer with more rows than its bound is refused, those that it includes counted")
    func bound() async throws {
        try await TestBackend.memory.withStore(try Schema(version: Nursery.version, models: Nursery.models)) {
            store in
            try await Self.fill(store)
            let query = try StoredQuery(parsing: "Baby include feeds", schema: store.schema)
            #expect(try await store.read { try $0.answer(query, atMost: 7) }.rows.count == 3)
            let error = await #expect(throws: StoreError.self) {
                try await store.read { try $0.answer(query, atMost: 6) }
            }
            #expect(error?.code == .invalidArgument)
            var unbounded = query
            unbounded.limit = -1
            let negative = unbounded
            let refusal = await #expect(throws: StoreError.self) {
                try await store.read { try $0.answer(negative) }
            }
            #expect(refusal?.message == "A limit cannot be negative.")
        }
    }

    @Test("a row of a list counts each time that the list is there")
    func nestedBound() async throws {
        try await TestBackend.memory.withStore(try Schema(version: Nursery.version, models: Nursery.models)) {
            store in
            try await Self.fill(store)
            /// The feeds of babies, and of each feed its baby with its feeds, and so on.
            func nested(_ levels: Int) throws -> StoredQuery {
                var text = "feeds(show count)"
                for _ in 1..<levels { text = "feeds(show count include baby(show name include \(text)))" }
                return try StoredQuery(parsing: "Baby show name include \(text)", schema: store.schema)
            }
            // Of the baby with three feeds, 3 * (1 + 3 * (1 + 3)) rows; of the one with one, 3; and three babies.
            let query = try nested(3)
            let answer = try await store.read { try $0.answer(query, atMost: 45) }
            #expect(answer.json.matches(of: /"count"/).count == 42)
            let deep = try nested(20)
            for (query, bound) in [(query, 44), (deep, 100_000)] {
                let error = await #expect(throws: StoreError.self) {
                    try await store.read { try $0.answer(query, atMost: bound) }
                }
                #expect(error?.code == .invalidArgument)
            }
        }
    }

    @Test("a query sees the rows of its scope, and of several those of each", arguments: TestBackend.shared)
    func scopes(backend: TestBackend) async throws {
        let (home, away) = (StoreScope(), StoreScope())
        try await backend.withStore(
            try Schema(version: Nursery.version, models: Nursery.models), options: OpenOptions(scope: home)
        ) { store in
            try await Self.fill(store, in: home)
            try await Self.fill(store, in: away, named: "Away")
            let text =
                "Baby where name = 'Mia' sort house.name desc show house.name include count(feeds), first(feeds show count)"
            let query = try StoredQuery(parsing: text, schema: store.schema)
            let one = try await store.read { try $0.answer(query) }
            let row = #"{"house": {"name": "Home"}, "count(feeds)": 3, "first(feeds)": {"count": 11}}"#
            #expect(one.json == "[\n  \(row)\n]")
            let both = try await store.read(ReadOptions(scopes: [home, away])) { try $0.answer(query) }
            #expect(both.json == "[\n  \(row),\n  \(row.replacing("Home", with: "Away"))\n]")
        }
    }

    @Test("a query that was read for another schema is refused")
    func foreign() async throws {
        let query = try StoredQuery(
            parsing: "Feed show count", schema: try Schema(version: Nursery.version, models: Nursery.models))
        try await TestBackend.memory.withStore(Other.schema) { store in
            let error = await #expect(throws: StoreError.self) {
                try await store.read { try $0.answer(query) }
            }
            #expect(error?.message == "Feed has no `count`.")
        }
    }

    enum Other: VersionedSchema {
        static let version = SchemaVersion(1)
        static let models: [any Model.Type] = [Feed.self]

        @Model
        struct Feed {
            let id: ID
        }
    }
}
