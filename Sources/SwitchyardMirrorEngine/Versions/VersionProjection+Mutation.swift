package import SwitchyardCore

extension VersionProjection {
    /// A mutation in the words of the newer version: without what that has dropped.
    ///
    /// - Parameters:
    ///   - mutation: The mutation, in the words of the older version.
    ///   - calculated: The value of a row's attribute that code calculates, given its position in the newer version; nil if
    ///     there is no such row.
    /// - Returns: The mutation, which can be without changes.
    package func raised(
        _ mutation: Mutation, calculated: (RowKey, Int) -> StoredValue? = { _, _ in nil }
    ) -> Mutation {
        var raised = mutation
        raised.changes = mutation.changes.compactMap { change in
            entity(older: change.key.entity)?.raised(change, calculated)
        }
        return raised
    }

    /// What was logged, in the words of the newer version; nil if that has dropped all of it.
    package func raised(_ entry: LoggedConflict) -> LoggedConflict? {
        guard let entity = entity(older: entry.conflict.key.entity) else { return nil }
        let values = entry.conflict.values.compactMap { value -> Conflict.Value? in
            guard let position = entity.position(ofOlder: value.attribute),
                let losing = entity.value(at: position, from: value.losing)
            else { return nil }
            return Conflict.Value(
                position, losing: losing, winning: entity.value(at: position, from: value.winning))
        }
        return entry.said(of: entity.newer, values)
    }

    /// A reason in the words of the newer version.
    package func raised(_ reason: Rejection) -> Rejection {
        guard let entity = entity(older: reason.entity) else { return reason }
        let position = entity.older.attributes.firstIndex { $0.name == reason.attribute }
        let name = position.flatMap { entity.position(ofOlder: $0) }.map { entity.newer.attributes[$0].name }
        return Rejection(reason.code, entity.newer.name, name)
    }
}

extension LoggedConflict {
    /// The entry in the words of another version; nil if that has none of its values.
    package func said(of entity: Entity, _ values: [Conflict.Value]) -> LoggedConflict? {
        guard !values.isEmpty else { return nil }
        return LoggedConflict(
            id: id, time: time, device: device,
            Conflict(
                RowKey(entity.name, conflict.key.id), conflict.reason, mutation: conflict.mutation,
                values: values))
    }
}

extension EntityProjection {
    fileprivate func raised(
        _ change: MutationChange, _ calculated: (RowKey, Int) -> StoredValue?
    ) -> MutationChange? {
        let key = RowKey(newer.name, change.key.id)
        switch change {
        case .insert(_, let row): return raised(row, key, calculated).map { .insert(key, $0) }
        case .update(_, let edits):
            let edits = sources.indices.compactMap { raised(edits, key, at: $0, calculated) }
            return edits.isEmpty ? nil : .update(key, edits)
        case .delete(_, let before):
            return .delete(
                key,
                before: sources.indices.map { position in
                    value(at: position, from: sources[position].position.flatMap { before[$0] })
                })
        case .offer(_, nil, let sequence): return .offer(key, nil, received: sequence)
        case .offer(_, let row?, let sequence):
            return raised(row, key, calculated).map { .offer(key, $0, received: sequence) }
        }
    }

    /// A whole row; nil if it is gone, and nothing tells what code would have calculated.
    private func raised(
        _ row: [StoredValue], _ key: RowKey, _ calculated: (RowKey, Int) -> StoredValue?
    ) -> [StoredValue]? {
        var raised: [StoredValue] = []
        for (position, source) in sources.enumerated() {
            let known = value(at: position, from: source.position.map { row[$0] })
            guard let value = known ?? calculated(key, position) ?? newer.attributes[position].standIn else {
                return nil
            }
            raised.append(value)
        }
        return raised
    }

    /// The edit of an attribute of the newer version; nil if there is none.
    private func raised(
        _ edits: [AttributeEdit], _ key: RowKey, at position: Int,
        _ calculated: (RowKey, Int) -> StoredValue?
    ) -> AttributeEdit? {
        let edit = edits.first { $0.attribute == sources[position].position }
        switch sources[position] {
        case .value: return nil
        case .attribute:
            guard let edit, let after = value(at: position, from: edit.after) else { return nil }
            return AttributeEdit(position, before: value(at: position, from: edit.before), after: after)
        case .calculated(let source):
            guard source == nil || edit != nil else { return nil }
            return calculated(key, position).map { AttributeEdit(position, before: nil, after: $0) }
        }
    }
}
