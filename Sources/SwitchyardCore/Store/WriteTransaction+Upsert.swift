extension WriteTransaction {
    /// Inserts rows, and updates those that agree with a stored one in all attributes of a key.
    ///
    /// Of several elements with one key the last wins. A stored row keeps its id.
    ///
    /// - Parameters:
    ///   - elements: The rows.
    ///   - key: The attributes of `id` or of a unique constraint of the model.
    /// - Returns: The rows as they are stored now, one for each distinct key, in the order of the elements.
    /// - Throws: `unsupported` if the key is not a declared one; otherwise as `insert(_:)`.
    /// - Complexity: All elements are held in memory.
    @discardableResult
    public func upsert<Element: Model>(
        _ elements: some Sequence<Element>, on key: PartialKeyPath<Element>...
    ) throws -> [Element] {
        try upsert(elements, key: key)
    }

    /// Inserts a row, or updates the stored one that agrees with it in all attributes of a key.
    ///
    /// - Returns: The row as it is stored now; a stored row keeps its id.
    /// - Throws: As `upsert(_:on:)` of several.
    @discardableResult
    public func upsert<Element: Model>(_ element: Element, on key: PartialKeyPath<Element>...) throws
        -> Element
    {
        guard let stored = try upsert(CollectionOfOne(element), key: key).first else {
            throw StoreError(.backend, "The store gave back no row.", entity: Element.entityName)
        }
        return stored
    }

    private func upsert<Element: Model>(
        _ elements: some Sequence<Element>, key: [PartialKeyPath<Element>]
    ) throws -> [Element] {
        try perform {
            let entity = try entity(Element.self)
            let key = try key.map { try Element.attribute(at: $0).get() }
            let nilsAreDistinct = try requireKey(key, of: entity)
            let rows = try UpsertRows(elements, key: key, nilsAreDistinct: nilsAreDistinct, entity: entity)
            var iterator = rows.values.makeIterator()
            let check = RowCheck(entity)
            let updated = entity.attributes.map(\.name).filter { $0 != "id" && !key.contains($0) }
            _ = try driver.insert(into: entity, onConflict: .update(key: key, set: updated)) { row in
                guard let values = iterator.next() else { return false }
                row.reset()
                for value in values { try row.write(value) }
                try check.complete(&row)
                return true
            }
            return try stored(rows, key: key, nilsAreDistinct: nilsAreDistinct, entity: entity)
        }
    }

    /// Checks that a key is a declared one.
    ///
    /// - Returns: Whether two nils in it count as different.
    private func requireKey(_ key: [String], of entity: Entity) throws -> Bool {
        if key == ["id"] { return true }
        let declared = entity.uniqueConstraints.first { Set($0.attributes) == Set(key) && $0.filter == nil }
        guard let declared else {
            throw StoreError(
                .unsupported,
                "An upsert needs the id or a unique constraint without a filter as its key; "
                    + "(\(key.joined(separator: ", "))) is neither.", entity: entity.name)
        }
        return declared.nilsAreDistinct
    }

    /// Fetches the rows by their keys, since a backend may give them back in any order.
    ///
    /// Where nils are distinct, a key with a nil in it never meets a stored row, so its row is the one with
    /// the element's id.
    private func stored<Element: Model>(
        _ rows: UpsertRows, key: [String], nilsAreDistinct: Bool, entity: Entity
    ) throws -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(rows.values.count)
        let columns = key.compactMap { name in entity.attributes.firstIndex { $0.name == name } }
        for values in rows.values {
            let hasNil = nilsAreDistinct && columns.contains { values[$0].isNull }
            let condition: Condition =
                hasNil
                ? .compare(.attribute("id"), .equal, .value(values[0]))
                : .all(
                    columns.map {
                        .compare(.attribute(entity.attributes[$0].name), .equal, .value(values[$0]))
                    })
            try driver.select(.rows(of: entity, where: condition)) { row in
                elements.append(try Element(from: &row))
                return false
            }
        }
        return elements
    }
}

/// The rows of an upsert as values, one for each key: the last.
private struct UpsertRows {
    private(set) var values: [[StoredValue]] = []

    init<Element: Model>(
        _ elements: some Sequence<Element>, key: [String], nilsAreDistinct: Bool, entity: Entity
    ) throws {
        let columns = key.compactMap { name in entity.attributes.firstIndex { $0.name == name } }
        var positions: [[StoredValue]: Int] = [:]
        var row = RowWriter(context: entity.rowContext)
        for element in elements {
            row.reset()
            try element.encode(into: &row)
            let new = try row.storedValues(of: entity)
            let keyValues = columns.map { new[$0] }
            let isUnique = nilsAreDistinct && keyValues.contains(where: \.isNull)
            if !isUnique, let position = positions[keyValues] {
                values[position] = new
            } else {
                positions[keyValues] = values.count
                values.append(new)
            }
        }
    }
}
