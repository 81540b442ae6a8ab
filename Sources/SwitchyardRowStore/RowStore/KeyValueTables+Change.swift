internal import Foundation

/// Another schema.
extension KeyValueTables {
    func drafts(for changes: [TableChange], in schema: Schema) -> KeyValueTables {
        let later = Set(changes.filter { !$0.isFilled }.compactMap { $0.new?.name })
        let hidden = Set(schema.entities.filter { later.contains($0.name) }.map(\.table))
        return KeyValueTables(store, KeyValueSchema(schema, without: hidden))
    }

    mutating func change(
        _ changes: [TableChange], to newer: Schema, filled: KeyValueTables?, _ check: () throws -> Void
    ) throws -> Set<Int> {
        // Under other names first, because one table may take the name of another.
        var moves: [(draft: Entity, new: Entity)] = []
        for (number, change) in changes.enumerated() {
            guard let new = change.new else { continue }
            let draft = new.stored(in: TableChange.draft(number))
            if case .change(let old, _, let sources) = change {
                try copy(old, to: draft, sources, in: newer, check)
            }
            moves.append((draft, new))
        }
        for old in changes.compactMap(\.old) { try clear(old) }
        for (draft, new) in moves {
            try copy(draft, to: new, new.attributes.map { ValueSource($0.name) }, in: newer, check)
            try clear(draft)
        }
        known = KeyValueSchema(newer)
        return Set(moves.compactMap { positions[$0.new.table] })
    }

    /// Copies the rows of one table to another, with what its entity needs beside them.
    private func copy(
        _ old: Entity, to new: Entity, _ sources: [ValueSource], in schema: Schema, _ check: () throws -> Void
    ) throws {
        let rules = try EntityRules(new, schema: schema)
        let columns = sources.map { $0.attribute.flatMap(old.column) }
        let searchable = new.attributes.indices.filter { new.attributes[$0].isSearchable }
        try forEachPage(of: old) { rows in
            for row in rows {
                try check()
                let values = zip(zip(sources, columns), new.attributes).map { source, attribute in
                    source.0.value(of: source.1.map { row[$0] }, as: attribute.type)
                }
                let whole = values + searchable.map { values[$0].folded }
                try rules.check(whole)
                let id = try rules.rowID(of: whole)
                try putKeys(of: whole, id, new, rules)
                try put(whole, id, new)
            }
        }
    }

    /// Removes all keys of a table.
    private func clear(_ entity: Entity) throws {
        for kind in KeyKind.ofTables {
            while true {
                var keys: [[UInt8]] = []
                try store.scan(.all(kind, of: entity), .ascending) { key, _ in
                    keys.append(key)
                    return keys.count < Self.page
                }
                for key in keys { try store.delete(key) }
                guard keys.count == Self.page else { break }
            }
        }
    }

    private static var page: Int { 256 }

    /// Calls the body with the rows of a table, a few hundred at a time, so that it can change others.
    private func forEachPage(of entity: Entity, _ body: ([[StoredValue]]) throws -> Void) throws {
        let layout = entity.rowLayout
        var first = RowID.least
        while true {
            var rows: [[StoredValue]] = []
            var last: RowID?
            try store.scan(
                ClosedKeyRange(.row(first, in: entity), .row(.greatest, in: entity)), .ascending
            ) { key, value in
                rows.append(try layout.values(fromBytes: value))
                last = try RowID(bytes: key.suffix(16))
                return rows.count < Self.page
            }
            try body(rows)
            guard rows.count == Self.page, let next = last?.next else { return }
            first = next
        }
    }
}
