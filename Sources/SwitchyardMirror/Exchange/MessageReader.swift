internal import Foundation
internal import SwitchyardCore

/// Reads a message of the exchange, which anybody may have written.
///
/// Nothing is allocated by a count before what is counted was read.
struct MessageReader {
    /// An entity as the message names it.
    struct NamedEntity {
        let entity: Entity
        /// The positions of the attributes that the message names, in its order; the first is the id's.
        let positions: [Int]

        /// The position of an attribute by its number in the message.
        ///
        /// - Throws: `corrupted` for a number that none has, and for the id, which never changes.
        func position(_ number: Int) throws -> Int {
            guard number > 0, positions.indices.contains(number) else { throw StoreError.unreadableMessage }
            return positions[number]
        }
    }

    let kind: MessageKind
    private var bytes: ByteReader
    private var entities: [NamedEntity] = []
    private var texts: [String] = []
    private var (time, sequence): (Int64, Int64) = (0, 0)

    /// Reads a message whole.
    ///
    /// - Throws: `corrupted` if it was cut off or altered, or its content is none; `schemaMismatch` for an entity or an
    ///   attribute that the schema lacks, and for a newer format.
    static func read<Message>(
        _ message: [UInt8], _ schema: Schema, _ content: (inout MessageReader) throws -> Message
    ) throws -> Message {
        do {
            var reader = try MessageReader(message, schema)
            let content = try content(&reader)
            guard reader.bytes.isAtEnd else { throw StoreError.unreadableMessage }
            return content
        } catch let error as StoreError where error.code == .corrupted {
            throw StoreError.unreadableMessage
        }
    }

    private init(_ message: [UInt8], _ schema: Schema) throws {
        let digest = message.suffix(MessageKind.digestBytes)
        let content = Array(message.dropLast(MessageKind.digestBytes))
        guard content.sha256.prefix(MessageKind.digestBytes).elementsEqual(digest) else {
            throw StoreError.unreadableMessage
        }
        bytes = ByteReader(content)
        guard try bytes.byte() == MessageKind.format else { throw StoreError.newerMessage }
        guard let kind = MessageKind(rawValue: try bytes.byte()) else { throw StoreError.unreadableMessage }
        self.kind = kind
        for _ in 0..<(try bytes.number()) { entities.append(try Self.entity(&bytes, schema)) }
        for _ in 0..<(try bytes.number()) { texts.append(try bytes.text()) }
    }

    private static func entity(_ bytes: inout ByteReader, _ schema: Schema) throws -> NamedEntity {
        let entity = try schema.require(try bytes.text())
        var positions: [Int] = []
        for _ in 0..<(try bytes.number()) {
            let name = try bytes.text()
            guard let position = entity.attributes.firstIndex(where: { $0.name == name }) else {
                throw StoreError(
                    .schemaMismatch,
                    "A message names the attribute `\(name)`, which the store does not have. Update the app.",
                    entity: entity.name, attribute: name)
            }
            guard !positions.contains(position) else { throw StoreError.unreadableMessage }
            positions.append(position)
        }
        guard positions.first == 0 else { throw StoreError.unreadableMessage }
        return NamedEntity(entity: entity, positions: positions)
    }

    // MARK: Content

    mutating func count() throws -> UInt64 { try bytes.number() }
    mutating func byte() throws -> UInt8 { try bytes.byte() }
    mutating func uuid() throws -> UUID { try bytes.uuid() }

    /// Reads a value, or nil for one that is not kept.
    ///
    /// - Throws: `corrupted`, also for a value that no attribute holds, such as NaN.
    mutating func optionalValue() throws -> StoredValue? {
        guard let value = try bytes.optionalValue() else { return nil }
        guard (try? value.isCanonical()) == true else { throw StoreError.unreadableMessage }
        return value
    }

    mutating func value() throws -> StoredValue {
        guard let value = try optionalValue() else { throw StoreError.unreadableMessage }
        return value
    }

    mutating func flag() throws -> Bool {
        switch try bytes.byte() {
        case 0: false
        case 1: true
        default: throw StoreError.unreadableMessage
        }
    }

    mutating func nextTime() throws -> Int64 {
        time &+= try bytes.signed()
        return time
    }

    mutating func nextSequence() throws -> Int64 {
        sequence &+= try bytes.signed()
        guard (0...HistorySettings.greatest.sequence).contains(sequence) else {
            throw StoreError.unreadableMessage
        }
        return sequence
    }

    mutating func position() throws -> HistoryPosition {
        let sequence = try nextSequence()
        guard let digest = HistoryDigest(Data(try bytes.take(16))) else { throw StoreError.unreadableMessage }
        return HistoryPosition(sequence: sequence, digest: digest)
    }

    mutating func optionalPosition() throws -> HistoryPosition? { try flag() ? position() : nil }

    /// Reads a text that may recur in the message.
    mutating func sharedText() throws -> String? {
        guard let number = Int(exactly: try bytes.number()) else { throw StoreError.unreadableMessage }
        if number == 0 { return nil }
        guard texts.indices.contains(number - 1) else { throw StoreError.unreadableMessage }
        return texts[number - 1]
    }

    /// Reads an entity, and what is told of it.
    mutating func entity() throws -> (entity: NamedEntity, form: UInt8) {
        let number = try bytes.number()
        guard let index = Int(exactly: number >> 2), entities.indices.contains(index) else {
            throw StoreError.unreadableMessage
        }
        return (entities[index], UInt8(number & 3))
    }

    /// Reads a number of an attribute.
    mutating func attribute(of entity: NamedEntity) throws -> Int {
        guard let number = Int(exactly: try bytes.number()) else { throw StoreError.unreadableMessage }
        return try entity.position(number)
    }

    /// Reads the key of a row, and what is told of it.
    mutating func key() throws -> (key: RowKey, entity: NamedEntity, form: UInt8) {
        let (entity, form) = try entity()
        return (RowKey(entity.entity.name, try uuid()), entity, form)
    }

    /// Reads the values of a row but the id; those of attributes that the message does not name are their defaults.
    mutating func values(_ id: UUID, of entity: NamedEntity) throws -> [StoredValue?] {
        var values: [StoredValue?] = entity.entity.attributes.map {
            $0.defaultValue ?? ($0.isOptional ? .null : StoredValue?.none)
        }
        values[0] = .uuid(id)
        for position in entity.positions.dropFirst() { values[position] = try optionalValue() }
        return values
    }

    /// Reads the values of a whole row.
    mutating func row(_ id: UUID, of entity: NamedEntity) throws -> [StoredValue] {
        try values(id, of: entity).map {
            guard let value = $0 else { throw StoreError.unreadableMessage }
            return value
        }
    }
}

extension StoreError {
    static var unreadableMessage: StoreError {
        StoreError(
            .corrupted,
            "A message of the mirror was cut off or altered on its way. It is sent again; nothing was changed."
        )
    }

    fileprivate static var newerMessage: StoreError {
        StoreError(
            .schemaMismatch,
            "A message of the mirror has a format that this version does not read. Update the app; nothing was changed."
        )
    }
}
