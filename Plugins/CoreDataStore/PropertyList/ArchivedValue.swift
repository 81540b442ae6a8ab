internal import Foundation
internal import SwitchyardCore

/// A value of a keyed archive, of the classes that secure archives of property lists have.
indirect enum ArchivedValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case decimal(Decimal)
    case text(String)
    /// Seconds since 2001-01-01 UTC.
    case date(Double)
    case data(Data)
    case uuid(UUID)
    case array([ArchivedValue])
    case set([ArchivedValue])
    case dictionary([String: ArchivedValue])
}

extension ArchivedValue {
    /// The deepest nesting of collections.
    private static let mostDepth = 32
    /// The most values, counted as often as they are referred to.
    static let mostValues = 100_000

    /// Reads an archive.
    ///
    /// - Throws: If it is damaged, too large, or has an object of another class.
    init(archive bytes: [UInt8]) throws(UnreadableArchive) {
        let archive = try KeyedArchive(bytes, mostObjects: Self.mostValues)
        var left = Self.mostValues
        try self.init(archive.root, of: archive, &left)
    }

    /// Reads an archived object.
    ///
    /// - Parameters:
    ///   - object: The object, or a reference to it.
    ///   - archive: The archive.
    ///   - left: The number of values that may be read, which is lowered by those that were.
    /// - Throws: As `init(archive:)`.
    init(
        _ object: KeyedArchive.Object, of archive: KeyedArchive, _ left: inout Int
    ) throws(UnreadableArchive) {
        self = try Self.value(object, archive, depth: 0, &left)
    }

    private static func value(
        _ reference: KeyedArchive.Object, _ archive: KeyedArchive, depth: Int, _ left: inout Int
    ) throws(UnreadableArchive) -> ArchivedValue {
        left -= 1
        guard depth <= mostDepth, left >= 0 else {
            throw UnreadableArchive("the archive nests too deeply or has too many values")
        }
        guard let object = try archive.resolved(reference) else { return .null }
        switch object {
        case .null, .uid: return .null
        case .bool(let flag): return .bool(flag)
        case .integer(let number): return .integer(number)
        case .real(let number): return .real(number)
        case .date(let seconds): return .date(seconds)
        case .data(let bytes): return .data(Data(bytes))
        case .string(let text): return .text(text)
        case .array, .set: throw UnreadableArchive("the archive has a collection without a class")
        case .dictionary: break
        }
        let name = try archive.className(of: object) ?? ""
        switch name {
        case "NSString", "NSMutableString":
            if let text = try archive.text(object) { return .text(text) }
        case "NSDate":
            switch try archive.field("NS.time", of: object) {
            case .real(let seconds)?: return .date(seconds)
            case .integer(let seconds)?: return .date(Double(seconds))
            default: break
            }
        case "NSData", "NSMutableData":
            if case .data(let bytes)? = try archive.field("NS.data", of: object) { return .data(Data(bytes)) }
        case "NSUUID":
            if case .data(let bytes)? = try archive.field("NS.uuidbytes", of: object), bytes.count == 16 {
                return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
            }
        case "NSURL":
            // A relative one has a base, and needs both.
            if try archive.field("NS.base", of: object) == nil,
                let text = try archive.text("NS.relative", of: object)
            {
                return .text(text)
            }
        // Which of the two names an archive has is up to the system that wrote it.
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder":
            if let number = try decimal(object, archive) { return .decimal(number) }
        case "NSNull": return .null
        case "NSArray", "NSMutableArray":
            if let elements = try archive.elements("NS.objects", of: object) {
                return .array(try values(elements, archive, depth: depth, &left))
            }
        case "NSSet", "NSMutableSet":
            if let elements = try archive.elements("NS.objects", of: object) {
                return .set(try values(elements, archive, depth: depth, &left))
            }
        case "NSDictionary", "NSMutableDictionary":
            if let keys = try archive.elements("NS.keys", of: object),
                let elements = try archive.elements("NS.objects", of: object), keys.count == elements.count
            {
                var members: [String: ArchivedValue] = [:]
                let elements = try values(elements, archive, depth: depth, &left)
                for (key, element) in zip(keys, elements) {
                    guard let name = try archive.text(key), members.updateValue(element, forKey: name) == nil
                    else { throw UnreadableArchive("the archive has a dictionary whose keys are no texts") }
                }
                return .dictionary(members)
            }
        default:
            throw UnreadableArchive("the archive has an object of another class than property lists have")
        }
        throw UnreadableArchive("the archive has a damaged object")
    }

    /// An archived decimal: up to 8 digits to the base 65,536, the lowest first, times a power of ten.
    ///
    /// - Returns: Nil for what is no number, or has more digits than a store holds.
    private static func decimal(
        _ object: KeyedArchive.Object, _ archive: KeyedArchive
    ) throws(UnreadableArchive) -> Decimal? {
        guard let exponent = try archive.integer("NS.exponent", of: object), (-128...127).contains(exponent),
            let length = try archive.integer("NS.length", of: object), (0...8).contains(length),
            case .data(let bytes)? = try archive.field("NS.mantissa", of: object), bytes.count == 16
        else { return nil }
        let isNegative = try archive.integer("NS.negative", of: object) == 1
        // Without a byte order of its own, it has that of all Apple systems.
        let isBigEndian = try archive.integer("NS.mantissa.bo", of: object) == 2
        var significand = Decimal(0)
        for index in (0..<Int(length)).reversed() {
            let pair = (Int(bytes[2 * index]), Int(bytes[2 * index + 1]))
            significand =
                significand * 65_536 + Decimal(isBigEndian ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0)
        }
        // A zero with a sign is what stands for no number.
        guard significand != 0 else { return isNegative ? nil : 0 }
        let number = Decimal(
            sign: isNegative ? .minus : .plus, exponent: Int(exponent), significand: significand)
        return CanonicalDecimal.text(number) == nil ? nil : number
    }

    private static func values(
        _ elements: [KeyedArchive.Object], _ archive: KeyedArchive, depth: Int, _ left: inout Int
    ) throws(UnreadableArchive) -> [ArchivedValue] {
        // Before an array of that length is made.
        guard elements.count <= left else {
            throw UnreadableArchive("the archive nests too deeply or has too many values")
        }
        var values: [ArchivedValue] = []
        for element in elements { values.append(try value(element, archive, depth: depth + 1, &left)) }
        return values
    }
}
