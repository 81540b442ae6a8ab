package import Foundation

/// Changes as bytes, as the history keeps them.
///
/// A block begins with the entities whose rows it changes, by their names at the time. Numbers are LEB128;
/// text and bytes are preceded by their length.
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
/// A block that exceeds the size of a blob is cut into parts; those after the first begin with a 1.
struct ChangeBlocks {
    /// The number of bytes after which a block ends.
    private static let blockBytes = 1 << 17
    /// The number of bytes that are enough for a small write.
    private static let fewBytes = 1 << 7
    /// The maximum number of bytes in a part of a block, far below the limit of a blob.
    private static let partBytes = 1 << 24

    private var headings = ByteWriter()
    private var changes = ByteWriter()
    /// The entities of this block, which are few.
    private var entities: [Heading] = []
    /// The number of changes.
    private(set) var count = 0

    /// An entity as a block names it.
    private struct Heading {
        let entity: String
        let hasAttributes: Bool
        /// Whether the values of each attribute are kept; none for rows that are only inserted.
        let keepsValues: [Bool]
    }

    /// The parts of the block that is being written, usually one.
    var parts: [[UInt8]] {
        var whole = ByteWriter()
        whole.bytes.reserveCapacity(headings.bytes.count + changes.bytes.count + 8)
        whole.bytes.append(BlockPart.first.rawValue)
        whole.write(number: UInt64(entities.count))
        whole.bytes += headings.bytes
        whole.bytes += changes.bytes
        guard whole.bytes.count > Self.partBytes else { return [whole.bytes] }
        let further = stride(from: Self.partBytes, to: whole.bytes.count, by: Self.partBytes).map { start in
            [BlockPart.further.rawValue] + whole.bytes[start..<min(start + Self.partBytes, whole.bytes.count)]
        }
        return [Array(whole.bytes.prefix(Self.partBytes))] + further
    }

    /// Adds a change, and first gives the parts of a block that is large enough, after which another one begins.
    mutating func append(_ change: RowChange, schema: Schema, full: ([[UInt8]]) throws -> Void) throws {
        if changes.bytes.count >= Self.blockBytes {
            try full(parts)
            (headings, changes, entities) = (ByteWriter(), ByteWriter(), [])
        }
        let hasAttributes = change.kind != .insert
        let position =
            try entities.lastIndex { $0.hasAttributes == hasAttributes && $0.entity == change.entity }
            ?? begin(try schema.require(change.entity), hasAttributes: hasAttributes)
        let keepsValues = entities[position].keepsValues
        count += 1
        changes.write(number: UInt64(position) << 2 | change.kind.tag)
        changes.write(change.id)
        switch change.kind {
        case .insert: return
        case .update:
            let start = changes.bytes.count
            for _ in 0..<(keepsValues.count + 7) / 8 { changes.bytes.append(0) }
            for attribute in change.attributes {
                changes.bytes[start + attribute / 8] |= 1 << (attribute % 8)
            }
        case .delete: break
        }
        for (attribute, value) in zip(change.attributes, change.before) {
            if keepsValues[attribute] || value.isNull {
                changes.write(value)
            } else {
                changes.bytes.append(AttributeType.unknownTag)
            }
        }
    }

    private mutating func begin(_ entity: Entity, hasAttributes: Bool) -> Int {
        entities.append(
            Heading(
                entity: entity.name, hasAttributes: hasAttributes,
                keepsValues: hasAttributes ? entity.attributes.map { $0.history == .whole } : []))
        // Most writes change a row or two, and their bytes are not to grow byte by byte.
        headings.bytes.reserveCapacity(headings.bytes.count + Self.fewBytes)
        changes.bytes.reserveCapacity(changes.bytes.count + Self.fewBytes)
        let attributes = hasAttributes ? entity.attributes : []
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

/// The meaning of a part's first byte.
enum BlockPart: UInt8 {
    /// A block begins here.
    case first
    /// A continuation of the last block.
    case further
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
package struct BlockReader {
    private var bytes: ByteReader
    private(set) var entities: [ChangedEntity] = []

    /// The names of the entities in the heading of a block, if the part is the first one of a block.
    ///
    /// - Throws: `corrupted`.
    package static func entities(ofPart part: Data) throws -> [String] {
        guard part.first == BlockPart.first.rawValue else { return [] }
        return try BlockReader([part]).entities.map(\.name)
    }

    /// Reads the heading of a block.
    ///
    /// - Throws: `corrupted`.
    init(_ parts: [Data]) throws {
        bytes = ByteReader(parts.reduce(into: []) { $0 += $1.dropFirst() })
        for _ in 0..<(try bytes.number()) {
            let name = try bytes.text()
            var attributes: [(String, AttributeType?)] = []
            for _ in 0..<(try bytes.number()) {
                let (attribute, tag) = (try bytes.text(), try bytes.byte())
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
        guard !bytes.isAtEnd else { return nil }
        let head = try bytes.number()
        guard let entity = Int(exactly: head >> 2), entities.indices.contains(entity),
            let kind = HistoryChange.Kind(tag: head & 3)
        else { throw StoreError.damagedHistory() }
        let changed = entities[entity]
        let id = try bytes.uuid()
        var attributes: [Int] = []
        switch kind {
        case .insert: break
        case .update:
            let bits = try bytes.take((changed.attributes.count + 7) / 8)
            attributes = changed.attributes.indices.filter {
                bits[bits.startIndex + $0 / 8] >> ($0 % 8) & 1 == 1
            }
        case .delete: attributes = changed.attributes.indices.filter { changed.types[$0] != nil }
        }
        var before: [StoredValue?] = []
        before.reserveCapacity(attributes.count)
        for attribute in attributes {
            guard let type = changed.types[attribute] else { throw StoreError.damagedHistory() }
            before.append(try bytes.value(type))
        }
        return HistoryChange(changed, id: id, kind: kind, attributes: attributes, before: before)
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
    package static func damagedHistory() -> StoreError {
        StoreError(
            .corrupted, "The store's history cannot be read. Restore the store from a backup.",
            entity: Entity.historyTransaction.name)
    }
}
