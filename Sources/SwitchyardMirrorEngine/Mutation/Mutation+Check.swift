internal import Foundation
package import SwitchyardCore

extension Mutation {
    /// Reads the bytes of a sender that is not trusted.
    ///
    /// - Throws: `corrupted` if they are none; `schemaMismatch` as `init(_:_:)`.
    package init(received bytes: [UInt8], _ schema: Schema) throws {
        do { try self.init(bytes, schema) } catch let error as StoreError where error.code == .corrupted {
            throw StoreError.unreadableMessage
        }
    }

    /// Checks what a sender that is not trusted has sent: an id such as devices make, which is that of no other record, and
    /// values that the attributes can hold.
    ///
    /// - Throws: `corrupted` if something is not so.
    package func requireSound(_ schema: Schema) throws {
        guard id.uuid.6 >> 4 == 7 else { throw StoreError.unreadableMessage }
        for change in changes {
            let entity = try schema.require(change.key.entity)
            guard change.fits(entity) else { throw StoreError.unreadableMessage }
        }
    }
}

extension MutationChange {
    fileprivate func fits(_ entity: Entity) -> Bool {
        switch self {
        case .insert(let key, let row): key.fits(row, entity)
        case .update(_, let edits):
            edits.allSatisfy { edit in
                guard entity.attributes.indices.dropFirst().contains(edit.attribute) else { return false }
                let attribute = entity.attributes[edit.attribute]
                return attribute.holds(edit.after) && edit.before.map { attribute.holds($0) } ?? true
            }
        case .delete(let key, let before): key.fits(before, entity)
        case .offer(let key, let row, _): row.map { key.fits($0, entity) } ?? true
        }
    }
}

extension RowKey {
    fileprivate func fits(_ row: [StoredValue?], _ entity: Entity) -> Bool {
        row.count == entity.attributes.count && row[0] ?? .uuid(id) == .uuid(id)
            && zip(entity.attributes, row).allSatisfy { attribute, value in
                value.map { attribute.holds($0) } ?? true
            }
    }
}

extension Attribute {
    fileprivate func holds(_ value: StoredValue) -> Bool {
        value.isNull ? isOptional : value.type == type && (try? value.isCanonical()) == true
    }
}
