internal import Foundation
package import SwitchyardCore

extension ExchangeRequest {
    /// The message.
    ///
    /// - Throws: `schemaMismatch` for a change of an entity that the schema lacks.
    package func encoded(_ schema: Schema) throws -> [UInt8] {
        try Message.encoded(.exchange, schema) { bytes in
            bytes.write(cursor)
            bytes.write(optional: seen)
            bytes.write(number: UInt64(trail.count))
            for place in trail { bytes.write(place) }
            try Mutation.write(mutations, to: &bytes, schema)
            bytes.write(number: UInt64(stored.count))
            for id in stored { bytes.write(id) }
            bytes.bytes.append(earlier == nil ? 0 : 1)
            earlier?.write(to: &bytes)
        }
    }

    /// Reads a message.
    ///
    /// - Throws: `corrupted` for anything else; `schemaMismatch` if it speaks of another schema.
    package init(_ message: [UInt8], _ schema: Schema) throws {
        self = try Message.read(message, schema) { kind, bytes in
            guard kind == .exchange else { throw StoreError.unreadableMessage }
            var request = ExchangeRequest(cursor: try bytes.position(), seen: try bytes.optionalPosition())
            for _ in 0..<(try bytes.number()) { request.trail.append(try bytes.position()) }
            request.mutations = try Mutation.mutations(from: &bytes, schema)
            for _ in 0..<(try bytes.number()) { request.stored.append(try bytes.uuid()) }
            request.earlier = try bytes.byte() == 0 ? nil : SchemaIdentity(from: &bytes)
            return request
        }
    }
}

extension RowsRequest {
    /// The message.
    package func encoded(_ schema: Schema) -> [UInt8] {
        Message.encoded(.rows, schema) { bytes in
            bytes.write(optional: seen)
            bytes.write(optional: after)
        }
    }

    /// Reads a message.
    ///
    /// - Throws: `corrupted` for anything else; `schemaMismatch` if it speaks of another schema.
    package init(_ message: [UInt8], _ schema: Schema) throws {
        self = try Message.read(message, schema) { kind, bytes in
            guard kind == .rows else { throw StoreError.unreadableMessage }
            let seen = try bytes.optionalPosition()
            return RowsRequest(after: try bytes.optionalKey(schema), seen: seen)
        }
    }
}

extension SchemaIdentity {
    fileprivate func write(to bytes: inout ByteWriter) {
        for number in [version.major, version.minor, version.patch] { bytes.write(signed: Int64(number)) }
        bytes.write(text: fingerprint)
    }

    fileprivate init(from bytes: inout ByteReader) throws {
        func number(_ bytes: inout ByteReader) throws -> Int {
            guard let number = Int(exactly: try bytes.signed()) else { throw StoreError.unreadableMessage }
            return number
        }
        version = SchemaVersion(try number(&bytes), try number(&bytes), try number(&bytes))
        fingerprint = try bytes.text()
    }
}

/// A batch of mutations: each author is written once, times and cursors as differences from the mutation before.
///
/// One short edit takes about 60 bytes: the ids of the mutation and the row, a time, two values, and nine small numbers.
extension Mutation {
    fileprivate static func write(
        _ mutations: [Mutation], to bytes: inout ByteWriter, _ schema: Schema
    ) throws {
        let authors = Set(mutations.compactMap(\.author)).sorted()
        bytes.write(number: UInt64(authors.count))
        for author in authors { bytes.write(text: author) }
        bytes.write(number: UInt64(mutations.count))
        var (time, cursor): (Int64, Int64) = (0, 0)
        for mutation in mutations {
            bytes.write(mutation.id)
            bytes.write(signed: mutation.time &- time)
            bytes.write(signed: mutation.cursor &- cursor)
            (time, cursor) = (mutation.time, mutation.cursor)
            let author = mutation.author.flatMap { authors.firstIndex(of: $0) }
            bytes.write(number: UInt64(author.map { $0 + 1 } ?? 0))
            bytes.bytes.append(mutation.undone == nil ? 0 : 1)
            if let undone = mutation.undone { bytes.write(undone) }
            bytes.write(number: UInt64(mutation.changes.count))
            for change in mutation.changes { try change.write(to: &bytes, schema) }
        }
    }

    fileprivate static func mutations(from bytes: inout ByteReader, _ schema: Schema) throws -> [Mutation] {
        var authors: [String] = []
        for _ in 0..<(try bytes.number()) { authors.append(try bytes.text()) }
        var mutations: [Mutation] = []
        var (time, cursor): (Int64, Int64) = (0, 0)
        for _ in 0..<(try bytes.number()) {
            let id = try bytes.uuid()
            time &+= try bytes.signed()
            cursor &+= try bytes.signed()
            let author = try bytes.int()
            guard author <= authors.count, HistorySettings.sequences.contains(cursor) else {
                throw StoreError.unreadableMessage
            }
            var mutation = Mutation(
                id: id, time: time, author: author == 0 ? nil : authors[author - 1],
                undone: try bytes.byte() == 0 ? nil : bytes.uuid(), cursor: cursor, changes: [])
            for _ in 0..<(try bytes.number()) {
                mutation.changes.append(try MutationChange(from: &bytes, schema))
            }
            mutations.append(mutation)
        }
        return mutations
    }
}

extension MutationChange {
    fileprivate func write(to bytes: inout ByteWriter, _ schema: Schema) throws {
        guard let entity = schema.entities.firstIndex(where: { $0.name == key.entity }) else {
            throw schema.unknownEntity(key.entity)
        }
        bytes.write(number: UInt64(entity) << 2 | UInt64(tag))
        bytes.write(key.id)
        switch self {
        case .insert(_, let row): for value in row.dropFirst() { bytes.write(value) }
        case .update(_, let edits):
            bytes.write(number: UInt64(edits.count))
            for edit in edits {
                bytes.write(number: UInt64(edit.attribute))
                bytes.write(optional: edit.before)
                bytes.write(edit.after)
            }
        case .delete(_, let before): for value in before.dropFirst() { bytes.write(optional: value) }
        case .offer(_, let row, let received):
            bytes.write(signed: received)
            bytes.bytes.append(row == nil ? 0 : 1)
            for value in (row ?? []).dropFirst() { bytes.write(value) }
        }
    }

    fileprivate init(from bytes: inout ByteReader, _ schema: Schema) throws {
        let number = try bytes.number()
        guard let index = Int(exactly: number >> 2), schema.entities.indices.contains(index) else {
            throw StoreError.unreadableMessage
        }
        let entity = schema.entities[index]
        let key = RowKey(entity.name, try bytes.uuid())
        func values(_ bytes: inout ByteReader) throws -> [StoredValue?] {
            try [.uuid(key.id)] + entity.attributes.dropFirst().map { _ in try bytes.canonicalValue() }
        }
        func row(_ bytes: inout ByteReader) throws -> [StoredValue] {
            try values(&bytes).map { value in
                guard let value else { throw StoreError.unreadableMessage }
                return value
            }
        }
        switch number & 3 {
        case 0: self = .insert(key, try row(&bytes))
        case 1:
            var edits: [AttributeEdit] = []
            for _ in 0..<(try bytes.number()) {
                let attribute = try bytes.int()
                let before = try bytes.canonicalValue()
                // The id never changes.
                guard attribute > 0, entity.attributes.indices.contains(attribute),
                    let after = try bytes.canonicalValue()
                else { throw StoreError.unreadableMessage }
                edits.append(AttributeEdit(attribute, before: before, after: after))
            }
            self = .update(key, edits)
        case 2: self = .delete(key, before: try values(&bytes))
        default:
            let received = try bytes.signed()
            guard HistorySettings.sequences.contains(received) else { throw StoreError.unreadableMessage }
            self = .offer(key, try bytes.byte() == 0 ? nil : row(&bytes), received: received)
        }
    }
}
