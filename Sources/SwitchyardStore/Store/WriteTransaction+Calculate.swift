internal import Foundation

/// Updates whose values no driver calculates: the rows are read, and written with their new values.
extension WriteTransaction {
    /// Whether the driver can carry out an assignment: it calculates with numbers of the same row, and does not move unique
    /// keys from row to row, which databases check after each row, in an order of their own.
    func isDrivers(_ assignment: Assignment, in entity: Entity) throws -> Bool {
        if case .value = assignment.value { return true }
        if assignment.value.needs.contains(.otherRows) { return false }
        return try isDrivers(assignment.value, in: entity) && !entity.isKey(assignment.attribute)
            && (entity.attribute(assignment.attribute)?.isSearchable != true
                || assignment.value.isFolded(in: entity))
    }

    /// Sets attributes of all rows that fulfil a condition to values that are calculated here.
    ///
    /// All values are calculated before the first row is changed. Unique keys are checked once all rows have theirs.
    func updateRows(
        of entity: Entity, set assignments: [Assignment], where condition: Condition
    ) throws -> Int {
        let columns = assignments.compactMap { entity.column($0.attribute) }
        let values = try assignments.map { assignment -> [RelatedKey: StoredValue]? in
            if case .value = assignment.value { return nil }
            return try self.values(of: assignment.value, in: entity, where: condition, for: .assignment)
        }
        let check = ValueCheck(entity)
        var changes: [RowReplacement] = []
        try selectKeyed(.rows(of: entity, where: condition)) { key, row in
            var changed = row
            for (position, assignment) in assignments.enumerated() {
                if case .value(let constant) = assignment.value {
                    changed[columns[position]] = constant
                } else {
                    changed[columns[position]] = values[position]?[key] ?? .null
                }
            }
            changes.append(RowReplacement(before: row, after: try check.fitting(changed)))
        }
        try write(
            changes, of: entity, setting: assignments.map(\.attribute), isCalculated: values.map { $0 != nil }
        )
        return changes.count
    }

    /// Writes rows that are there already.
    ///
    /// - Parameters:
    ///   - changes: The rows.
    ///   - entity: Their entity.
    ///   - attributes: The attributes that they get.
    ///   - isCalculated: Whether each attribute may differ from row to row.
    /// - Throws: As `insertRows`.
    func write(
        _ changes: [RowReplacement], of entity: Entity, setting attributes: [String], isCalculated: [Bool]
    ) throws {
        guard !changes.isEmpty else { return }
        guard zip(attributes, isCalculated).contains(where: { $1 && entity.isKey($0) }) else {
            _ = try upsertRows(changes.lazy.map(\.after), into: entity, setting: attributes)
            return
        }
        guard let recorder = driver.capability(RecordingDriver.self) else {
            return try replace(changes, of: entity, by: driver)
        }
        try recorder.replace(changes, of: entity, attributes.compactMap { entity.column($0) }) {
            try replace($0, of: entity, by: $1)
        }
    }

    /// Deletes rows, and inserts them as they are to be: no two rows have a key at the same time.
    ///
    /// References are checked at the commit, when the rows are there again.
    private func replace(
        _ changes: [RowReplacement], of entity: Entity, by driver: any TransactionDriver
    ) throws {
        _ = try driver.delete(from: entity, where: .isIn(.attribute("id"), changes.map { $0.after[0] }))
        let check = check(of: entity)
        var rows = changes.makeIterator()
        _ = try driver.insert(into: entity, onConflict: .fail) { row in
            guard let next = rows.next() else { return false }
            row.reset()
            for value in next.after { try row.write(value) }
            try check.complete(&row)
            return true
        }
    }
}

/// A row that is there already, and what it becomes.
struct RowReplacement {
    let before: [StoredValue]
    let after: [StoredValue]
}

extension Entity {
    /// Whether a unique constraint or its filter uses an attribute.
    fileprivate func isKey(_ attribute: String) -> Bool {
        uniqueConstraints.contains { $0.concerns(attribute) }
    }
}
