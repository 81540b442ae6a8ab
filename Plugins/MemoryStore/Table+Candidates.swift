internal import SwitchyardCore

extension Table {
    /// The ids of the only rows that can fulfil a condition, ascending, where the condition names an id or a
    /// whole unique key; nil where all rows must be tried.
    func candidates(for condition: Condition, of entity: Entity) -> [RowID]? {
        let terms = if case .all(let terms) = condition { terms } else { [condition] }
        var equals: [String: StoredValue] = [:]
        // A term that can fail must be tried on every row that the terms before it leave open.
        for term in terms.prefix(while: { !$0.canFail }) {
            switch term {
            case .compare(.attribute(let name), .equal, .value(let value)): equals[name] = value
            case .isIn(.attribute("id"), let values): return Set(values.compactMap { RowID($0) }).sorted()
            default: continue
            }
        }
        if let id = equals["id"] { return RowID(id).map { [$0] } ?? [] }
        for (index, constraint) in entity.uniqueConstraints.enumerated() where constraint.filter == nil {
            let key = constraint.attributes.compactMap { equals[$0] }
            guard key.count == constraint.attributes.count,
                !constraint.nilsAreDistinct || !key.contains(where: \.isNull)
            else { continue }
            return row(ofKey: key, inConstraint: index).map { [$0] } ?? []
        }
        return nil
    }
}
