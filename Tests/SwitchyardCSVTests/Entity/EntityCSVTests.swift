import Foundation
import SwitchyardCSV
import SwitchyardCore
import TestBackends
import Testing

@Suite("Any entity of any store as CSV")
struct EntityCSVTests {
    @Test("every type of value is written to CSV as people read it", arguments: TestBackend.available)
    func layout(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let id = try #require(UUID(uuidString: Shelf.id(1)))
            let price = try #require(Decimal(string: "12345678901234567890.5"))
            let day = try #require(CalendarDay("2024-02-29"))
            try await store.write { transaction in
                try transaction.insertRows(
                    into: "Item",
                    [
                        [
                            .uuid(id), .bool(true), .int(-7), .double(80), .decimal(price), .text("a,b"),
                            .blob(Data([0, 255])), .uuid(id), .timestamp(1), .day(day), .json(#"["x"]"#),
                            .text("dry"),
                        ]
                    ])
            }
            #expect(
                try await store.exported() == """
                    \(Shelf.header)
                    \(Shelf.id(1)),true,-7,80.0,12345678901234567890.5,"a,b",AP8=,\(Shelf.id(1)),\
                    1970-01-01T00:00:00.000001Z,2024-02-29,"[""x""]",dry


                    """)
        }
    }

    @Test(
        "every value survives CSV byte for byte",
        arguments: [
            ("isOpen", "true"), ("isOpen", "false"), ("isOpen", ""), ("count", "0"),
            ("count", "9223372036854775807"), ("count", "-9223372036854775808"), ("weight", "0.0"),
            ("weight", "5e-324"), ("weight", "1.7976931348623157e+308"), ("weight", "0.1"), ("weight", "inf"),
            ("weight", "-inf"), ("price", "0"), ("price", "99999999999999999999999999999999999999"),
            ("price", "-0.0000000000000000000000000000000000001"), ("label", ""), ("label", #""""#),
            ("label", " two  spaces "), ("label", "하나 😀"), ("label", "e\u{301}"), ("label", "\u{E9}"),
            ("label", "\u{FEFF}mark"), ("label", "\"quote \"\" comma , feed \n return \r both \r\n\""),
            ("picture", ""), ("picture", #""""#), ("picture", "AAEC/w=="),
            ("owner", "ffffffff-ffff-ffff-ffff-ffffffffffff"), ("made", "0001-01-01T00:00:00.000Z"),
            ("made", "9999-12-31T23:59:59.999999Z"), ("made", "1969-12-31T23:59:59.999999Z"),
            ("bestBefore", "0001-01-01"), ("bestBefore", "9999-12-31"), ("tags", "null"),
            ("tags", #""{""a"":[1,""é""]}""#), ("kind", "fresh"),
        ])
    func roundTrip(attribute: String, field: String) async throws {
        let file = Shelf.file(Shelf.row(1, attribute, field), Shelf.row(2))
        for backend in TestBackend.available {
            try await backend.withStore { store in
                #expect(try await store.imported(file) == [2, 2])
                let exported = try await store.exported()
                // Swift's own equality would take one form of an accent for the other.
                #expect(Array(exported.utf8) == Array(file.utf8), "\(backend): \(exported)")
            }
        }
    }

    @Test("nil and empty text differ in an entity's CSV", arguments: TestBackend.available)
    func absence(backend: TestBackend) async throws {
        try await backend.withStore { store in
            try await store.imported(Shelf.file(Shelf.row(1, "label", #""""#), Shelf.row(2)))
            let labels = try await store.read { try $0.fetchRows(of: "Item").map { $0[5] } }
            #expect(labels == [.text(""), .null])
        }
    }

    @Test("an entity's rows are exported in the requested order, with columns in any order")
    func order() async throws {
        try await TestBackend.memory.withStore { store in
            let names = "KIND,tags,bestBefore,made,owner,picture,label,price,weight,count,isOpen,id"
            let file = "\(names)\r\n,,,,,,b,,,,,\(Shelf.id(1))\r\n,,,,,,a,,,,,\(Shelf.id(2))\r\n\r\n"
            let counts = try await store.imported(file)
            #expect(counts == [2, 2])
            let byLabel = Shelf.file(Shelf.row(2, "label", "a"), Shelf.row(1, "label", "b"))
            #expect(try await store.exported(sortedBy: [SortKey("label", .ascending)]) == byLabel)
            let byID = Shelf.file(Shelf.row(1, "label", "b"), Shelf.row(2, "label", "a"))
            #expect(try await store.exported() == byID)
        }
    }

    @Test("a header alone holds no rows")
    func nothing() async throws {
        try await TestBackend.memory.withStore { store in
            let counts = try await store.imported(Shelf.header + "\n\n")
            #expect(counts == [0, 0])
            #expect(try await store.exported() == Shelf.file())
        }
    }

    @Test("existing rows are kept, or refuse the file", arguments: TestBackend.available)
    func existing(backend: TestBackend) async throws {
        try await backend.withStore { store in
            try await store.imported(Shelf.file(Shelf.row(1, "label", "old")))
            let file = Shelf.file(Shelf.row(1, "label", "new"), Shelf.row(2, "label", "other"))
            let error = await #expect(throws: StoreError.self) { try await store.imported(file) }
            #expect(error?.code == .unique)
            #expect(try await store.exported() == Shelf.file(Shelf.row(1, "label", "old")))
            #expect(try await store.imported(file, skippingExisting: true) == [2, 1])
            #expect(
                try await store.exported()
                    == Shelf.file(Shelf.row(1, "label", "old"), Shelf.row(2, "label", "other")))
        }
    }
}

@Suite("Faults in a file of an entity")
struct EntityCSVErrorTests {
    @Test(
        "a missing, unknown or repeated column is named before any row is read",
        arguments: [
            (
                Shelf.header.replacing(",count", with: ""), CSVError.Code.wrongColumns,
                "The header lacks count; the columns are: id, isOpen, count, weight, price, label, picture, owner, made, "
                    + "bestBefore, tags, kind."
            ),
            (
                Shelf.header + ",colour", .wrongColumns,
                "The header has 1 columns that Item does not have; the columns are: id, isOpen, count, weight, price, label, "
                    + "picture, owner, made, bestBefore, tags, kind."
            ),
        ])
    func columns(header: String, code: CSVError.Code, message: String) async throws {
        try await TestBackend.memory.withStore { store in
            let error = await #expect(throws: CSVError.self) {
                try await store.imported("\(header)\nrubbish")
            }
            #expect(error?.code == code)
            #expect(error?.message == message)
            #expect(error?.line == 1)
        }
        try await TestBackend.memory.withStore { store in
            let error = await #expect(throws: CSVError.self) {
                try await store.imported(Shelf.header + ",Count\n")
            }
            #expect(error?.code == .duplicateColumn)
        }
    }

    @Test(
        "a cell that is not a value of its attribute is refused by line and column, and nothing is imported",
        arguments: [
            ("isOpen", "yes", 2), ("count", "1.5", 3), ("count", "9223372036854775808", 3),
            ("weight", "heavy", 4), ("weight", "nan", 4), ("price", "1e3x", 5), ("picture", "?", 7),
            ("owner", "Mia", 8), ("made", "yesterday", 9), ("bestBefore", "2025-02-30", 10),
            ("kind", "frozen", 12), ("count", #""""#, 3),
        ])
    func cells(attribute: String, field: String, column: Int) async throws {
        let file = Shelf.file(Shelf.row(1, "label", "\"two\nlines\""), Shelf.row(2, attribute, field))
        for backend in TestBackend.available {
            try await backend.withStore { store in
                let error = await #expect(throws: CSVError.self) { try await store.imported(file) }
                #expect(error?.code == .invalidValue)
                #expect(error?.line == 4)
                #expect(error?.column == column)
                #expect(error?.description.contains(field) != true || field == #""""#)
                let exported = try await store.exported()
                #expect(exported == Shelf.file())
            }
        }
    }

    /// An item whose numbers are narrower than their columns.
    private static let narrow = Entity(
        "Item",
        attributes: [
            Attribute("id", type: .uuid),
            Attribute("int8", type: .int, isOptional: true, domain: Int8.numberDomain),
            Attribute("int16", type: .int, isOptional: true, domain: Int16.numberDomain),
            Attribute("int32", type: .int, isOptional: true, domain: Int32.numberDomain),
            Attribute("uint8", type: .int, isOptional: true, domain: UInt8.numberDomain),
            Attribute("uint16", type: .int, isOptional: true, domain: UInt16.numberDomain),
            Attribute("uint32", type: .int, isOptional: true, domain: UInt32?.numberDomain),
            Attribute("float", type: .double, isOptional: true, domain: Float?.numberDomain),
        ])

    @Test(
        "a number out of its attribute's range is refused by line and column, and nothing is imported",
        arguments: [
            ("300,,,,,,", 2), ("-129,,,,,,", 2), (",32768,,,,,", 3), (",,-2147483649,,,,", 4),
            (",,,-1,,,", 5), (",,,256,,,", 5), (",,,,65536,,", 6), (",,,,,4294967296,", 7),
            (",,,,,,0.1", 8), (",,,,,,16777217", 8), (",,,,,,1e39", 8),
        ])
    func narrowNumbers(fields: String, column: Int) async throws {
        let header = "id,int8,int16,int32,uint8,uint16,uint32,float"
        let kept = "\(header)\n\(Shelf.id(1)),-128,32767,-2147483648,255,65535,4294967295,0.5\n\n"
        for backend in TestBackend.available {
            try await backend.withStore(of: Self.narrow) { store in
                try await store.imported(kept)
                let error = await #expect(throws: CSVError.self) {
                    try await store.imported("\(header)\n\(Shelf.id(2)),,,,,,,\n\(Shelf.id(3)),\(fields)\n\n")
                }
                #expect(error?.code == .invalidValue)
                #expect(error?.line == 3)
                #expect(error?.column == column)
                let value = fields.replacing(",", with: "")
                #expect(error?.description.contains(value) == false)
                let names = header.split(separator: ",")
                #expect(error?.message == "The field does not hold a value that \(names[column - 1]) allows.")
                #expect(try await store.exported() == kept)
            }
        }
    }

    @Test("CSV JSON is stored in canonical form, and invalid JSON is refused by line and column")
    func json() async throws {
        for backend in TestBackend.available {
            try await backend.withStore { store in
                let spaced = #""{ ""b"": 1.50, ""a"": [1e2, ""\u00e9""] }""#
                try await store.imported(Shelf.file(Shelf.row(1, "tags", spaced)))
                let canonical = #""{""a"":[100,""é""],""b"":1.5}""#
                let file = Shelf.file(Shelf.row(1, "tags", canonical))
                #expect(try await store.exported() == file)
                let error = await #expect(throws: CSVError.self) {
                    try await store.imported(Shelf.file(Shelf.row(2), Shelf.row(3, "tags", #""{""a"":}""#)))
                }
                #expect(error?.code == .invalidValue)
                #expect(error?.line == 3)
                #expect(error?.column == 11)
                #expect(try await store.exported() == file)
            }
        }
    }

    @Test("an empty cell of a required attribute is refused by line and column")
    func required() async throws {
        try await TestBackend.memory.withStore { store in
            let error = await #expect(throws: CSVError.self) {
                try await store.imported(Shelf.file(String(repeating: ",", count: 11)))
            }
            #expect(error?.message == "The field is empty, but id needs a value.")
            #expect(error?.line == 2)
            #expect(error?.column == 1)
        }
    }
}
