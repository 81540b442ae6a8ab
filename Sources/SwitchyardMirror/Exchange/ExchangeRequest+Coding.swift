internal import Foundation
package import SwitchyardCore

/// Requests as bytes.
///
/// A mutation of one short edit takes some 60 bytes: two ids, a time, two values and the numbers of names.
extension ExchangeRequest {
    /// The message.
    ///
    /// - Throws: `schemaMismatch` for a change of an entity that the schema lacks.
    package func encoded(_ schema: Schema) throws -> [UInt8] {
        var message = MessageWriter(schema)
        message.write(cursor)
        message.write(optional: seen)
        message.write(count: trail.count)
        for place in trail { message.write(place) }
        message.write(count: mutations.count)
        for mutation in mutations { try message.write(mutation) }
        message.write(count: stored.count)
        for id in stored { message.write(id) }
        return message.message(.exchange)
    }

    /// Reads a message.
    ///
    /// - Throws: `corrupted` for anything else; `schemaMismatch` for what the schema lacks.
    package init(_ message: [UInt8], _ schema: Schema) throws {
        self = try MessageReader.read(message, schema) { message in
            guard message.kind == .exchange else { throw StoreError.unreadableMessage }
            var request = ExchangeRequest(
                cursor: try message.position(), seen: try message.optionalPosition())
            for _ in 0..<(try message.count()) { request.trail.append(try message.position()) }
            for _ in 0..<(try message.count()) { request.mutations.append(try message.mutation()) }
            for _ in 0..<(try message.count()) { request.stored.append(try message.uuid()) }
            return request
        }
    }
}

extension RowsRequest {
    /// The message.
    ///
    /// - Throws: `schemaMismatch` for a row of an entity that the schema lacks.
    package func encoded(_ schema: Schema) throws -> [UInt8] {
        var message = MessageWriter(schema)
        message.write(optional: seen)
        try message.write(optional: after)
        return message.message(.rows)
    }

    /// Reads a message.
    ///
    /// - Throws: `corrupted` for anything else; `schemaMismatch` for what the schema lacks.
    package init(_ message: [UInt8], _ schema: Schema) throws {
        self = try MessageReader.read(message, schema) { message in
            guard message.kind == .rows else { throw StoreError.unreadableMessage }
            let seen = try message.optionalPosition()
            return RowsRequest(after: try message.optionalKey(), seen: seen)
        }
    }
}

extension MessageWriter {
    mutating func write(optional key: RowKey?) throws {
        write(byte: key == nil ? 0 : 1)
        guard let key else { return }
        try write(key.entity)
        write(key.id)
    }

    fileprivate mutating func write(_ mutation: Mutation) throws {
        write(mutation.id)
        write(time: mutation.time)
        write(shared: mutation.author)
        write(sequence: mutation.cursor)
        write(byte: mutation.undone == nil ? 0 : 1)
        if let undone = mutation.undone { write(undone) }
        write(count: mutation.changes.count)
        for change in mutation.changes { try write(change) }
    }

    private mutating func write(_ change: MutationChange) throws {
        try write(change.key.entity, form: change.tag)
        write(change.key.id)
        switch change {
        case .insert(_, let values): for value in values.dropFirst() { write(value) }
        case .update(_, let edits):
            write(count: edits.count)
            for edit in edits {
                write(count: edit.attribute)
                write(edit.before)
                write(edit.after)
            }
        case .delete(_, let values): for value in values.dropFirst() { write(value) }
        case .offer(_, let row, let received):
            write(sequence: received)
            write(byte: row == nil ? 0 : 1)
            for value in (row ?? []).dropFirst() { write(value) }
        }
    }
}

extension MessageReader {
    mutating func optionalKey() throws -> RowKey? { try flag() ? key().key : nil }

    fileprivate mutating func mutation() throws -> Mutation {
        var mutation = Mutation(
            id: try uuid(), time: try nextTime(), author: try sharedText(), cursor: try nextSequence(),
            changes: [])
        if try flag() { mutation.undone = try uuid() }
        for _ in 0..<(try count()) { mutation.changes.append(try change()) }
        return mutation
    }

    private mutating func change() throws -> MutationChange {
        let (key, entity, tag) = try key()
        switch tag {
        case 0: return .insert(key, try row(key.id, of: entity))
        case 1:
            var edits: [AttributeEdit] = []
            for _ in 0..<(try count()) {
                let attribute = try attribute(of: entity)
                edits.append(AttributeEdit(attribute, before: try optionalValue(), after: try value()))
            }
            return .update(key, edits)
        case 2: return .delete(key, before: try values(key.id, of: entity))
        default:
            let received = try nextSequence()
            return .offer(key, try flag() ? row(key.id, of: entity) : nil, received: received)
        }
    }
}
