extension WriteTransaction {
    /// Inserts rows, or updates the stored rows that have the same values in all attributes of a key.
    ///
    /// If several elements have the same key, the last one wins. A stored row keeps its id.
    ///
    /// - Parameters:
    ///   - elements: The rows.
    ///   - key: `id`, or the attributes of a unique constraint of the model.
    /// - Returns: The rows as they are stored now, one for each distinct key, in the order of the elements.
    /// - Throws: `unsupported` if the model declares no such key; otherwise as `insert(_:)`.
    /// - Complexity: All elements are held in memory. A database returns the rows from the statements that write them,
    ///   each of which writes many rows.
    @discardableResult
    public func upsert<Element: Model>(
        _ elements: some Sequence<Element>, on key: PartialKeyPath<Element>...
    ) throws -> [Element] {
        try upsert(elements, key: key)
    }

    /// Inserts rows, or updates the stored rows that have the same values in all attributes of a key.
    ///
    /// It is the other method for arrays: in `upsert([Film(title: "Alien")], on: \.title)`, the compiler needs the array's
    /// type to find the model of the key path.
    ///
    /// - Returns: The rows as they are stored now, one for each distinct key, in the order of the elements.
    /// - Throws: As the method for sequences.
    @discardableResult
    public func upsert<Element: Model>(
        _ elements: [Element], on key: PartialKeyPath<Element>...
    ) throws -> [Element] {
        try upsert(elements, key: key)
    }

    /// Inserts a row, or updates the stored row that has the same values in all attributes of a key.
    ///
    /// - Returns: The row as it is stored now; a stored row keeps its id.
    /// - Throws: As `upsert(_:on:)` with several elements.
    @discardableResult
    public func upsert<Element: Model>(_ element: Element, on key: PartialKeyPath<Element>...) throws
        -> Element
    {
        guard let stored = try upsert(CollectionOfOne(element), key: key).first else {
            throw StoreError(.backend, "The store returned no row.", entity: Element.entityName)
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
            let check = check(of: entity)
            let updated = entity.attributes.map(\.name).filter { $0 != "id" && !key.contains($0) }
            var stored = [Element?](repeating: nil, count: rows.values.count)
            _ = try driver.insert(into: entity, onConflict: .update(key: key, set: updated)) { row in
                guard let values = iterator.next() else { return false }
                row.reset()
                for value in values { try row.write(value) }
                try check.complete(&row)
                return true
            } stored: { row in
                // Only the key is decoded.
                let values = try entity.attributes.prefix(rows.keyWidth).map { try row.read($0.type) }
                row.rewind()
                guard let position = rows.position(of: values) else {
                    throw StoreError(
                        .backend, "The store returned a row that the upsert did not write.",
                        entity: entity.name)
                }
                stored[position] = try Element(from: &row)
            }
            return try stored.map { element in
                guard let element else {
                    throw StoreError(
                        .backend, "The store did not return all rows of the upsert.", entity: entity.name)
                }
                return element
            }
        }
    }

    /// Checks that the entity declares a key.
    ///
    /// - Returns: Whether two nils in the key count as different.
    private func requireKey(_ key: [String], of entity: Entity) throws -> Bool {
        guard let nilsAreDistinct = entity.nilsAreDistinct(inKey: key) else {
            throw StoreError(
                .unsupported,
                "The key of an upsert must be the id or a unique constraint without a filter; "
                    + "(\(key.joined(separator: ", "))) is neither.", entity: entity.name)
        }
        return nilsAreDistinct
    }
}

extension Entity {
    /// Whether two nils in the key of an upsert count as different; nil if the entity declares no such key.
    func nilsAreDistinct(inKey key: [String]) -> Bool? {
        if key == ["id"] { return true }
        return uniqueConstraints.first { Set($0.attributes) == Set(key) && $0.filter == nil }?.nilsAreDistinct
    }
}

/// The rows of an upsert as values: for each key, the last one.
private struct UpsertRows {
    private(set) var values: [[StoredValue]] = []
    private var positions: [Identity: Int] = [:]
    /// The columns of the key.
    private let columns: [Int]
    private let nilsAreDistinct: Bool

    /// What tells a row from the others.
    private enum Identity: Hashable {
        case value(StoredValue)
        case values([StoredValue])
    }

    init<Element: Model>(
        _ elements: some Sequence<Element>, key: [String], nilsAreDistinct: Bool, entity: Entity
    ) throws {
        columns = key.compactMap { entity.column($0) }
        self.nilsAreDistinct = nilsAreDistinct
        values.reserveCapacity(elements.underestimatedCount)
        positions.reserveCapacity(elements.underestimatedCount)
        var row = RowWriter(context: entity.errorContext)
        for element in elements {
            row.reset()
            try element.encode(into: &row)
            let new = try row.storedValues(of: entity)
            let (identity, canRepeat) = identity(of: new)
            if canRepeat, let position = positions[identity] {
                values[position] = new
            } else {
                positions[identity] = values.count
                values.append(new)
            }
        }
    }

    /// How many of a row's first columns hold the key, and the id.
    var keyWidth: Int { 1 + (columns.max() ?? 0) }

    /// The position of the row that a stored row came from.
    ///
    /// - Parameter stored: The first `keyWidth` columns of the stored row.
    /// - Returns: Its index; nil if the stored row came from elsewhere.
    func position(of stored: [StoredValue]) -> Int? { positions[identity(of: stored).identity] }

    /// What identifies a row, and whether several elements can share it.
    ///
    /// It is the row's key; if the key has a nil that equals no other nil, the row cannot conflict, and its id is
    /// added.
    private func identity(of row: [StoredValue]) -> (identity: Identity, canRepeat: Bool) {
        if columns.count == 1, !nilsAreDistinct || !row[columns[0]].isNull {
            return (.value(row[columns[0]]), true)
        }
        let key = columns.map { row[$0] }
        return nilsAreDistinct && key.contains(where: \.isNull)
            ? (.values(key + [row[0]]), false) : (.values(key), true)
    }
}
