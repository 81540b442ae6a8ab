internal import SwitchyardCore

/// Devices name rows that were merged into others until they have received that.
extension Merge {
    /// Changes the mutation to name the rows that exist.
    mutating func followAliases() throws {
        let mergeable = schema.mergeableEntities
        guard !mergeable.isEmpty else { return }
        var own: Set<RowKey> = []
        for change in mutation.changes {
            switch change {
            case .insert(let key, _), .offer(let key, _?, _): own.insert(key)
            case .update, .delete, .offer: break
            }
        }
        func resolve(_ key: RowKey) throws -> RowKey {
            var (key, seen) = (key, own)
            guard mergeable.contains(key.entity) else { return key }
            while seen.insert(key).inserted, try target.row(key) == nil, let other = try target.alias(of: key)
            {
                key = other
            }
            return key
        }
        var isChanged = false
        func resolve(_ value: StoredValue, _ attribute: Attribute) throws -> StoredValue {
            guard case .uuid(let id) = value, let entity = attribute.reference else { return value }
            let existing = StoredValue.uuid(try resolve(RowKey(entity, id)).id)
            isChanged = isChanged || existing != value
            return existing
        }
        var changes: [MutationChange] = []
        for change in mutation.changes {
            let attributes = try entity(change.key).attributes
            switch change {
            case .insert(let key, let values):
                // It is a row of its own again, unless its key is still taken.
                if mergeable.contains(key.entity), try target.alias(of: key) != nil {
                    try target.setAlias(of: key, to: nil)
                }
                changes.append(.insert(key, try zip(values, attributes).map { try resolve($0, $1) }))
            case .update(let key, let edits):
                let edits = try edits.map { edit in
                    guard attributes.indices.contains(edit.attribute) else { return edit }
                    let attribute = attributes[edit.attribute]
                    return AttributeEdit(
                        edit.attribute, before: try edit.before.map { try resolve($0, attribute) },
                        after: try resolve(edit.after, attribute))
                }
                let existing = try resolve(key)
                if existing != key { (isExact, redirected[existing]) = (false, []) }
                changes.append(.update(existing, edits))
            case .delete(let key, _):
                // Its device has not seen the other row, which stays.
                if try resolve(key) == key { changes.append(change) } else { isExact = false }
            case .offer(let key, let row, let sequence):
                let row = try row.map { try zip($0, attributes).map { try resolve($0, $1) } }
                changes.append(.offer(key, row, received: sequence))
            }
        }
        mutation.changes = changes
        // Its device refers to rows that are gone, even if nothing is left to be written.
        if isChanged { isExact = false }
    }

    /// Notes that rows are rows of their own again which an offer, or an edit of a deleted row, has brought back.
    func forgetAliases(ofNew writes: [RowWrite]) throws {
        let mergeable = schema.mergeableEntities
        let back = writes.filter { $0.before == nil && mergeable.contains($0.key.entity) }.map(\.key)
        guard !back.isEmpty else { return }
        let inserted = Set(
            mutation.changes.compactMap { if case .insert(let key, _) = $0 { key } else { nil } })
        for key in back where !inserted.contains(key) {
            if try target.alias(of: key) != nil { try target.setAlias(of: key, to: nil) }
        }
    }
}

extension Schema {
    /// The names of the entities whose rows can be merged into others.
    fileprivate var mergeableEntities: Set<String> {
        Set(
            entities.filter { $0.uniqueConstraints.contains { $0.merge == .mergeInto } }.map(\.name))
    }
}
