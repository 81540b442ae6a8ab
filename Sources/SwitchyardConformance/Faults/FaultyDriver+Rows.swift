internal import Switchyard
internal import SwitchyardCore

/// Questions and writes to the backend's own driver, for faults that are worked out from rows.
extension FaultyDriver {
    /// The backend's entity of a name.
    func stored(_ name: String) throws -> Entity { try baseSchema.require(name) }

    /// The backend's answer to a selection, as values; a group's day is its number.
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

    /// The whole rows that fulfil a condition, in the order of their ids.
    func rows(of entity: Entity, where condition: Condition = .constant(true)) throws -> [[StoredValue]] {
        try answer(to: .rows(of: entity, where: condition))
    }

    /// All rows, by entity, in the layout in which drivers get them.
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

    /// Inserts rows, changed as the fault says.
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

    /// Hands over what is stored of rows that a fault has inserted in its own way: those with the same keys.
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

    /// A row with what the fault stores in place of its values.
    func faulty(_ row: [StoredValue], _ entity: Entity) -> [StoredValue] {
        guard let change = hooks.value else { return row }
        // The id of a row is how the suite finds it again.
        return row.enumerated().map { column, value in
            guard column > 0, column < entity.attributes.count else { return value }
            return change(value, entity.attributes[column])
        }
    }

    /// Hands over rows in place of the backend's.
    func give(
        _ rows: [[StoredValue]], to selection: Selection, _ body: (inout RowReader) throws -> Bool
    ) throws {
        let context = selection.errorContext
        for (index, row) in rows.enumerated() {
            // A cancellation is seen on the way, as it would be by the backend; that is another fault.
            if index.isMultiple(of: 64) { try requireRunning() }
            var writer = RowWriter(context: context)
            for value in row {
                // As it is: the value's own way refuses NaN and turns −0 into 0.
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

    /// Throws if the transaction was cancelled, which the backend knows.
    private func requireRunning() throws {
        let entity = try stored(schema.entities[0].name)
        try base.find(OperationID().uuid, in: entity) { _ in }
    }

    /// A condition as the fault asks it, worked out from the inside.
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

    /// The rows for which a question is answered with yes, as a condition.
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
        case .group(.day), .aggregate: .int
        }
    }
}

extension StoredValue {
    /// The value as a searchable attribute's copy holds it.
    var folded: StoredValue {
        if case .text(let text) = self { .text(SearchFolding.fold(text)) } else { self }
    }
}

extension Selection {
    /// The position of an attribute in whole rows.
    func column(_ name: String) -> Int { entity.column(name) ?? 0 }

    /// Answers from whole rows, sorted as told, as the selection asks for them.
    func cut(_ rows: [[StoredValue]]) -> [[StoredValue]] {
        let wanted = columns.map { selected in
            if case .attribute(let name) = selected { column(name) } else { 0 }
        }
        return rows.dropFirst(offset).prefix(limit ?? .max).map { row in wanted.map { row[$0] } }
    }
}
