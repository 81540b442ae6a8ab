internal import Foundation
internal import SwitchyardCore

/// What a message of the exchange is; its second byte, after the format.
enum MessageKind: UInt8 {
    case exchange = 1
    case rows = 2
    case page = 3
    case rowsPage = 4
    case restart = 5
    case ahead = 6
    case beginAgain = 7

    /// The first byte of every message.
    static let format: UInt8 = 1
    /// How many bytes of a digest end a message.
    static let digestBytes = 8
}

/// Writes a message of the exchange.
///
/// Entities with their attributes are named once, before the content that gives their numbers, so that a schema in which
/// attributes have other positions reads them too. So are texts that recur, such as authors. The end is a digest.
struct MessageWriter {
    private let schema: Schema
    private var content = ByteWriter()
    private var entities: [Entity] = []
    private var entityNumbers: [String: Int] = [:]
    private var texts: [String] = []
    private var textNumbers: [String: Int] = [:]
    /// What times and sequence numbers are told relative to: the last ones.
    private var (time, sequence): (Int64, Int64) = (0, 0)

    init(_ schema: Schema) { self.schema = schema }

    /// The whole message.
    func message(_ kind: MessageKind) -> [UInt8] {
        var message = ByteWriter()
        message.bytes += [MessageKind.format, kind.rawValue]
        message.write(number: UInt64(entities.count))
        for entity in entities {
            message.write(text: entity.name)
            message.write(number: UInt64(entity.attributes.count))
            for attribute in entity.attributes { message.write(text: attribute.name) }
        }
        message.write(number: UInt64(texts.count))
        for text in texts { message.write(text: text) }
        message.bytes += content.bytes
        message.bytes += message.bytes.sha256.prefix(MessageKind.digestBytes)
        return message.bytes
    }

    // MARK: Content

    mutating func write(count: Int) { content.write(number: UInt64(count)) }
    mutating func write(byte: UInt8) { content.bytes.append(byte) }
    mutating func write(_ id: UUID) { content.write(id) }
    mutating func write(_ value: StoredValue?) { content.write(optional: value) }

    mutating func write(time: Int64) {
        content.write(signed: time &- self.time)
        self.time = time
    }

    mutating func write(sequence: Int64) {
        content.write(signed: sequence &- self.sequence)
        self.sequence = sequence
    }

    mutating func write(_ position: HistoryPosition) {
        write(sequence: position.sequence)
        content.bytes += position.digest.data
    }

    mutating func write(optional position: HistoryPosition?) {
        write(byte: position == nil ? 0 : 1)
        if let position { write(position) }
    }

    /// Writes a text that may recur in the message.
    mutating func write(shared text: String?) {
        guard let text else { return write(count: 0) }
        let number = textNumbers[text] ?? texts.count
        if number == texts.count {
            texts.append(text)
            textNumbers[text] = number
        }
        write(count: number + 1)
    }

    /// Writes an entity, and what of four things is told of it.
    ///
    /// - Throws: `schemaMismatch` for an entity that the schema lacks.
    mutating func write(_ name: String, form: UInt8 = 0) throws {
        let number = entityNumbers[name] ?? entities.count
        if number == entities.count {
            entities.append(try schema.require(name))
            entityNumbers[name] = number
        }
        write(count: number << 2 | Int(form))
    }
}
