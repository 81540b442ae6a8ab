import Foundation
import GRDB
import SwitchyardCore
import SwitchyardTransfer
import TestBackends
import Testing

@Suite("Two stores compared")
struct VerificationTests {
    /// An attribute of every type, and a reference.
    private static let thing = Entity(
        "Thing",
        attributes: [
            Attribute("id", type: .uuid), Attribute("flag", type: .bool),
            Attribute("number", type: .int), Attribute("amount", type: .double),
            Attribute("price", type: .decimal), Attribute("title", type: .text),
            Attribute("data", type: .blob), Attribute("time", type: .timestamp),
            Attribute("day", type: .day), Attribute("tags", type: .json),
            Attribute("other", type: .uuid, isOptional: true, reference: "Thing"),
        ])
    private static func schema(_ more: [Entity] = []) throws -> Schema {
        try Schema(version: SchemaVersion(1, 0, 0), entities: [thing] + more)
    }

    private static func id(_ number: Int) -> UUID {
        UUID(
            uuid: (
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number / 256), UInt8(number % 256)
            ))
    }

    private static func row(
        _ number: Int, title: String = "é\n", data: Data = Data([0, 255])
    ) throws -> [StoredValue] {
        [
            .uuid(id(number)), .bool(true), .int(-5), .double(0.1),
            .decimal(try #require(CanonicalDecimal.decimal("12.50"))), .text(title),
            .blob(data), .timestamp(1_700_000_000_000_001),
            .day(try #require(CalendarDay(daysSince1970: -1))), .json(#"{"a":1}"#), .null,
        ]
    }

    private static func extremes(_ number: Int) throws -> [StoredValue] {
        [
            .uuid(id(number)), .bool(false), .int(.max), .double(-.infinity),
            .decimal(try #require(CanonicalDecimal.decimal("-0.000000000000000000000000000000000001"))),
            .text(""), .blob(Data()), .timestamp(-1), .day(try #require(CalendarDay(daysSince1970: 20_000))),
            .json("[]"), .uuid(id(1)),
        ]
    }

    /// A row much longer than the others.
    private static func long(_ number: Int) throws -> [StoredValue] {
        try row(
            number, title: String(repeating: "é", count: 300), data: Data(repeating: 7, count: 1_000))
    }

    private static func fill(_ store: any Store, _ rows: [[StoredValue]]) async throws {
        try await store.write { tx in _ = try tx.insertRows(into: "Thing", rows) }
    }

    @Test(
        "the digest of rows is the same on every backend, and in any order", arguments: TestBackend.available)
    func digest(backend: TestBackend) async throws {
        try await TestBackend.memory.withStore(try Self.schema()) { first in
            try await backend.withStore(try Self.schema()) { second in
                try await Self.fill(first, [try Self.row(1), try Self.extremes(2), try Self.long(3)])
                try await Self.fill(second, [try Self.long(3), try Self.extremes(2), try Self.row(1)])
                let report = try await first.verify(against: second)
                #expect(report.isEqual)
                #expect(report.sampledRows == 3)
                // Calculated by another program from the description of the canonical form.
                #expect(report.entities[0].second.description == "abc3012a99bc51209a7d1207033e37a2")
                #expect(report.entities[0].second.count == 3)
            }
        }
    }

    @Test(
        "the comparison finds a row that differs in one attribute of any type",
        arguments: TestBackend.available)
    func attribute(backend: TestBackend) async throws {
        let names = Self.thing.attributes.map(\.name)
        try await backend.withStore(try Self.schema()) { first in
            try await Self.fill(first, try (1...names.count).map { try Self.row($0) })
            for (position, name) in names.enumerated().dropFirst() {
                try await TestBackend.memory.withStore(try Self.schema()) { second in
                    var rows = try (1...names.count).map { try Self.row($0) }
                    rows[position][position] = try Self.extremes(1)[position]
                    try await Self.fill(second, rows)
                    let report = try await first.verify(against: second)
                    #expect(!report.isEqual)
                    #expect(
                        report.entities[0].differences
                            == [RowDifference(id: Self.id(position + 1), kind: .attributes([name]))])
                }
            }
        }
    }

    @Test("the comparison finds rows that only one store has", arguments: TestBackend.available)
    func missing(backend: TestBackend) async throws {
        try await TestBackend.memory.withStore(try Self.schema()) { first in
            try await backend.withStore(try Self.schema()) { second in
                try await Self.fill(first, try (1...600).map { try Self.row($0) })
                try await Self.fill(second, try (2...601).map { try Self.row($0) })
                let report = try await first.verify(against: second)
                #expect(!report.isEqual)
                #expect(
                    report.entities[0].differences == [
                        RowDifference(id: Self.id(1), kind: .onlyInFirst),
                        RowDifference(id: Self.id(601), kind: .onlyInSecond),
                    ])
                #expect(report.entities[0].first.count == report.entities[0].second.count)
            }
        }
    }

    @Test("the comparison names twenty of many different rows")
    func many() async throws {
        try await TestBackend.memory.withStore(try Self.schema()) { first in
            try await TestBackend.memory.withStore(try Self.schema()) { second in
                try await Self.fill(first, try (1...300).map { try Self.row($0) })
                let report = try await first.verify(against: second)
                #expect(
                    report.entities[0].differences
                        == (1...20).map { RowDifference(id: Self.id($0), kind: .onlyInFirst) })
                #expect(report.entities[0].second.count == 0)
                #expect(report.entities[0].second.description == String(repeating: "0", count: 32))
            }
        }
    }

    @Test("the comparison finds a dangling reference, even if both stores have it")
    func dangling() async throws {
        try await TestBackend.sqlite.withStore(try Self.schema()) { store in
            try await Self.fill(store, [try Self.row(1), try Self.extremes(2)])
            #expect(try await store.verify(against: store).isEqual)
            try Self.tamper(store, "DELETE FROM Thing WHERE number = -5")
            let report = try await store.verify(against: store)
            #expect(report.entities[0].first == report.entities[0].second)
            #expect(
                report.entities[0].danglingReferences
                    == [DanglingReferences(attribute: "other", first: 1, second: 1)])
            #expect(!report.isEqual)
        }
    }

    @Test("the comparison finds a dangling reference of the second store only")
    func danglingInOne() async throws {
        try await TestBackend.memory.withStore(try Self.schema()) { first in
            try await TestBackend.sqlite.withStore(try Self.schema()) { second in
                for store in [first, second] {
                    try await Self.fill(store, [try Self.row(1), try Self.extremes(2)])
                }
                try Self.tamper(second, "DELETE FROM Thing WHERE number = -5")
                let report = try await first.verify(against: second)
                #expect(
                    report.entities[0].danglingReferences
                        == [DanglingReferences(attribute: "other", first: 0, second: 1)])
            }
        }
    }

    @Test("a value that its attribute cannot hold is damage, not a difference")
    func damage() async throws {
        try await TestBackend.sqlite.withStore(try Self.schema()) { store in
            try await Self.fill(store, [try Self.row(1)])
            try Self.tamper(store, "PRAGMA ignore_check_constraints = ON; UPDATE Thing SET flag = 2")
            let error = await #expect(throws: StoreError.self) { try await store.verify(against: store) }
            #expect(error?.code == .corrupted)
            #expect(error?.attribute == "flag")
            #expect(error?.description.contains("00000000-0000-0000-0000-000000000001") == true)
        }
    }

    @Test("stores of two schemas are not compared")
    func schemas() async throws {
        let other = Entity("Other", attributes: [Attribute("id", type: .uuid)])
        try await TestBackend.memory.withStore(try Self.schema()) { first in
            try await TestBackend.memory.withStore(try Self.schema([other])) { second in
                let error = await #expect(throws: StoreError.self) {
                    try await first.verify(against: second)
                }
                #expect(error?.code == .schemaMismatch)
                #expect(error?.message.contains("only the second store has the entity Other") == true)
            }
        }
    }

    @Test("a store with scopes is compared within its own scope")
    func scopes() async throws {
        let (home, away) = (StoreScope(Self.id(7)), StoreScope(Self.id(8)))
        try await TestBackend.sqlite.withStore(try Self.schema(), options: OpenOptions(scope: home)) {
            first in
            try await TestBackend.memory.withStore(try Self.schema()) { second in
                try await Self.fill(first, [try Self.row(1)])
                try await first.write(WriteOptions(scope: away)) { tx in
                    _ = try tx.insertRows(into: "Thing", [try Self.extremes(1)])
                }
                try await Self.fill(second, [try Self.row(1)])
                #expect(try await first.verify(against: second).isEqual)
            }
        }
    }

    /// Does to the file what no store would do.
    private static func tamper(_ store: any Store, _ sql: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: store.info.location, configuration: configuration)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }
}
