import Foundation
import MemoryStore
import SwitchyardCSV
import SwitchyardCore
import Testing

@Suite("Any entity, in and out of CSV files")
struct EntityCSVTests {
    /// An entity with an attribute of every type.
    private static let entity = Entity(
        "Sample",
        attributes: [Attribute("id", type: .uuid)]
            + [AttributeType.bool, .int, .double, .decimal, .text, .blob, .timestamp, .day, .json].map {
                Attribute("\($0.rawValue)Value", type: $0, isOptional: true)
            } + [Attribute("count", type: .int, cases: [.int(1), .int(2)])])
    private static let header =
        "id,boolValue,intValue,doubleValue,decimalValue,textValue,blobValue,timestampValue,dayValue,jsonValue,count"

    private let store: MemoryStore

    init() throws {
        store = MemoryStore(schema: try Schema(version: SchemaVersion(1), entities: [Self.entity]))
    }

    private static func id(_ last: UInt8) -> StoredValue {
        .uuid(UUID(uuid: (1, 154, 84, 14, 0, 0, 112, 0, 128, 0, 0, 0, 0, 0, 0, last)))
    }

    private static func rows() throws -> [[StoredValue]] {
        [
            [
                id(1), .bool(true), .int(.min), .double(0.1),
                .decimal(try #require(Decimal(string: "-12.5"))),
                .text(" a,\"b\"\r\n하"), .blob(Data([0, 255, 16])), .timestamp(1_762_454_079_946_001),
                .day(try #require(CalendarDay(year: 2025, month: 2, day: 28))), .json(#"{"a":[1,null]}"#),
                .int(1),
            ],
            [id(2)] + [StoredValue](repeating: .null, count: 9) + [.int(2)],
            [
                id(3), .bool(false), .int(.max), .double(-.infinity), .decimal(0), .text(""), .blob(Data()),
                .timestamp(0), .day(try #require(CalendarDay(year: 1, month: 1, day: 1))), .json("null"),
                .int(1),
            ],
        ]
    }

    private static let text = """
        \(header)
        019a540e-0000-7000-8000-000000000001,true,-9223372036854775808,0.1,-12.5," a,""b""\r
        하",AP8Q,2025-11-06T18:34:39.946001Z,2025-02-28,"{""a"":[1,null]}",1
        019a540e-0000-7000-8000-000000000002,,,,,,,,,,2
        019a540e-0000-7000-8000-000000000003,false,9223372036854775807,-inf,0,"","",1970-01-01T00:00:00.000Z,0001-01-01,\
        null,1
        """

    private func export() async throws -> String {
        try await store.read { transaction in
            let sink = MemoryByteSink()
            try EntityCSV.export("Sample", of: transaction, to: sink)
            return sink.text
        }
    }

    private func load(_ text: String, skippingExisting: Bool = false) async throws -> [Int] {
        let input = CSVInput.bytes(Array(text.utf8))
        return try await store.write { transaction in
            let (read, inserted) = try EntityCSV.import(
                input, into: "Sample", in: transaction, skippingExisting: skippingExisting)
            return [read, inserted]
        }
    }

    private func values() async throws -> [[StoredValue]] {
        try await store.read { try $0.fetchRows(of: "Sample") }
    }

    /// The error of a file that must be refused, of which nothing may be kept.
    private func refusal(_ text: String) async throws -> (any Error)? {
        let before = try await values()
        var refusal: (any Error)?
        do { _ = try await load(text) } catch { refusal = error }
        #expect(try await values() == before)
        return refusal
    }

    /// A row of the third id with one cell replaced.
    private static func row(_ column: Int, _ cell: String) -> String {
        var cells = ["019a540e-0000-7000-8000-000000000003"] + [String](repeating: "", count: 9) + ["1"]
        cells[column] = cell
        return cells.joined(separator: ",")
    }

    @Test("values of every type are written so, and nil is told from empty text and an empty blob")
    func writing() async throws {
        let rows = try Self.rows()
        try await store.write { _ = try $0.insertRows(into: "Sample", rows) }
        #expect(try await export() == Self.text)
    }

    @Test("what was written is read back as the same values")
    func roundTrip() async throws {
        #expect(try await load(Self.text) == [3, 3])
        #expect(try await values() == Self.rows())
        #expect(try await export() == Self.text)
    }

    @Test("columns may be in any order and case, and none may be missing or unknown")
    func columns() async throws {
        let names = Self.header.split(separator: ",")
        let shuffled = names.reversed().map { $0.uppercased() }.joined(separator: ",")
        let row = "2,,,,,,,,,,019a540e-0000-7000-8000-000000000002"
        #expect(try await load("\(shuffled)\n\(row)") == [1, 1])
        #expect(try await values() == [Self.rows()[1]])

        let missing = try await refusal("id,count\n") as? CSVError
        #expect(missing?.code == .wrongColumns)
        #expect(missing?.line == 1)
        #expect(missing?.message.hasPrefix("The header lacks boolValue, intValue, ") == true)
        let unknown = try await refusal(Self.header + ",mood\n") as? CSVError
        #expect(unknown?.code == .wrongColumns)
        #expect(
            unknown?.message.hasPrefix(
                "The header has 1 columns that Sample does not have; the columns are: id,") == true)
        #expect(unknown?.debugDescription.contains("mood") == true)
        #expect((try await refusal("id,ID\n") as? CSVError)?.code == .duplicateColumn)
    }

    @Test(
        "a cell that is no value of its attribute is named by line and column, without its contents",
        arguments: [
            (0, "019a540e"), (1, "TRUE"), (1, "1"), (2, "9223372036854775808"), (2, "1.0"), (3, "nan"),
            (3, "0x10"), (4, "1e"), (4, String(repeating: "9", count: 39)), (6, "AP8"), (6, "*"),
            (7, "2025-02-30T00:00:00Z"), (8, "2025-02-29"), (10, "one"),
        ])
    func wrongCell(column: Int, cell: String) async throws {
        let text =
            "\(Self.header)\n\(Self.row(2, "7"))\n"
            + Self.row(column, cell).replacing("000000000003", with: "000000000004")
        let error = try await refusal(text) as? CSVError
        #expect(error?.code == .invalidValue)
        #expect(error?.line == 3)
        #expect(error?.column == column + 1)
        #expect(error?.description.contains(cell) == false || cell == "1")
    }

    @Test("a value that is missing or not among the allowed ones is the store's own refusal")
    func refusedValue() async throws {
        let missing = try await refusal("\(Self.header)\n\(Self.row(10, ""))") as? StoreError
        #expect(missing?.code == .notNull)
        #expect(missing?.attribute == "count")
        let strange = try await refusal("\(Self.header)\n\(Self.row(10, "3"))") as? StoreError
        #expect(strange?.code == .check)
        #expect(strange?.attribute == "count")
        let nul = try await refusal("\(Self.header)\n\(Self.row(5, "a\0b"))") as? CSVError
        #expect(nul?.code == .nulCharacter)
    }

    @Test("a row that is there already refuses the file, or is left out where that is wanted")
    func existing() async throws {
        #expect(try await load("\(Self.header)\n\(Self.row(2, "7"))") == [1, 1])
        #expect((try await refusal(Self.text) as? StoreError)?.code == .unique)
        #expect(try await load(Self.text, skippingExisting: true) == [3, 2])
        let values = try await values()
        #expect(values.count == 3)
        #expect(values[2][2] == .int(7), "the row that was there stays as it was")
        #expect(try await load(Self.text, skippingExisting: true) == [3, 0])
    }

    @Test("a row that comes twice in one file refuses it, or is taken once, the first")
    func twice() async throws {
        let text = "\(Self.header)\n\(Self.row(2, "7"))\n\(Self.row(2, "8"))"
        #expect((try await refusal(text) as? StoreError)?.code == .unique)
        #expect(try await load(text, skippingExisting: true) == [2, 1])
        #expect(try await values().map { $0[2] } == [.int(7)])
    }

    @Test("an empty file and a header alone hold no rows")
    func nothing() async throws {
        #expect(try await load("") == [0, 0])
        #expect(try await load(Self.header) == [0, 0])
        #expect(try await values() == [])
    }
}
