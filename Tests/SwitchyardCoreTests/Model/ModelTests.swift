import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Suite("A model's row")
struct ModelTests {
    typealias Everything = ModelFixture.Everything
    typealias Folder = ModelFixture.Folder

    private let home = Folder.ID(UUID(uuid: (7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7)))
    private let id = Everything.ID(UUID(uuid: (9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9)))

    private func row(of value: Everything) throws -> [StoredValue] {
        let entity = try Everything.entity.get()
        var row = RowWriter(context: entity.errorContext)
        try value.encode(into: &row)
        return try row.storedValues(of: entity)
    }

    private func model(of values: [StoredValue]) throws -> Everything {
        var row = RowWriter(context: try Everything.entity.get().errorContext)
        for value in values { try row.write(value) }
        let context = row.context
        return try row.withCells { cells in
            var reader = RowReader(
                cells: try #require(cells.baseAddress), count: cells.count, context: context)
            return try Everything(from: &reader)
        }
    }

    private var full: Everything {
        Everything(
            text: "grüße\"\n", id: id, flag: false, int: .min, int8: -128, uint32: .max, double: -0.0,
            float: 1.5,
            decimal: Decimal(string: "123456789012345678901234567890.12345678") ?? 0, data: Data([0, 255]),
            date: Date(timeIntervalSince1970: 1.25), optionalDate: Date(timeIntervalSince1970: -1),
            day: CalendarDay("2026-11-21"), kind: .poo, optionalKind: .pee, level: .low,
            address: .init(street: "A/B", number: 2), optionalAddress: .init(street: "", number: 3),
            shape: .circle(0.5), tags: ["x", ""], kinds: [.pee, .poo], counts: ["b": 1, "a": 2],
            title: "Titel",
            folder: home, home: home, parent: id, secret: "t", observed: 4)
    }

    private var fullRow: [StoredValue] {
        [
            .uuid(id.uuid), .text("grüße\"\n"), .bool(false), .int(.min), .int(-128), .int(4_294_967_295),
            .double(0), .double(1.5),
            .decimal(Decimal(string: "123456789012345678901234567890.12345678") ?? 0), .blob(Data([0, 255])),
            .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
            .timestamp(1_250_000), .timestamp(-1_000_000),
            CalendarDay("2026-11-21").map { .day($0) } ?? .null,
            .text("poo"), .text("pee"), .int(-1), .json("{\"number\":2,\"street\":\"A/B\"}"),
            .json("{\"number\":3,\"street\":\"\"}"), .json("{\"circle\":{\"_0\":0.5}}"),
            .json("[\"x\",\"\"]"),
            .json("[\"pee\",\"poo\"]"), .json("{\"a\":2,\"b\":1}"), .text("Titel"), .uuid(home.uuid),
            .uuid(home.uuid), .uuid(id.uuid), .text("t"), .int(4),
        ]
    }

    @Test("a model writes every attribute type as its stored value")
    func writing() throws {
        let row = try row(of: full)
        for (index, value) in fullRow.enumerated() { #expect(row[index] == value, "column \(index)") }
        #expect(row.count == 29)
    }

    @Test("a model reads every attribute type back")
    func reading() throws {
        let value = try model(of: fullRow)
        #expect(value.id == id)
        #expect(value.text == "grüße\"\n")
        #expect(!value.flag)
        #expect(value.int == .min)
        #expect(value.int8 == -128)
        #expect(value.uint32 == 4_294_967_295)
        #expect(value.double == 0 && value.double.sign == .plus)
        #expect(value.float == 1.5)
        #expect(value.decimal == Decimal(string: "123456789012345678901234567890.12345678"))
        #expect(value.data == Data([0, 255]))
        #expect(value.date.timeIntervalSince1970 == 1.25)
        #expect(value.optionalDate == Date(timeIntervalSince1970: -1))
        #expect(value.day == CalendarDay("2026-11-21"))
        #expect(value.kind == .poo)
        #expect(value.optionalKind == .pee)
        #expect(value.level == .low)
        #expect(value.address == .init(street: "A/B", number: 2))
        #expect(value.optionalAddress == .init(street: "", number: 3))
        #expect(value.shape == .circle(0.5))
        #expect(value.tags == ["x", ""])
        #expect(value.kinds == [.pee, .poo])
        #expect(value.counts == ["a": 2, "b": 1])
        #expect(value.title == "Titel")
        #expect(value.folder == home && value.home == home)
        #expect(value.parent == id)
        #expect(value.secret == "t")
        #expect(value.observed == 4)
    }

    @Test("a transient property is not stored and has its default after reading; observers stay silent")
    func transient() throws {
        var value = full
        value.isSelected = false
        let read = try model(of: try row(of: value))
        #expect(read.isSelected)
        #expect(read.observations == 0)
    }

    @Test("omitted optionals have no value")
    func absent() throws {
        var values = fullRow
        for index in [12, 13, 15, 18, 21, 23, 24, 26] { values[index] = .null }
        let value = try model(of: values)
        #expect(value.optionalDate == nil && value.day == nil && value.optionalKind == nil)
        #expect(value.optionalAddress == nil && value.kinds == nil && value.title == nil)
        #expect(value.folder == nil && value.parent == nil)
        #expect(try row(of: value) == values)
    }

    @Test("a model's initialiser has the defaults of the properties, and creates an id")
    func defaults() {
        let value = Everything(home: home)
        #expect(value.text.isEmpty && value.flag && value.int == -5 && value.uint32 == 255)
        #expect(value.kind == .none && value.optionalKind == .pee && value.level == .high)
        #expect(value.tags == ["a", "b"] && value.folder == nil)
        #expect(value.id != Everything(home: home).id)
    }

    @Test("a raw value without a case is a typed error that names the attribute")
    func unknownCase() throws {
        var values = fullRow
        values[14] = .text("vomit")
        let error = try #require(throws: StoreError.self) { try model(of: values) }
        #expect(error.code == .corrupted)
        #expect(error.entity == "Everything")
        #expect(error.attribute == "kind")
        #expect(!error.description.contains("vomit"))
        #expect(error.debugDescription.contains("vomit"))
    }

    @Test(
        "a value of another storage class is corruption that names entity, attribute and row",
        arguments: [
            (1, "text", StoredValue.int(1)), (2, "flag", .int(2)), (3, "int", .text("1")),
            (4, "int8", .int(128)),
            (6, "double", .text("1")), (8, "decimal", .double(1)), (9, "data", .text("")),
            (10, "uuid", .blob(Data([1]))), (11, "date", .text("2026")), (16, "level", .int(5)),
            (17, "address", .blob(Data())), (20, "tags", .text("{")), (25, "home", .null),
        ])
    func wrongClass(column: Int, attribute: String, value: StoredValue) throws {
        var values = fullRow
        values[column] = value
        let error = try #require(throws: StoreError.self) { try model(of: values) }
        #expect(error.code == .corrupted)
        #expect(error.entity == "Everything")
        #expect(error.attribute == attribute)
    }

    @Test("a row that is too short is corruption")
    func short() throws {
        let error = try #require(throws: StoreError.self) { try model(of: Array(fullRow.prefix(5))) }
        #expect(error.code == .corrupted)
    }
}
