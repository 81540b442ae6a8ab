extension Snapshot {
    /// Returns the snapshot of another schema, with the rows carried over.
    ///
    /// - Parameters:
    ///   - changes: What becomes of each table; the others stay as they are.
    ///   - newer: The other schema, which the header's marker already names.
    ///   - filled: Has the rows of the new tables, at the same positions; nil if they are empty.
    ///   - check: Is called for each row, and throws if the work is to end.
    /// - Returns: The snapshot, and the positions of the tables that are not as they were.
    /// - Throws: `unique`, `notNull` or `check` if the rows do not fit.
    func changed(
        _ changes: [TableChange], to newer: Schema, _ filled: Snapshot?, _ check: () throws -> Void
    ) throws -> (Snapshot, Set<Int>) {
        var result = try Snapshot(schema: newer, header: header)
        var changed: Set<Int> = []
        let byTable = Dictionary(
            uniqueKeysWithValues: changes.compactMap { change in change.new.map { ($0.table, change) } })
        for (position, entity) in newer.tables.enumerated() {
            switch byTable[entity.table] {
            case nil: result.tables[position] = tables[try self.position(ofTable: entity.table)]
            case .change(let old, _, let sources):
                let rows = tables[try self.position(ofTable: old.table)].rows
                result.tables[position] = try rows.changed(
                    from: old, to: entity, sources, schema: newer, check)
                changed.insert(position)
            case .create, .replace, .drop:
                if let filled { result.tables[position] = filled.tables[position] }
                changed.insert(position)
            }
        }
        return (result, changed)
    }

    /// Returns what the new tables of a change are filled in, beside the tables that stay as they are; those that will be
    /// changed are not in it.
    func beside(_ changes: [TableChange], in schema: Schema) -> Snapshot {
        let later = Set(changes.filter { !$0.isFilled }.compactMap { $0.new?.name })
        var result = Snapshot(
            schema: schema, empty: header,
            without: Set(schema.entities.filter { later.contains($0.name) }.map(\.table)))
        for (position, entity) in schema.tables.enumerated() {
            guard let own = positions[entity.table] else { continue }
            result.tables[position] = tables[own]
        }
        return result
    }
}

extension SortedRows {
    fileprivate func changed(
        from old: Entity, to new: Entity, _ sources: [ValueSource], schema: Schema, _ check: () throws -> Void
    ) throws -> SnapshotTable {
        let rules = try EntityRules(new, schema: schema)
        let columns = sources.map { $0.attribute.flatMap(old.column) }
        let searchable = new.attributes.indices.filter { new.attributes[$0].isSearchable }
        var table = SnapshotTable(new)
        try forEach { row in
            try check()
            let values = zip(zip(sources, columns), new.attributes).map { source, attribute in
                source.0.value(of: source.1.map { row.values[$0] }, as: attribute.type)
            }
            _ = try table.insert(values + searchable.map { values[$0].folded }, rules: rules)
            return true
        }
        return table
    }
}
