extension WriteTransaction {
    /// Checks that updated rows and their index entries stay within `Limits`.
    ///
    /// - Complexity: The rows are only read if an index spans several attributes of variable length, or a value is
    ///   large.
    func requireSizes(
        _ assignments: [Assignment], of entity: Entity, where condition: Condition
    ) throws {
        let check = check(of: entity)
        let values = Dictionary(assignments.map { ($0.attribute, $0.value) }, uniquingKeysWith: { $1 })
        for entry in check.indexEntries {
            let assigned = entry.parts.filter { values[$0.attribute.name] != nil }
            guard !assigned.isEmpty else { continue }
            let bytes = try assigned.reduce(0) { bytes, part in
                guard case .value(let value) = values[part.attribute.name] else {
                    throw StoreError(
                        .unsupported,
                        "An indexed attribute of this type can only be set to a constant, whose size is known.",
                        entity: entity.name, attribute: part.attribute.name)
                }
                return bytes + part.bytes(of: value)
            }
            try entry.requireFit(bytes: bytes)
            let kept = entry.parts.filter { values[$0.attribute.name] == nil }
            guard !kept.isEmpty, bytes > 0 else { continue }
            try forEachRow(of: entity, kept.map(\.attribute), where: condition) { row in
                try entry.requireFit(bytes: zip(kept, row).reduce(bytes) { $0 + $1.0.bytes(of: $1.1) })
            }
        }
        try requireRowSizes(values, check, of: entity, where: condition)
    }

    /// Checks the sizes of rows that are assigned a large value.
    ///
    /// A small value cannot take a row far beyond the limit, which is itself far below the databases' own. Nor can an
    /// expression, whose result is another value of the same row.
    private func requireRowSizes(
        _ values: [String: Operand], _ check: RowCheck, of entity: Entity, where condition: Condition
    ) throws {
        let variable = entity.attributes.filter { [.text, .json, .blob].contains($0.type) }
        let assigned = variable.reduce(0) { total, attribute in
            guard case .value(let value) = values[attribute.name] else { return total }
            return total + attribute.bytes(of: value)
        }
        guard assigned > 65_536 else { return }
        try check.requireRow(bytes: assigned)
        let kept = variable.filter { values[$0.name] == nil }
        guard !kept.isEmpty else { return }
        try forEachRow(of: entity, kept, where: condition) { row in
            try check.requireRow(bytes: zip(kept, row).reduce(assigned) { $0 + $1.0.bytes(of: $1.1) })
        }
    }

    /// Calls the body with attributes of each row that matches a condition.
    private func forEachRow(
        of entity: Entity, _ attributes: [Attribute], where condition: Condition,
        _ body: ([StoredValue]) throws -> Void
    ) throws {
        let columns = attributes.map { SelectedColumn.attribute($0.name) }
        try driver.select(Selection(entity: entity, columns: columns, condition: condition)) { row in
            try body(try attributes.map { try row.read($0.type) })
            return true
        }
    }
}

extension Attribute {
    /// The bytes that a value takes in a row, including its folded copy.
    fileprivate func bytes(of value: StoredValue) -> Int {
        value.contentBytes(isFolded: false) + (isSearchable ? value.contentBytes(isFolded: true) : 0)
    }
}
