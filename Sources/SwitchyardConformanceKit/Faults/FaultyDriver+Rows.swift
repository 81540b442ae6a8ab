internal import Switchyard
internal import SwitchyardCore

/// Queries and writes on the backend's own driver, for faults that are computed from rows.
extension FaultyDriver {
    /// The backend's entity with this name.
    func stored(_ name: String) throws -> Entity { try baseSchema.require(name) }

    /// The backend's answer to a selection, as values; a group's day is represented by its number.
    func answer(to selection: Selection) throws -> [[StoredValue]] {
        var asked = selection
        asked.entity = try stored(selection.entity.name)
        let types = selection.columns.map { $0.type(in: selection.entity) }
        var rows: [[StoredValue]] = []
        try base.select(asked) { row in
            rows.append(try types.map { try row.read($0) })
            return true
        }
        return rows
    }

    /// The whole rows that satisfy a condition, in order of their ids.
    func rows(of entity: Entity, where condition: Condition = .constant(true)) throws -> [[StoredValue]] {
        try answer(to: .rows(of: entity, where: condition))
    }

    /// All rows by entity, in the layout that drivers receive.
    func allRows() throws -> [String: [[StoredValue]]] {
        var all: [String: [[StoredValue]]] = [:]
        for entity in schema.entities { all[entity.name] = try rows(of: entity).map { folded($0, entity) } }
        return all
    }

    /// A row with the folded copies of its searchable attributes.
    func folded(_ row: [StoredValue], _ entity: Entity) -> [StoredValue] {
        let copies = zip(entity.attributes, row).filter(\.0.isSearchable).map { $1.folded }
        return Array(row.prefix(entity.attributes.count)) + copies
    }

    /// Inserts rows as changed by the fault.
    func insertRows(
        _ rows: [[StoredValue]], into entity: Entity, onConflict conflict: ConflictResolution = .fail,
        stored take: ((inout RowReader) throws -> Void)? = nil
    ) throws -> Int {
        var iterator = rows.makeIterator()
        let target = try stored(entity.name)
        return try base.insert(
            into: target, onConflict: conflict,
            next: { writer in
                guard let row = iterator.next() else { return false }
                writer.reset()
                for value in faulty(row, entity) { try writer.write(value) }
                return true
            }, stored: take)
    }

    /// Returns the stored versions of rows that a fault has inserted in its own way: those with the same keys.
    func giveBack(
        _ rows: [[StoredValue]], of entity: Entity, _ conflict: ConflictResolution,
        _ take: (inout RowReader) throws -> Void
    ) throws {
        let key: [String] =
            switch conflict {
            case .update(let key, _), .ignore(let key): key
            case .fail: ["id"]
            }
        for row in rows {
            let isSame = key.map { name in
                Condition.compare(
                    .attribute(name), .equal, .value(entity.column(name).map { row[$0] } ?? .null))
            }
            try select(.rows(of: entity, where: .all(isSame))) { row in
                try take(&row)
                return true
            }
        }
    }

    /// A row with the values that the fault stores instead.
    func faulty(_ row: [StoredValue], _ entity: Entity) -> [StoredValue] {
        guard let change = hooks.value else { return row }
        // The id stays, because the suite finds the row by it.
        return row.enumerated().map { column, value in
            guard column > 0, column < entity.attributes.count else { return value }
            return change(value, entity.attributes[column])
        }
    }

    /// Returns rows in place of the backend's.
    func give(
        _ rows: [[StoredValue]], to selection: Selection, _ body: (inout RowReader) throws -> Bool
    ) throws {
        let context = selection.errorContext
        for (index, row) in rows.enumerated() {
            // Checks for cancellation on the way, as the backend does; ignoring it is a different fault.
            if index % 64 == 63 { try requireRunning() }
            var writer = RowWriter(context: context)
            for value in row {
                // Directly, because the value's usual way refuses NaN and turns −0 into 0.
                if case .double(let double) = value {
                    writer.write(double: double)
                } else {
                    try writer.write(value)
                }
            }
            let goesOn = try writer.withCells { cells in
                guard let start = cells.baseAddress else { return true }
                var reader = RowReader(cells: start, count: cells.count, context: context)
                return try body(&reader)
            }
            guard goesOn else { return }
        }
    }

    /// Throws if the transaction was cancelled, which the backend detects.
    private func requireRunning() throws {
        let entity = try stored(schema.entities[0].name)
        try base.find(OperationID().uuid, in: entity) { _ in }
    }

    /// A condition as the fault changes it, starting from its innermost parts.
    func rewritten(_ condition: Condition, _ entity: Entity) throws -> Condition {
        guard let change = hooks.condition else { return condition }
        let inner: Condition
        switch condition {
        case .all(let parts): inner = .all(try parts.map { try rewritten($0, entity) })
        case .any(let parts): inner = .any(try parts.map { try rewritten($0, entity) })
        case .not(let part): inner = .not(try rewritten(part, entity))
        case .exists(let name, let part):
            guard let target = entity.association(name)?.target else { return condition }
            inner = .exists(relationship: name, try rewritten(part, try schema.require(target)))
        default: inner = condition
        }
        return try change(inner, entity, self)
    }

    /// A condition that holds for exactly the rows that satisfy a closure.
    func rows(of entity: Entity, that fulfil: ([StoredValue]) throws -> Bool) throws -> Condition {
        .isIn(.attribute("id"), try rows(of: entity).filter(fulfil).map { $0[0] })
    }
}

extension SelectedColumn {
    fileprivate func type(in entity: Entity) -> AttributeType {
        switch self {
        case .attribute(let name), .group(.attribute(let name)),
            .aggregate(.minimum(let name)), .aggregate(.maximum(let name)):
            entity.attribute(name)?.type ?? .text
        case .group(.period), .aggregate: .int
        }
    }
}

extension StoredValue {
    /// The value as stored in a searchable attribute's folded copy.
    var folded: StoredValue {
        if case .text(let text) = self { .text(SearchFolding.fold(text)) } else { self }
    }
}

extension Selection {
    /// The index of an attribute in whole rows.
    func column(_ name: String) -> Int { entity.column(name) ?? 0 }

    /// Reduces whole, sorted rows to what the selection asks for.
    func cut(_ rows: [[StoredValue]]) -> [[StoredValue]] {
        let wanted = columns.map { selected in
            if case .attribute(let name) = selected { column(name) } else { 0 }
        }
        return rows.dropFirst(offset).prefix(limit ?? .max).map { row in wanted.map { row[$0] } }
    }
}
