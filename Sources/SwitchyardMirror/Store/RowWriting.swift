internal import Foundation
internal import SwitchyardCore

extension WriteTransaction {
    /// Writes rows as they are to be, and nothing else: no delete rules, which have been applied elsewhere.
    ///
    /// Rows that change a unique key are deleted and inserted again, since they may have exchanged it.
    ///
    /// - Throws: As the driver.
    func writeRows(_ writes: [RowWrite]) throws {
        for (name, writes) in Dictionary(grouping: writes, by: \.key.entity).sorted(by: { $0.key < $1.key }) {
            let entity = try schema.require(name)
            let constraints = entity.uniqueConstraints
            let keyed = entity.attributes.indices.filter { position in
                // The condition of a constraint can ask about any attribute.
                constraints.contains {
                    $0.filter != nil || $0.attributes.contains(entity.attributes[position].name)
                }
            }
            var (deleted, inserted): ([UUID], [[StoredValue]]) = ([], [])
            for write in writes {
                guard let before = write.before else {
                    if let after = write.after { inserted.append(after) }
                    continue
                }
                guard let after = write.after else {
                    deleted.append(write.key.id)
                    continue
                }
                if keyed.contains(where: { before[$0] != after[$0] }) {
                    deleted.append(write.key.id)
                    inserted.append(after)
                }
            }
            for start in stride(from: 0, to: deleted.count, by: 500) {
                let some = deleted[start..<min(start + 500, deleted.count)]
                _ = try driver.delete(from: entity, where: .isIn(.attribute("id"), some.map { .uuid($0) }))
            }
            var updated: [[Int]: [[StoredValue]]] = [:]
            for write in writes {
                guard let before = write.before, let after = write.after,
                    !keyed.contains(where: { before[$0] != after[$0] })
                else { continue }
                let changed = before.indices.filter { before[$0] != after[$0] }
                if !changed.isEmpty { updated[changed, default: []].append(after) }
            }
            for (changed, rows) in updated { try update(entity, changed, rows) }
            if !inserted.isEmpty { try insertRows(into: name, inserted) }
        }
    }

    private func update(_ entity: Entity, _ changed: [Int], _ rows: [[StoredValue]]) throws {
        // Many take fewer statements together; one would be looked up first.
        guard rows.count < 4 else {
            try upsertRows(
                into: entity.name, rows, setting: changed.map { entity.attributes[$0].name })
            return
        }
        for row in rows {
            try updateRows(
                of: entity.name,
                set: changed.map {
                    Assignment(attribute: entity.attributes[$0].name, value: .value(row[$0]))
                },
                where: .compare(.attribute("id"), .equal, .value(row[0])))
        }
    }
}

extension ReadTransaction {
    /// The rows of some keys, by key.
    func rows(_ keys: some Collection<RowKey>) throws -> [RowKey: [StoredValue]] {
        var found: [RowKey: [StoredValue]] = [:]
        for (name, keys) in Dictionary(grouping: keys, by: \.entity) {
            for start in stride(from: 0, to: keys.count, by: 500) {
                let ids = keys[start..<min(start + 500, keys.count)].map { StoredValue.uuid($0.id) }
                for row in try fetchRows(of: name, where: .isIn(.attribute("id"), ids)) {
                    if case .uuid(let id) = row[0] { found[RowKey(name, id)] = row }
                }
            }
        }
        return found
    }

    func row(of key: RowKey) throws -> [StoredValue]? { try rows(CollectionOfOne(key))[key] }
}
