internal import Foundation
internal import SwitchyardCore

extension Verdict {
    /// The bytes of a verdict's record, which names the rows of an offer.
    func encoded(offers mutation: Mutation, _ schema: Schema) throws -> [UInt8] {
        var bytes = ByteWriter()
        bytes.write(text: kind.rawValue)
        bytes.bytes.append(reason == nil ? 0 : 1)
        if let reason { bytes.write(reason) }
        for case .offer(let key, _, let sequence) in mutation.changes {
            bytes.write(text: key.entity)
            bytes.write(key.id)
            bytes.write(signed: sequence)
        }
        return bytes.bytes
    }

    init(_ id: UUID, _ data: [UInt8]) throws {
        var bytes = ByteReader(data)
        try self.init(id, &bytes)
    }

    private init(_ id: UUID, _ bytes: inout ByteReader) throws {
        guard let kind = Kind(rawValue: try bytes.text()) else { throw StoreError.unreadableMutation }
        self.init(id: id, kind: kind, reason: try bytes.byte() == 0 ? nil : bytes.rejection())
    }

    /// The rows of an offer, each with the number of the lost transaction.
    static func offers(_ data: [UInt8], _ schema: Schema) throws -> [RowKey: Int64] {
        var bytes = ByteReader(data)
        _ = try Verdict(UUIDv7.next(), &bytes)
        var offers: [RowKey: Int64] = [:]
        while !bytes.isAtEnd {
            let entity = try bytes.text()
            offers[RowKey(entity, try bytes.uuid())] = try bytes.signed()
        }
        return offers
    }
}

extension ByteWriter {
    mutating func write(_ reason: Rejection) {
        write(text: reason.code.rawValue)
        write(text: reason.entity)
        write(optional: reason.attribute)
    }
}

extension ByteReader {
    mutating func rejection() throws -> Rejection {
        guard let code = Rejection.Code(rawValue: try text()) else { throw StoreError.unreadableMutation }
        return Rejection(code, try text(), try optionalText())
    }
}

extension Conflict {
    /// The bytes of a conflict's record, with the attributes by name.
    func encoded(_ schema: Schema) throws -> [UInt8] {
        let entity = try schema.require(key.entity)
        var bytes = ByteWriter()
        bytes.write(text: reason.rawValue)
        bytes.write(mutation)
        bytes.write(text: key.entity)
        bytes.write(key.id)
        bytes.write(number: UInt64(values.count))
        for value in values {
            bytes.write(text: entity.attributes[value.attribute].name)
            bytes.write(value.losing)
            bytes.write(optional: value.winning)
        }
        return bytes.bytes
    }

    init(_ data: [UInt8], _ schema: Schema) throws {
        var bytes = ByteReader(data)
        guard let reason = Reason(rawValue: try bytes.text()) else { throw StoreError.unreadableMutation }
        let mutation = try bytes.uuid()
        let entity = try schema.require(try bytes.text())
        let id = try bytes.uuid()
        var values: [Value] = []
        for _ in 0..<(try bytes.number()) {
            let name = try bytes.text()
            let losing = try bytes.optionalValue()
            let winning = try bytes.optionalValue()
            // An attribute that a later version has dropped has nothing to be restored to.
            guard let position = entity.attributes.firstIndex(where: { $0.name == name }), let losing else { continue }
            values.append(Value(position, losing: losing, winning: winning))
        }
        self.init(RowKey(entity.name, id), reason, mutation: mutation, values: values)
    }
}
