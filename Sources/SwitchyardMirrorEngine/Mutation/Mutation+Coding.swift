internal import Foundation
package import SwitchyardCore

/// Mutations as bytes: entities and attributes are named once, so that a schema in which they have other positions reads
/// them too.
extension Mutation {
    private static let format: UInt8 = 1

    /// The bytes.
    ///
    /// - Throws: `schemaMismatch` for a change of an entity that the schema lacks.
    package func encoded(_ schema: Schema) throws -> [UInt8] {
        let entities = Set(changes.map(\.key.entity)).sorted()
        var bytes = ByteWriter()
        bytes.bytes.append(Self.format)
        bytes.write(id)
        bytes.write(signed: time)
        bytes.write(optional: author)
        bytes.bytes.append(undone == nil ? 0 : 1)
        if let undone { bytes.write(undone) }
        bytes.write(signed: cursor)
        bytes.write(number: UInt64(entities.count))
        for name in entities {
            let entity = try schema.require(name)
            bytes.write(text: name)
            bytes.write(number: UInt64(entity.attributes.count))
            for attribute in entity.attributes { bytes.write(text: attribute.name) }
        }
        let numbers = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($1, $0) })
        bytes.write(number: UInt64(changes.count))
        for change in changes {
            bytes.bytes.append(change.tag)
            bytes.write(number: UInt64(numbers[change.key.entity] ?? 0))
            bytes.write(change.key.id)
            switch change {
            case .insert(_, let values): for value in values.dropFirst() { bytes.write(value) }
            case .update(_, let edits):
                bytes.write(number: UInt64(edits.count))
                for edit in edits {
                    bytes.write(number: UInt64(edit.attribute))
                    bytes.write(optional: edit.before)
                    bytes.write(edit.after)
                }
            case .delete(_, let values): for value in values.dropFirst() { bytes.write(optional: value) }
            case .offer(_, let row, let sequence):
                bytes.write(signed: sequence)
                bytes.bytes.append(row == nil ? 0 : 1)
                for value in (row ?? []).dropFirst() { bytes.write(value) }
            }
        }
        return bytes.bytes
    }

    /// Reads a mutation.
    ///
    /// - Throws: `corrupted`; `schemaMismatch` for an entity or an attribute that the schema lacks.
    package init(_ data: [UInt8], _ schema: Schema) throws {
        var bytes = ByteReader(data)
        guard try bytes.byte() == Self.format else { throw StoreError.unreadableMutation }
        let id = try bytes.uuid()
        let time = try bytes.signed()
        let author = try bytes.optionalText()
        let undone = try bytes.byte() == 0 ? nil : bytes.uuid()
        let cursor = try bytes.signed()
        var entities: [(entity: Entity, positions: [Int])] = []
        for _ in 0..<(try bytes.number()) {
            let entity = try schema.require(try bytes.text())
            var positions: [Int] = []
            for _ in 0..<(try bytes.number()) {
                let name = try bytes.text()
                guard let position = entity.attributes.firstIndex(where: { $0.name == name }) else {
                    throw StoreError(
                        .schemaMismatch,
                        "A change names the attribute `\(name)`, which the store does not have.",
                        entity: entity.name, attribute: name)
                }
                positions.append(position)
            }
            entities.append((entity, positions))
        }
        var changes: [MutationChange] = []
        for _ in 0..<(try bytes.number()) {
            let tag = try bytes.byte()
            guard let number = Int(exactly: try bytes.number()), entities.indices.contains(number) else {
                throw StoreError.unreadableMutation
            }
            let (entity, positions) = entities[number]
            changes.append(try MutationChange(tag, entity, positions, &bytes))
        }
        guard bytes.isAtEnd else { throw StoreError.unreadableMutation }
        self.init(id: id, time: time, author: author, undone: undone, cursor: cursor, changes: changes)
    }
}

extension MutationChange {
    var tag: UInt8 {
        switch self {
        case .insert: 0
        case .update: 1
        case .delete: 2
        case .offer: 3
        }
    }

    fileprivate init(_ tag: UInt8, _ entity: Entity, _ positions: [Int], _ bytes: inout ByteReader) throws {
        let id = try bytes.uuid()
        let key = RowKey(entity.name, id)
        /// The row, with the defaults of attributes that the sender did not have.
        func row(_ bytes: inout ByteReader) throws -> [StoredValue?] {
            var row: [StoredValue?] = entity.attributes.map {
                $0.defaultValue ?? ($0.isOptional ? .null : StoredValue?.none)
            }
            row[0] = .uuid(id)
            for position in positions.dropFirst() { row[position] = try bytes.optionalValue() }
            return row
        }
        func whole(_ bytes: inout ByteReader) throws -> [StoredValue] {
            try row(&bytes).map {
                guard let value = $0 else { throw StoreError.unreadableMutation }
                return value
            }
        }
        switch tag {
        case 0: self = .insert(key, try whole(&bytes))
        case 1:
            var edits: [AttributeEdit] = []
            for _ in 0..<(try bytes.number()) {
                guard let number = Int(exactly: try bytes.number()), positions.indices.contains(number) else {
                    throw StoreError.unreadableMutation
                }
                let before = try bytes.optionalValue()
                guard let after = try bytes.optionalValue() else { throw StoreError.unreadableMutation }
                edits.append(AttributeEdit(positions[number], before: before, after: after))
            }
            self = .update(key, edits)
        case 2: self = .delete(key, before: try row(&bytes))
        case 3:
            let sequence = try bytes.signed()
            self = .offer(key, try bytes.byte() == 0 ? nil : whole(&bytes), received: sequence)
        default: throw StoreError.unreadableMutation
        }
    }
}

extension ByteWriter {
    package mutating func write(optional text: String?) {
        bytes.append(text == nil ? 0 : 1)
        if let text { write(text: text) }
    }

    package mutating func write(optional value: StoredValue?) {
        if let value { write(value) } else { bytes.append(AttributeType.unknownTag) }
    }
}

extension ByteReader {
    package mutating func optionalText() throws -> String? { try byte() == 0 ? nil : text() }
    package mutating func optionalValue() throws -> StoredValue? { try value(nil) }
}

extension StoreError {
    package static var unreadableMutation: StoreError {
        StoreError(
            .corrupted, "A change that waits to be sent cannot be read. Restore the store from a backup.",
            entity: Entity.mirrorRecord.name)
    }
}
