import Foundation
import Testing

@testable import CoreDataStore

@Suite("Binary property lists and keyed archives")
struct PropertyListTests {
    private static func archive(_ value: Any) throws -> [UInt8] {
        [UInt8](try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false))
    }

    @Test("a property list that Foundation has written is read with all kinds of values")
    func foundation() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1.5)
        let long = String(repeating: "ü", count: 20)
        let value: [String: Any] = [
            "text": "a", "long": long, "small": 7, "large": 1 << 40, "negative": -1, "real": 0.25,
            "yes": true,
            "date": date, "data": Data([1, 2]), "list": [1, 2],
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
        let list = try BinaryPropertyList([UInt8](data), mostObjects: 100)
        guard case .dictionary(let keys, let values) = list.objects[list.root] else {
            return #expect(Bool(false), "no dictionary")
        }
        var found: [String: BinaryPropertyList.Object] = [:]
        for (key, value) in zip(keys, values) {
            if case .string(let name) = list.objects[key] { found[name] = list.objects[value] }
        }
        #expect(found["text"] == .string("a") && found["long"] == .string(long))
        #expect(found["small"] == .integer(7) && found["large"] == .integer(1_099_511_627_776))
        #expect(found["negative"] == .integer(-1) && found["real"] == .real(0.25))
        #expect(found["yes"] == .bool(true) && found["date"] == .date(1.5) && found["data"] == .data([1, 2]))
        guard case .array(let list2)? = found["list"] else { return #expect(Bool(false), "no array") }
        #expect(list2.map { list.objects[$0] } == [.integer(1), .integer(2)])
    }

    @Test("archives of strings, numbers, dates, data and collections become JSON that models read again")
    func archives() throws {
        func json(_ value: Any) throws -> String? { try ArchivedValue(archive: Self.archive(value)).json }
        #expect(try json(["a", "b\"ü"]) == "[\"a\",\"b\\\"ü\"]")
        #expect(try json(NSString("x")) == "\"x\"")
        #expect(try json(NSNumber(value: 5)) == "5")
        #expect(try json([Date(timeIntervalSinceReferenceDate: 12.5)]) == "[12.5]")
        #expect(try json(["n": 1, "l": [2, 0.5]] as [String: Any]) == #"{"l":[2,0.5],"n":1}"#)
        #expect(try json(NSSet(array: ["b", "a"])) == #"["a","b"]"#)
        #expect(try json([Data([255])]) == #"["/w=="]"#)
        let id = UUID(uuidString: "67CDC6A1-EB91-557C-8AC3-2B055FEF7E5D")
        #expect(try json([try #require(id) as NSUUID]) == #"["67CDC6A1-EB91-557C-8AC3-2B055FEF7E5D"]"#)
    }

    @Test(
        "archived decimals have all of their digits, in either byte order",
        arguments: [
            (
                false, [62286, 56888, 36944, 50249, 13075, 61442, 45302, 2377], 0,
                "12345678901234567890123456789012345678"
            ),
            (true, [12_345], -3, "12.345"), (false, [1], 5, "100000"), (false, [], 0, "0"),
        ] as [(Bool, [UInt16], Int64, String)])
    func decimals(isBig: Bool, digits: [UInt16], exponent: Int64, text: String) throws {
        for name in ["NSDecimalNumber", "NSDecimalNumberPlaceholder"] {
            var writer = ArchiveWriter()
            let bytes = digits.flatMap { digit -> [UInt8] in
                let bytes = [UInt8(digit >> 8), UInt8(digit & 0xFF)]
                return isBig ? bytes : bytes.reversed()
            }
            let root = writer.add(
                name,
                [
                    ("NS.exponent", .integer(exponent)), ("NS.length", .integer(Int64(digits.count))),
                    ("NS.negative", .bool(false)), ("NS.mantissa.bo", .integer(isBig ? 2 : 1)),
                    ("NS.mantissa", .data(bytes + [UInt8](repeating: 0, count: 16 - bytes.count))),
                ])
            let value = try ArchivedValue(archive: writer.bytes(root: root))
            #expect(value == .decimal(try #require(Decimal(string: text))))
            #expect(value.json == text)
        }
    }

    @Test(
        "an archived decimal that is no number, or is damaged, is refused",
        arguments: [(Int64(0), Int64(0), 16), (0, 9, 16), (0, 1, 15), (1_000, 1, 16), (127, 8, 16)])
    func noDecimals(exponent: Int64, length: Int64, count: Int) throws {
        var writer = ArchiveWriter()
        let root = writer.add(
            "NSDecimalNumber",
            [
                ("NS.exponent", .integer(exponent)), ("NS.length", .integer(length)),
                ("NS.negative", .bool(true)), ("NS.mantissa", .data([UInt8](repeating: 1, count: count))),
            ])
        #expect(throws: UnreadableArchive("the archive has a damaged object")) {
            try ArchivedValue(archive: writer.bytes(root: root))
        }
    }

    @Test("an archive with an object of another class is refused")
    func otherClass() throws {
        var writer = ArchiveWriter()
        let root = writer.add("EvilPayload", [("NS.objects", .array([]))])
        #expect(
            throws: UnreadableArchive("the archive has an object of another class than property lists have")
        ) {
            try ArchivedValue(archive: writer.bytes(root: root))
        }
    }

    @Test("an archive that contains itself, and one that doubles at each level, are refused")
    func circles() throws {
        var circle = ArchiveWriter()
        let root = circle.reserve()
        circle.set(root, "NSArray", [("NS.objects", .array([root]))])
        #expect(throws: UnreadableArchive.self) { try ArchivedValue(archive: circle.bytes(root: root)) }
        var bomb = ArchiveWriter()
        var level = bomb.add(.string("lol"))
        for _ in 0..<30 { level = bomb.array([WrittenObject](repeating: level, count: 10)) }
        #expect(throws: UnreadableArchive.self) { try ArchivedValue(archive: bomb.bytes(root: level)) }
    }

    @Test("a reference to a missing object is refused, and so is one to a reference")
    func missing() {
        var writer = ArchiveWriter()
        let root = writer.array([.uid(99)])
        #expect(throws: UnreadableArchive("the archive refers to an object that is missing")) {
            try ArchivedValue(archive: writer.bytes(root: root))
        }
        var chain = ArchiveWriter()
        let link = chain.add(.uid(0))
        #expect(throws: UnreadableArchive.self) { try ArchivedValue(archive: chain.bytes(root: link)) }
    }

    @Test("a property list whose objects share bytes, are out of place or too many is refused")
    func damaged() throws {
        let bytes = PropertyListWriter.bytes(
            .array([.array([WrittenObject](repeating: .null, count: 40)), .string("x")]))
        #expect(throws: UnreadableArchive("the property list has more than 10 objects")) {
            try BinaryPropertyList(bytes, mostObjects: 10)
        }
        // All offsets lead to the long array.
        var shared = bytes
        let table = bytes.count - 32 - 43 * 4
        for index in 0..<43 {
            shared.replaceSubrange((table + 4 * index)..<(table + 4 * index + 4), with: [0, 0, 0, 17])
        }
        #expect(throws: UnreadableArchive.self) { try BinaryPropertyList(shared, mostObjects: 100) }
        var far = bytes
        far.replaceSubrange(table..<(table + 4), with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: UnreadableArchive("an object of the property list is out of place")) {
            try BinaryPropertyList(far, mostObjects: 100)
        }
        #expect(throws: UnreadableArchive("it is not a binary property list")) {
            try BinaryPropertyList(
                Array("<?xml version=\"1.0\"?><plist></plist>                    ".utf8), mostObjects: 9)
        }
    }

    @Test("a property list that is cut short anywhere is refused")
    func truncated() throws {
        let bytes = try Self.archive(["a": [1, 2], "b": [Date(), Data([1])]] as [String: Any])
        for count in bytes.indices {
            #expect(throws: UnreadableArchive.self) { try ArchivedValue(archive: Array(bytes[..<count])) }
        }
    }
}
