internal import Foundation

/// Changes as bytes, as the history keeps them.
///
/// A block begins with the entities whose rows it changes, as they were called at the time. Numbers are LEB128; text and
/// bytes have their length before them.
///
/// ```
/// block     = 0, number of entities, entity…, change…
/// entity    = name, number of attributes, attribute…
/// attribute = name, tag of its type, or that of no type for one that is left out; an entity whose rows are only
///             inserted is written without them
/// change    = entity × 4 + kind, id (16 bytes), [bits of the attributes] (an update), value… (an update or a delete)
/// value     = tag, content
/// ```
///
/// A block that is larger than a blob should be is cut into parts, of which those after the first begin with a 1.
struct ChangeBlocks {
    /// The number of bytes after which a block ends.
    private static let blockBytes = 1 << 17
    /// The maximum number of bytes in a part of a block, far below the limit of a blob.
    private static let partBytes = 1 << 24

    private var done: [Data] = []
    private var headings = BlockWriter()
    private var changes = BlockWriter()
    /// The entities of this block, which are few.
    private var entities: [Heading] = []
    /// The number of changes.
    private(set) var count = 0

    /// An entity as a block names it.
    private struct Heading {
        let entity: Entity
        let hasAttributes: Bool
    }

    /// The blocks, of which there is at least one.
    var all: [Data] { done + parts }

    /// The parts of the block that is being written, usually one.
    private var parts: [Data] {
        var whole = BlockWriter()
        whole.bytes.reserveCapacity(headings.bytes.count + changes.bytes.count + 8)
        whole.bytes.append(BlockPart.first.rawValue)
        whole.write(number: UInt64(entities.count))
        whole.bytes += headings.bytes
        whole.bytes += changes.bytes
        let further = stride(from: Self.partBytes, to: whole.bytes.count, by: Self.partBytes).map { start in
            [BlockPart.further.rawValue] + whole.bytes[start..<min(start + Self.partBytes, whole.bytes.count)]
        }
        return [Data(whole.bytes.prefix(Self.partBytes))] + further.map { Data($0) }
    }

    mutating func append(_ change: RowChange, schema: Schema) throws {
        if changes.bytes.count >= Self.blockBytes {
            done += parts
            (headings, changes, entities) = (BlockWriter(), BlockWriter(), [])
        }
        let hasAttributes = change.kind != .insert
        let position =
            try entities.lastIndex { $0.hasAttributes == hasAttributes && $0.entity.name == change.entity }
            ?? begin(Heading(entity: try schema.require(change.entity), hasAttributes: hasAttributes))
        count += 1
        changes.write(number: UInt64(position) << 2 | change.kind.tag)
        changes.write(change.id)
        switch change.kind {
        case .insert: return
        case .update:
            var bits = [UInt8](repeating: 0, count: (entities[position].entity.attributes.count + 7) / 8)
            for attribute in change.attributes { bits[attribute / 8] |= 1 << (attribute % 8) }
            changes.bytes += bits
        case .delete: break
        }
        for (attribute, value) in zip(change.attributes, change.before) {
            if entities[position].entity.attributes[attribute].history == .whole || value.isNull {
                changes.write(value)
            } else {
                changes.bytes.append(AttributeType.unknownTag)
            }
        }
    }

    private mutating func begin(_ heading: Heading) -> Int {
        let entity = heading.entity
        entities.append(heading)
        let attributes = heading.hasAttributes ? entity.attributes : []
        headings.write(text: entity.name)
        headings.write(number: UInt64(attributes.count))
        for attribute in attributes {
            headings.write(text: attribute.name)
            let isLeftOut = attribute.history == .leftOut
            headings.bytes.append(isLeftOut ? AttributeType.nullTag : attribute.type.tag)
        }
        return entities.count - 1
    }
}

/// What the first byte of a part says.
enum BlockPart: UInt8 {
    /// A block begins here.
    case first
    /// The last block goes on.
    case further
}

/// Writes what a block consists of.
private struct BlockWriter {
    var bytes: [UInt8] = []

    mutating func write(number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Writes a signed number so that small ones are short, whatever their sign.
    mutating func write(signed: Int64) { write(number: UInt64(bitPattern: (signed << 1) ^ (signed >> 63))) }

    mutating func write(text: String) {
        write(number: UInt64(text.utf8.count))
        bytes += text.utf8
    }

    mutating func write(_ id: UUID) { withUnsafeBytes(of: id.uuid) { bytes += $0 } }

    mutating func write(_ value: StoredValue) {
        bytes.append(value.type?.tag ?? AttributeType.nullTag)
        switch value {
        case .null: break
        case .bool(let bool): bytes.append(bool ? 1 : 0)
        case .int(let integer), .timestamp(let integer): write(signed: integer)
        case .double(let double):
            withUnsafeBytes(of: double.bitPattern.littleEndian) { bytes += $0 }
        case .decimal(let decimal): write(text: CanonicalDecimal.text(decimal) ?? decimal.description)
        case .text(let text), .json(let text): write(text: text)
        case .blob(let data):
            write(number: UInt64(data.count))
            bytes += data
        case .uuid(let uuid): write(uuid)
        case .day(let day): write(signed: Int64(day.daysSince1970))
        }
    }
}

/// The entity of changes, as it was at the time of the transaction.
final class ChangedEntity: Sendable {
    let name: String
    let attributes: [String]
    /// The types of the attributes; nil for one that was left out of the history.
    let types: [AttributeType?]

    init(_ name: String, _ attributes: [(String, AttributeType?)]) {
        self.name = name
        self.attributes = attributes.map(\.0)
        types = attributes.map(\.1)
    }
}

/// Reads the changes of a block.
struct BlockReader {
    private let bytes: Data
    private var position: Int
    private(set) var entities: [ChangedEntity] = []

    /// Reads the heading of a block.
    ///
    /// - Throws: `corrupted`.
    init(_ parts: [Data]) throws {
        bytes = parts.dropFirst().reduce(into: parts.first?.dropFirst() ?? Data()) { $0 += $1.dropFirst() }
        position = bytes.startIndex
        for _ in 0..<(try number()) {
            let name = try text()
            var attributes: [(String, AttributeType?)] = []
            for _ in 0..<(try number()) {
                let (attribute, tag) = (try text(), try byte())
                let type = AttributeType(tag: tag)
                guard type != nil || tag == AttributeType.nullTag else { throw StoreError.damagedHistory() }
                attributes.append((attribute, type))
            }
            entities.append(ChangedEntity(name, attributes))
        }
    }

    /// Reads the next change; nil after the last one.
    ///
    /// - Throws: `corrupted`.
    mutating func next() throws -> HistoryChange? {
        guard position < bytes.endIndex else { return nil }
        let head = try number()
        guard let entity = Int(exactly: head >> 2), entities.indices.contains(entity),
            let kind = HistoryChange.Kind(tag: head & 3)
        else { throw StoreError.damagedHistory() }
        let changed = entities[entity]
        let id = try uuid()
        var attributes: [Int] = []
        switch kind {
        case .insert: break
        case .update:
            let bits = try take((changed.attributes.count + 7) / 8)
            attributes = changed.attributes.indices.filter {
                bits[bits.startIndex + $0 / 8] >> ($0 % 8) & 1 == 1
            }
        case .delete: attributes = changed.attributes.indices.filter { changed.types[$0] != nil }
        }
        var before: [StoredValue?] = []
        before.reserveCapacity(attributes.count)
        for attribute in attributes {
            guard let type = changed.types[attribute] else { throw StoreError.damagedHistory() }
            before.append(try value(type))
        }
        return HistoryChange(changed, id: id, kind: kind, attributes: attributes, before: before)
    }

    private mutating func byte() throws -> UInt8 {
        guard position < bytes.endIndex else { throw StoreError.damagedHistory() }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func take(_ count: Int) throws -> Data {
        guard count <= bytes.endIndex - position else { throw StoreError.damagedHistory() }
        defer { position += count }
        return bytes[position..<position + count]
    }

    private mutating func number() throws -> UInt64 {
        var (number, shift) = (0 as UInt64, 0 as UInt64)
        while true {
            let next = try byte()
            guard shift < 63 || shift == 63 && next <= 1 else { throw StoreError.damagedHistory() }
            number |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return number }
            shift += 7
        }
    }

    private mutating func signed() throws -> Int64 {
        let number = try number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    private mutating func content() throws -> Data {
        guard let count = Int(exactly: try number()) else { throw StoreError.damagedHistory() }
        return try take(count)
    }

    private mutating func text() throws -> String {
        guard let text = String(validating: try content(), as: UTF8.self) else {
            throw StoreError.damagedHistory()
        }
        return text
    }

    private mutating func uuid() throws -> UUID {
        UUID(uuid: try take(16).withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// Reads a value; nil for one that is not kept.
    private mutating func value(_ type: AttributeType) throws -> StoredValue? {
        let tag = try byte()
        if tag == AttributeType.nullTag { return .null }
        if tag == AttributeType.unknownTag { return nil }
        guard tag == type.tag else { throw StoreError.damagedHistory() }
        let value: StoredValue? =
            switch type {
            case .bool: .bool(try byte() != 0)
            case .int: .int(try signed())
            case .timestamp: .timestamp(try signed())
            case .double:
                .double(
                    Double(
                        bitPattern: UInt64(
                            littleEndian: try take(8).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })))
            case .decimal: CanonicalDecimal.decimal(try text()).map { .decimal($0) }
            case .text: .text(try text())
            case .json: .json(try text())
            case .blob: .blob(Data(try content()))
            case .uuid: .uuid(try uuid())
            case .day: Int(exactly: try signed()).flatMap { CalendarDay(daysSince1970: $0) }.map { .day($0) }
            }
        guard let value else { throw StoreError.damagedHistory() }
        return value
    }
}

extension AttributeType {
    /// The tag of a missing value.
    fileprivate static let nullTag: UInt8 = 0
    /// The tag of a value that is not kept.
    fileprivate static let unknownTag: UInt8 = 255

    fileprivate var tag: UInt8 {
        switch self {
        case .bool: 1
        case .int: 2
        case .double: 3
        case .decimal: 4
        case .text: 5
        case .blob: 6
        case .uuid: 7
        case .timestamp: 8
        case .day: 9
        case .json: 10
        }
    }

    fileprivate init?(tag: UInt8) {
        guard let type = Self.allCases.first(where: { $0.tag == tag }) else { return nil }
        self = type
    }
}

extension HistoryChange.Kind {
    fileprivate var tag: UInt64 {
        switch self {
        case .insert: 0
        case .update: 1
        case .delete: 2
        }
    }

    fileprivate init?(tag: UInt64) {
        guard let kind = Self.allCases.first(where: { $0.tag == tag }) else { return nil }
        self = kind
    }
}

extension StoreError {
    /// The error of a history that cannot be read.
    static func damagedHistory() -> StoreError {
        StoreError(
            .corrupted, "The store's history cannot be read. Restore the store from a backup.",
            entity: Entity.historyTransaction.name)
    }
}
