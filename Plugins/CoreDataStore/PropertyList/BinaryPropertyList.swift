/// The objects of a binary property list (`bplist00`), in the order of its table.
///
/// Objects refer to others by their positions, also in circles: nothing is followed here, and no depth is reached.
struct BinaryPropertyList: Sendable {
    /// An object; the numbers in collections are positions of objects.
    enum Object: Sendable, Hashable {
        case null
        case bool(Bool)
        case integer(Int64)
        case real(Double)
        /// Seconds since 2001-01-01 UTC.
        case date(Double)
        case data([UInt8])
        case string(String)
        /// A reference in a keyed archive, as the archive counts its objects.
        case uid(Int)
        case array([Int])
        case set([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    /// The objects.
    let objects: [Object]
    /// The position of the outermost object.
    let root: Int

    /// Reads a property list.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - mostObjects: The maximum number of objects.
    /// - Throws: If the bytes are damaged or cut short, or have more objects.
    /// - Complexity: O(bytes): objects that share bytes are refused.
    init(_ bytes: [UInt8], mostObjects: Int) throws(UnreadableArchive) {
        var reader = try PropertyListReader(bytes, mostObjects: mostObjects)
        var objects: [Object] = []
        objects.reserveCapacity(reader.count)
        for index in 0..<reader.count { objects.append(try reader.object(at: index)) }
        (self.objects, root) = (objects, reader.root)
    }
}

/// The bytes of a binary property list, whose trailer was read.
private struct PropertyListReader {
    private static let trailerCount = 32
    private static let headerCount = 8

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let table: Int
    let count: Int
    let root: Int
    /// The number of bytes that no object has used yet.
    private var unused: Int

    init(_ bytes: [UInt8], mostObjects: Int) throws(UnreadableArchive) {
        guard bytes.count >= Self.headerCount + Self.trailerCount, bytes.starts(with: "bplist0".utf8) else {
            throw UnreadableArchive("it is not a binary property list")
        }
        let trailer = bytes.count - Self.trailerCount
        self.bytes = bytes
        (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(bytes[(trailer + 8)..<(trailer + 16)]),
            let root = Self.number(bytes[(trailer + 16)..<(trailer + 24)]),
            let table = Self.number(bytes[(trailer + 24)..<(trailer + 32)]), root < count,
            table >= Self.headerCount, table <= trailer, count <= (trailer - table) / offsetSize
        else { throw UnreadableArchive("the property list has a damaged trailer") }
        guard count <= mostObjects else {
            throw UnreadableArchive("the property list has more than \(mostObjects) objects")
        }
        (self.count, self.root, self.table, unused) = (count, root, table, table - Self.headerCount)
    }

    mutating func object(at index: Int) throws(UnreadableArchive) -> BinaryPropertyList.Object {
        let entry = table + index * offsetSize
        guard let offset = Self.number(bytes[entry..<(entry + offsetSize)]), offset >= Self.headerCount,
            offset < table
        else { throw UnreadableArchive("an object of the property list is out of place") }
        var position = offset
        let object = try object(from: &position)
        unused -= position - offset
        guard unused >= 0 else { throw UnreadableArchive("objects of the property list overlap") }
        return object
    }

    private func object(from position: inout Int) throws(UnreadableArchive) -> BinaryPropertyList.Object {
        let marker = try take(1, &position).first ?? 0
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0:
            switch marker {
            case 0x00: return .null
            case 0x08: return .bool(false)
            case 0x09: return .bool(true)
            default: throw Self.unknown
            }
        case 0x1: return .integer(try integer(low, &position))
        case 0x2:
            let words = try take(1 << low, &position)
            switch low {
            case 2: return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: Self.bits(words)))))
            case 3: return .real(Double(bitPattern: Self.bits(words)))
            default: throw Self.unknown
            }
        case 0x3:
            guard low == 3 else { throw Self.unknown }
            return .date(Double(bitPattern: Self.bits(try take(8, &position))))
        case 0x4: return .data(Array(try take(try length(low, &position), &position)))
        case 0x5:
            let text = try take(try length(low, &position), &position)
            guard text.allSatisfy({ $0 < 0x80 }) else { throw Self.badText }
            return .string(String(decoding: text, as: UTF8.self))
        case 0x6: return .string(try utf16(try length(low, &position), &position))
        case 0x7:
            let text = try take(try length(low, &position), &position)
            guard let string = String(validating: text, as: UTF8.self) else { throw Self.badText }
            return .string(string)
        case 0x8:
            guard let uid = Self.number(try take(low + 1, &position)) else { throw Self.unknown }
            return .uid(uid)
        case 0xA: return .array(try references(try length(low, &position), &position))
        case 0xB, 0xC: return .set(try references(try length(low, &position), &position))
        case 0xD:
            let count = try length(low, &position)
            let keys = try references(count, &position)
            return .dictionary(keys: keys, values: try references(count, &position))
        default: throw Self.unknown
        }
    }

    /// Integers of up to 4 bytes are unsigned, longer ones signed.
    private func integer(_ power: Int, _ position: inout Int) throws(UnreadableArchive) -> Int64 {
        guard power <= 4 else { throw Self.unknown }
        let words = try take(1 << power, &position)
        let low = Int64(bitPattern: Self.bits(words.suffix(8)))
        if power == 4 {
            // 128 bits: what an unsigned number above Int64.max takes, which no attribute holds.
            let high = Int64(bitPattern: Self.bits(words.prefix(8)))
            guard high == (low < 0 ? -1 : 0) else {
                throw UnreadableArchive("the property list has an integer of more than 64 bits")
            }
        }
        return low
    }

    private func length(_ low: Int, _ position: inout Int) throws(UnreadableArchive) -> Int {
        guard low == 0x0F else { return low }
        let marker = try take(1, &position).first ?? 0
        guard marker >> 4 == 1, marker & 0x0F <= 3,
            let length = Self.number(try take(1 << Int(marker & 0x0F), &position))
        else { throw UnreadableArchive("the property list has a damaged length") }
        return length
    }

    private func references(_ count: Int, _ position: inout Int) throws(UnreadableArchive) -> [Int] {
        guard count <= (table - position) / referenceSize else { throw Self.end }
        var references: [Int] = []
        references.reserveCapacity(count)
        for _ in 0..<count {
            guard let reference = Self.number(try take(referenceSize, &position)), reference < self.count
            else { throw UnreadableArchive("the property list refers to an object that is missing") }
            references.append(reference)
        }
        return references
    }

    private func utf16(_ count: Int, _ position: inout Int) throws(UnreadableArchive) -> String {
        guard count <= (table - position) / 2 else { throw Self.end }
        let words = try take(2 * count, &position)
        let units = stride(from: words.startIndex, to: words.endIndex, by: 2).map {
            UInt16(words[$0]) << 8 | UInt16(words[$0 + 1])
        }
        guard let string = String(validating: units, as: UTF16.self) else { throw Self.badText }
        return string
    }

    private func take(_ count: Int, _ position: inout Int) throws(UnreadableArchive) -> ArraySlice<UInt8> {
        guard count <= table - position else { throw Self.end }
        position += count
        return bytes[(position - count)..<position]
    }

    /// A number of up to 8 bytes, or of more whose first ones are 0; nil if it is too large.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.dropLast(8).allSatisfy({ $0 == 0 }) else { return nil }
        return Int(exactly: bits(bytes.suffix(8)))
    }

    private static func bits(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static var end: UnreadableArchive { UnreadableArchive("the property list ends too early") }
    private static var unknown: UnreadableArchive {
        UnreadableArchive("the property list has an object of an unknown kind")
    }
    private static var badText: UnreadableArchive {
        UnreadableArchive("the property list has a text in no valid encoding")
    }
}
