import Foundation

/// An object of a property list to be written.
indirect enum WrittenObject {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case date(Double)
    case data([UInt8])
    case string(String)
    case uid(Int)
    case array([WrittenObject])
    case dictionary([(String, WrittenObject)])
}

/// Writes binary property lists, of which Foundation cannot write references of archives.
struct PropertyListWriter {
    private var objects: [[UInt8]] = []
    private static let referenceSize = 4

    static func bytes(_ object: WrittenObject) -> [UInt8] {
        var writer = PropertyListWriter()
        let root = writer.add(object)
        var bytes = Array("bplist00".utf8), offsets: [UInt8] = []
        for object in writer.objects {
            offsets += big(bytes.count, 4)
            bytes += object
        }
        let table = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 4, UInt8(referenceSize)]
        return bytes + big(writer.objects.count, 8) + big(root, 8) + big(table, 8)
    }

    private mutating func add(_ object: WrittenObject) -> Int {
        let index = objects.count
        objects.append([])
        objects[index] =
            switch object {
            case .null: [0x00]
            case .bool(let flag): [flag ? 0x09 : 0x08]
            case .integer(let number): [0x13] + Self.big(number, 8)
            case .real(let number): [0x23] + Self.big(Int64(bitPattern: number.bitPattern), 8)
            case .date(let seconds): [0x33] + Self.big(Int64(bitPattern: seconds.bitPattern), 8)
            case .data(let bytes): Self.head(0x40, bytes.count) + bytes
            case .string(let text):
                text.utf8.allSatisfy { $0 < 0x80 }
                    ? Self.head(0x50, text.utf8.count) + text.utf8
                    : Self.head(0x60, text.utf16.count) + text.utf16.flatMap { Self.big(Int($0), 2) }
            case .uid(let number): [0x83] + Self.big(number, 4)
            case .array(let elements):
                Self.head(0xA0, elements.count) + elements.flatMap { Self.big(add($0), Self.referenceSize) }
            case .dictionary(let members):
                Self.head(0xD0, members.count)
                    + members.flatMap { Self.big(add(.string($0.0)), Self.referenceSize) }
                    + members.flatMap { Self.big(add($0.1), Self.referenceSize) }
            }
        return index
    }

    private static func head(_ marker: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [marker | UInt8(count)] : [marker | 0x0F, 0x12] + big(count, 4)
    }

    static func big(_ number: some BinaryInteger, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

/// Writes keyed archives of any classes.
struct ArchiveWriter {
    private var objects: [WrittenObject] = [.string("$null")]
    private var classes: [String: WrittenObject] = [:]

    static let null = WrittenObject.uid(0)

    /// A reference to an object that is written later.
    mutating func reserve() -> WrittenObject { add(.null) }

    /// Adds a plain object.
    mutating func add(_ object: WrittenObject) -> WrittenObject {
        objects.append(object)
        return .uid(objects.count - 1)
    }

    /// Adds an object of a class.
    mutating func add(_ name: String, _ fields: [(String, WrittenObject)]) -> WrittenObject {
        let reference = reserve()
        set(reference, name, fields)
        return reference
    }

    /// Writes the object of a reference.
    mutating func set(_ reference: WrittenObject, _ name: String, _ fields: [(String, WrittenObject)]) {
        guard case .uid(let index) = reference else { return }
        objects[index] = .dictionary(fields + [("$class", self.className(name))])
    }

    mutating func array(_ elements: [WrittenObject]) -> WrittenObject {
        add("NSArray", [("NS.objects", .array(elements))])
    }

    mutating func dictionary(_ members: [(String, WrittenObject)]) -> WrittenObject {
        let keys = members.map { add(.string($0.0)) }
        return add(
            "NSMutableDictionary", [("NS.keys", .array(keys)), ("NS.objects", .array(members.map(\.1)))])
    }

    func bytes(root: WrittenObject) -> [UInt8] {
        PropertyListWriter.bytes(
            .dictionary([
                ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
                ("$top", .dictionary([("root", root)])), ("$objects", .array(objects)),
            ]))
    }

    private mutating func className(_ name: String) -> WrittenObject {
        if let known = classes[name] { return known }
        let reference = add(
            .dictionary([
                ("$classname", .string(name)), ("$classes", .array([.string(name), .string("NSObject")])),
            ]))
        classes[name] = reference
        return reference
    }
}

/// Bytes as raw DEFLATE that is not compressed.
func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var (output, rest) = ([UInt8](), bytes[...])
    repeat {
        let part = rest.prefix(0xFFFF)
        rest = rest.dropFirst(part.count)
        output.append(rest.isEmpty ? 1 : 0)
        let count = UInt16(part.count)
        output += [UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)]
        output += part
    } while !rest.isEmpty
    return output
}
