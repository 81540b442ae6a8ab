package import Foundation
package import SwitchyardCore

extension Verdict {
    /// The bytes of a verdict's record.
    ///
    /// They tell when the edit was made, which the history's order of times can hide, and which rows it has offered.
    package func encoded(on mutation: Mutation, now: Int64) -> [UInt8] {
        var bytes = ByteWriter()
        bytes.write(signed: min(mutation.time, now))
        bytes.bytes.append(mutation.time > now ? 1 : 0)
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

    package init(_ id: UUID, _ data: [UInt8]) throws {
        let note = try VerdictNote(data)
        self.init(id: id, kind: note.kind, reason: note.reason)
    }
}

/// A verdict's record.
package struct VerdictNote {
    /// When the edit was made, in microseconds since 1970.
    package let time: Int64
    /// Whether it claimed a time to come.
    package let isFromFuture: Bool
    package let kind: Verdict.Kind
    package let reason: Rejection?
    /// The rows that were offered, each with the number of the lost transaction.
    package let offers: [RowKey: Int64]

    package init(_ data: [UInt8]) throws {
        var bytes = ByteReader(data)
        time = try bytes.signed()
        isFromFuture = try bytes.byte() != 0
        guard let kind = Verdict.Kind(rawValue: try bytes.text()) else { throw StoreError.unreadableMutation }
        self.kind = kind
        reason = try bytes.byte() == 0 ? nil : bytes.rejection()
        var offers: [RowKey: Int64] = [:]
        while !bytes.isAtEnd {
            let entity = try bytes.text()
            offers[RowKey(entity, try bytes.uuid())] = try bytes.signed()
        }
        self.offers = offers
    }

    /// Whether the record is of no use once the device has stored the verdict.
    ///
    /// The record of what was carried out tells later merges when the edit was made, and stays as long as the history.
    package var canBeForgotten: Bool { kind == .rejected && !isFromFuture }
}

extension ByteWriter {
    package mutating func write(_ reason: Rejection) {
        write(text: reason.code.rawValue)
        write(text: reason.entity)
        write(optional: reason.attribute)
    }
}

extension ByteReader {
    package mutating func rejection() throws -> Rejection {
        guard let code = Rejection.Code(rawValue: try text()) else { throw StoreError.unreadableMutation }
        return Rejection(code, try text(), try optionalText())
    }
}

extension LoggedConflict {
    /// The bytes of a conflict's record, with the attributes by name.
    package func encoded(_ schema: Schema) throws -> [UInt8] {
        var bytes = ByteWriter()
        bytes.write(signed: time)
        bytes.write(optional: device)
        try conflict.write(to: &bytes, schema)
        return bytes.bytes
    }

    /// Reads an entry; nil if the schema has dropped its entity.
    package init?(id: UUID, _ data: [UInt8], _ schema: Schema) throws {
        var bytes = ByteReader(data)
        let time = try bytes.signed()
        let device = try bytes.optionalText()
        guard let conflict = try Conflict(from: &bytes, schema) else { return nil }
        self.init(id: id, time: time, device: device, conflict)
    }
}

extension Conflict {
    fileprivate func write(to bytes: inout ByteWriter, _ schema: Schema) throws {
        let entity = try schema.require(key.entity)
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
    }

    fileprivate init?(from bytes: inout ByteReader, _ schema: Schema) throws {
        guard let reason = Reason(rawValue: try bytes.text()) else { throw StoreError.unreadableMutation }
        let mutation = try bytes.uuid()
        guard let entity = schema.entity(try bytes.text()) else { return nil }
        let id = try bytes.uuid()
        var values: [Value] = []
        for _ in 0..<(try bytes.number()) {
            let name = try bytes.text()
            let losing = try bytes.optionalValue()
            let winning = try bytes.optionalValue()
            // An attribute that a later version has dropped has nothing to be restored to.
            guard let position = entity.attributes.firstIndex(where: { $0.name == name }), let losing else {
                continue
            }
            values.append(Value(position, losing: losing, winning: winning))
        }
        self.init(RowKey(entity.name, id), reason, mutation: mutation, values: values)
    }
}
