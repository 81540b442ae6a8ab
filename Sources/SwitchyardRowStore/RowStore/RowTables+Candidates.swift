extension RowTables {
    /// The ids of the only rows that can match a condition, ascending, if the condition names an id, a whole unique key
    /// or the targets of a reference; nil if all rows must be tried.
    func candidates(for condition: Condition, of entity: Entity, in table: Int) throws -> [RowID]? {
        let terms = if case .all(let terms) = condition { terms } else { [condition] }
        var equals: [String: StoredValue] = [:]
        var referring: [RowID]?
        for term in terms {
            switch term {
            case .compare(.attribute(let name), .equal, .value(let value)):
                equals[name] = value
                referring = try referring ?? rows(referringTo: [value], by: name, of: entity, in: table)
            case .isIn(.attribute("id"), let values): return Set(values.compactMap { RowID($0) }).sorted()
            case .isIn(.attribute(let name), let values):
                referring = try referring ?? rows(referringTo: values, by: name, of: entity, in: table)
            default: continue
            }
        }
        if let id = equals["id"] { return RowID(id).map { [$0] } ?? [] }
        for (index, constraint) in entity.uniqueConstraints.enumerated() where constraint.filter == nil {
            let key = constraint.attributes.compactMap { equals[$0] }
            guard key.count == constraint.attributes.count,
                !constraint.nilsAreDistinct || !key.contains(where: \.isNull)
            else { continue }
            return try row(ofKey: key, inConstraint: index, in: table).map { [$0] } ?? []
        }
        return referring
    }

    /// The rows whose attribute has one of the values, ascending; nil if it is not a reference or one of the values is null.
    private func rows(
        referringTo values: [StoredValue], by name: String, of entity: Entity, in table: Int
    ) throws -> [RowID]? {
        let targets = Set(values.compactMap { RowID($0) })
        guard targets.count == Set(values).count, let column = entity.column(name),
            schema.tables[table].attributes[column].reference != nil
        else { return nil }
        return try targets.flatMap { try rows(referringTo: $0, by: column, in: table) }.sorted()
    }
}

extension Condition {
    /// The ids that rows can have which match the condition.
    var idRange: ClosedRange<RowID> {
        let terms = if case .all(let terms) = self { terms } else { [self] }
        var (least, greatest) = (RowID.least, RowID.greatest)
        for case .compare(.attribute("id"), let comparison, .value(let value)) in terms {
            guard let id = RowID(value) else { continue }
            switch comparison {
            case .greater, .greaterOrEqual: least = max(least, id)
            case .less, .lessOrEqual: greatest = min(greatest, id)
            case .equal, .notEqual: break
            }
        }
        return least <= greatest ? least...greatest : least...least
    }
}
