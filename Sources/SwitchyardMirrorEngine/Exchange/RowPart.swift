package import Foundation
package import SwitchyardCore

/// A question whether the server has the same rows as a device, in a part of an entity: those whose ids lie between two.
package struct PartRequest: Sendable, Hashable {
    /// The entity's name.
    package let entity: String
    /// The id after which the part begins; nil for the first part.
    package let after: UUID?
    /// The last id of the part; nil for the last part.
    package let upTo: UUID?
    /// The digest of the rows that the server has, as far as the device knows.
    package let digest: RowsSum
    /// The place in the server's history at which it should have them.
    package let cursor: HistoryPosition

    package init(
        entity: String, after: UUID?, upTo: UUID?, digest: RowsSum, cursor: HistoryPosition
    ) {
        (self.entity, self.after, self.upTo) = (entity, after, upTo)
        (self.digest, self.cursor) = (digest, cursor)
    }
}

/// What the server answers to it.
package enum PartAnswer: Sendable, Hashable {
    /// It has the same rows.
    case equal
    /// It is at another place of its history, so that rows may differ. The device exchanges first.
    case elsewhere
    /// It has others: all rows of the part up to an id, nil for the end of the entity. Not every row has to be another.
    case rows([RowPatch], upTo: UUID?)
}

/// A digest of rows in the order of their ids: the first 16 bytes of SHA-256.
package struct RowsSum: Sendable, Hashable {
    static let count = 16
    let bytes: [UInt8]

    /// The digest of whole rows.
    package init(of rows: some Sequence<[StoredValue]>) {
        var content = ByteWriter()
        for row in rows { for value in row { content.write(value) } }
        bytes = Array(content.bytes.sha256.prefix(Self.count))
    }

    init(_ bytes: [UInt8]) { self.bytes = bytes }
}

extension PartRequest {
    /// The message.
    package func encoded(_ schema: Schema) -> [UInt8] {
        Message.encoded(.part, schema) { bytes in
            bytes.write(text: entity)
            bytes.write(optional: after)
            bytes.write(optional: upTo)
            bytes.bytes += digest.bytes
            bytes.write(cursor)
        }
    }

    /// Reads a message.
    ///
    /// - Throws: `corrupted` for anything else; `schemaMismatch` if it speaks of another schema.
    package init(_ message: [UInt8], _ schema: Schema) throws {
        self = try Message.read(message, schema) { kind, bytes in
            guard kind == .part else { throw StoreError.unreadableMessage }
            return PartRequest(
                entity: try schema.require(try bytes.text()).name, after: try bytes.optionalID(),
                upTo: try bytes.optionalID(), digest: RowsSum(Array(try bytes.take(RowsSum.count))),
                cursor: try bytes.position())
        }
    }
}

extension PartAnswer {
    /// The message.
    package func encoded(_ schema: Schema) -> [UInt8] {
        Message.encoded(.partAnswer, schema) { bytes in
            switch self {
            case .equal: bytes.bytes.append(0)
            case .elsewhere: bytes.bytes.append(1)
            case .rows(let rows, let end):
                bytes.bytes.append(2)
                bytes.write(optional: end)
                RowPatch.write(rows, to: &bytes)
            }
        }
    }

    /// Reads a message.
    ///
    /// - Throws: `corrupted` for anything else; `schemaMismatch` if it speaks of another schema.
    package init(_ message: [UInt8], _ schema: Schema) throws {
        self = try Message.read(message, schema) { kind, bytes in
            guard kind == .partAnswer else { throw StoreError.unreadableMessage }
            switch try bytes.byte() {
            case 0: return .equal
            case 1: return .elsewhere
            case 2:
                let end = try bytes.optionalID()
                let rows = try RowPatch.rows(from: &bytes, schema)
                for row in rows { try StoredValue.requireCanonical(row.values ?? []) }
                return .rows(rows, upTo: end)
            default: throw StoreError.unreadableMessage
            }
        }
    }

    /// Checks that the rows are such as the part that was asked for can have, whoever has sent them.
    ///
    /// - Throws: `corrupted` if they are not.
    package func requireFit(_ request: PartRequest, _ schema: Schema) throws {
        guard case .rows(let rows, let end) = self else { return }
        try ExchangeAnswer.requireFit(rows, schema)
        let ids = rows.map(\.key.id)
        let places = [request.after].compactMap(\.self) + ids
        let areWhole = rows.allSatisfy { $0.key.entity == request.entity && $0.values != nil && !$0.isPart }
        let areOrdered = zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
        var isEnd = request.upTo == nil
        if let end {
            isEnd = (ids.last.map { $0 <= end } ?? true) && (request.upTo.map { end <= $0 } ?? true)
            if let after = request.after { isEnd = isEnd && after < end }
        }
        guard areWhole, areOrdered, isEnd
        else {
            throw StoreError(
                .corrupted,
                "The server has answered with other rows than it was asked for; nothing was changed.",
                entity: request.entity)
        }
    }
}

extension ByteWriter {
    fileprivate mutating func write(optional id: UUID?) {
        bytes.append(id == nil ? 0 : 1)
        if let id { write(id) }
    }
}

extension ByteReader {
    fileprivate mutating func optionalID() throws -> UUID? { try byte() == 0 ? nil : uuid() }
}
