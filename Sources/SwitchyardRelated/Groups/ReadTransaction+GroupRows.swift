/// Reads the groups of `aggregate` as their Swift types.
extension ReadTransaction {
    /// Reads each group that is chosen: its keys, then its figures.
    func aggregate<Element: Model, Row>(
        _ query: Query<Element>, by keys: [Result<GroupingKey, StoreError>],
        _ figures: [Result<GroupFigure, StoreError>],
        choosing choice: Result<GroupChoice, StoreError> = .success(GroupChoice()),
        _ read: (inout AggregateRow) throws -> Row
    ) throws -> [Row] {
        try perform {
            try requireUnlimited(query)
            let keys = try keys.map { try $0.get() }
            let choice = try choice.get()
            let asked = try figures.map { try $0.get() }
            let figures = asked + choice.figures.map { GroupFigure($0) }.filter { !asked.contains($0) }
            let rows = try selection(query)
            let checked = try figures.map {
                GroupFigure(try validated($0.function, in: rows.entity), over: $0.span)
            }
            // A key that is worked out from values of an attribute is not one of them.
            let attributes =
                keys.map { $0.isAttribute ? $0.attribute : nil } + figures.map(\.function.attribute)
            let groups = try aggregate(rows, by: keys, figures: checked)
            return try choice.chosen(of: groups, figures: figures, after: keys.count).map { values in
                var row = AggregateRow(values: values) { column, type, fits in
                    try self.requireFit(type, of: attributes[column], among: rows, fits)
                }
                return try read(&row)
            }
        }
    }

    /// Returns the single row of a result without groups.
    func aggregate<Element: Model, Row>(
        _ query: Query<Element>, _ figures: [Result<GroupFigure, StoreError>],
        _ read: (inout AggregateRow) throws -> Row
    ) throws -> Row {
        let rows = try aggregate(query, by: [], figures, read)
        guard let row = rows.first else {
            throw StoreError(.backend, "The store returned no figures.", entity: Element.entityName)
        }
        return row
    }

    /// Throws the error of a figure or a key that does not have the expected type, with the id of the first row whose
    /// value does not.
    private func requireFit(
        _ type: Any.Type, of attribute: String?, among rows: Selection, _ fits: (StoredValue) -> Bool
    ) throws -> Never {
        let entity = rows.entity
        if let attribute = attribute.flatMap(entity.attribute) {
            try requireDecodable(
                Selection(
                    entity: entity, columns: [.attribute(attribute.name)], condition: rows.condition)
            ) { row in
                let stored = try row.read(attribute.type)
                guard fits(stored) else { throw row.unfit(type, found: stored) }
            }
        }
        throw StoreError(
            .corrupted, "The store returned a figure that is not of type \(type).", entity: entity.name,
            attribute: attribute)
    }
}
