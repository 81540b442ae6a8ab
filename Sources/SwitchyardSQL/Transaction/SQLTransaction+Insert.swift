public import SwitchyardCore

extension SQLTransaction {
    /// The maximum number of bytes of collected rows.
    private static var batchBytes: Int { 1 << 20 }

    /// Inserts rows.
    ///
    /// - Throws: As `TransactionDriver` says.
    public func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        noting(
            try insertRows(into: entity, onConflict: conflict, next: next, stored: stored), rowsOf: entity)
    }

    /// Inserts rows that are made of others.
    ///
    /// - Returns: Nil on a cluster, whose machines need not hold the rows of both entities together.
    /// - Throws: As `SelectionInserting` says.
    public func insert(into entity: Entity, _ values: [Operand], from selection: Selection) throws -> Int? {
        guard !sql.isDistributed else { return nil }
        try willChange(entity)
        noteReferences(
            of: entity,
            setBy: zip(entity.attributes, values).map { Assignment(attribute: $0.name, value: $1) })
        return noting(
            try run(try sql.insert(into: entity.name, values, from: selection)), rowsOf: entity)
    }

    private func insertRows(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        try willChange(entity)
        let insertion = SQLInsertion(
            into: entity.name, try plan.entity(entity.name), onConflict: conflict, givesRows: stored != nil,
            of: plan, telemetry: telemetry)
        let size = connection.batchSize(of: insertion)
        let scoped = scopes.first.map { ScopedRows($0, of: entity, in: plan.schema, changes: changes) }
        var row = RowWriter(context: insertion.plan.context)
        var batch = RowBatch()
        var count = 0
        while try next(&row) {
            if let scoped {
                row.withCells { scoped.withCells($0) { batch.append($0) } }
            } else {
                batch.append(&row)
            }
            guard batch.count == size || batch.byteCount >= Self.batchBytes else { continue }
            if count == 0,
                let loaded = try connection.load(
                    &batch, by: insertion,
                    next: { take in
                        guard try next(&row) else { return false }
                        try row.withCells { cells in
                            if let scoped { try scoped.withCells(cells, take) } else { try take(cells) }
                        }
                        return true
                    }, stored: stored)
            {
                return loaded
            }
            count += try connection.insert(&batch, by: insertion, stored: stored)
            batch.removeAll()
        }
        guard batch.count > 0 else { return count }
        return try count + connection.insert(&batch, by: insertion, stored: stored)
    }
}
