import Foundation
import SwitchyardCore
import SwitchyardMirror

/// What the people of the household do.
extension Simulation {
    /// Commits an edit of a few rows on a device.
    mutating func edit(_ index: Int) throws {
        let disk = devices[index].disk
        let before = disk.content.rows
        var changed: [RowKey] = []
        for _ in 0..<(1 + random.below(3)) {
            let key = keys[random.below(keys.count)]
            guard !changed.contains(key) else { continue }
            var rows = disk.content.rows
            do {
                let keys = try change(key, &rows)
                disk.content.rows = rows
                for key in keys where !changed.contains(key) { changed.append(key) }
            } catch is StoreError {
                // The app is told that it cannot be done.
            }
        }
        let changes = changed.compactMap { Self.change($0, from: before[$0], to: disk.content.rows[$0]) }
        // Outside, nobody is told.
        guard !changes.isEmpty, disk.content.token != nil else { return }
        let transaction = LocalTransaction(
            id: random.uuid(), time: devices[index].timeOfEdit(now), author: nil, undone: nil,
            changes: changes)
        disk.content.unsealed.append(transaction)
        let writes = changes.map {
            RowWrite($0.key, before: before[$0.key], after: disk.content.rows[$0.key])
        }
        oracle.noteEdit(transaction.id, time: transaction.time, writes, on: disk)
        note("device \(index) edits \(changed.map { "\($0.entity)\($0.id.uuid.15)" })")
        try tell(index, .committed)
    }

    /// Inserts, updates or deletes a row as an app does, with the delete rules.
    private mutating func change(_ key: RowKey, _ rows: inout SimulatedRows) throws -> [RowKey] {
        guard let row = rows[key] else {
            try rows.write([RowWrite(key, before: nil, after: newRow(key))])
            return [key]
        }
        if random.chance(20) { return try delete(key, &rows) }
        var edited = row
        let plain = SimulatedSchema.plain[key.entity, default: []]
        if let position = SimulatedSchema.unique[key.entity]?.last, random.chance(30) {
            edited[position] =
                SimulatedSchema.value(of: key, position, from: nil, number: value, &random)
                ?? (random.chance(20) ? .null : .int(Int64(random.below(4))))
        } else if let position = SimulatedSchema.reference[key.entity], random.chance(20) {
            edited[position] =
                SimulatedSchema.value(of: key, position, from: nil, number: value, &random)
                ?? .uuid(keys[random.below(2)].id)
        } else {
            let position = plain[random.below(plain.count)]
            value += 1
            if let new = SimulatedSchema.value(of: key, position, from: row[position], number: value, &random)
            {
                edited[position] = new
            } else if key.entity == "Feed", position == 3, case .int(let count) = row[3] {
                edited[3] = .int(count + 1 + Int64(random.below(3)))
            } else {
                edited[position] = .int(value)
            }
        }
        try rows.write([RowWrite(key, before: row, after: edited)])
        return [key]
    }

    private mutating func newRow(_ key: RowKey) -> [StoredValue] {
        SimulatedSchema.attributes(key).enumerated().map { position, attribute in
            if position == 0 { return .uuid(key.id) }
            if let new = SimulatedSchema.value(of: key, position, from: nil, number: value + 1, &random) {
                value += 1
                return new
            }
            if SimulatedSchema.reference[key.entity] == position {
                return attribute.isOptional && random.chance(30)
                    ? .null : .uuid(keys[random.below(2)].id)
            }
            if SimulatedSchema.unique[key.entity] == [position] { return .int(Int64(random.below(4))) }
            if key.entity == "Feed", position == 3 { return .int(0) }
            value += 1
            return .int(value)
        }
    }

    private func delete(_ key: RowKey, _ rows: inout SimulatedRows) throws -> [RowKey] {
        var writes = [RowWrite(key, before: rows[key], after: nil)]
        for child in rows.referrers(of: key.id) {
            guard var row = rows[child] else { continue }
            switch child.entity {
            case "Feed", "Link": writes.append(RowWrite(child, before: row, after: nil))
            case "Note":
                let before = row
                row[1] = .null
                writes.append(RowWrite(child, before: before, after: row))
            default: throw StoreError(.foreignKey, "denied", entity: child.entity)
            }
        }
        try rows.write(writes)
        return writes.map(\.key)
    }

    private static func change(
        _ key: RowKey, from before: [StoredValue]?, to after: [StoredValue]?
    ) -> LocalChange? {
        switch (before, after) {
        case (nil, nil): return nil
        case (nil, _?): return LocalChange(key, .insert)
        case (let before?, nil): return LocalChange(key, .delete(before: before))
        case (let before?, let after?):
            let attributes = before.indices.filter { before[$0] != after[$0] }
            return attributes.isEmpty
                ? nil
                : LocalChange(key, .update(attributes: attributes, before: attributes.map { before[$0] }))
        }
    }
}
