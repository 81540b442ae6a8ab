/// Rows without their Swift types, for code that works from the schema alone: transfer, restore, CSV of any entity.
extension WriteTransaction {
    /// Inserts any number of rows, each given as its values in the order of the entity's attributes.
    ///
    /// - Parameters:
    ///   - entityName: The entity.
    ///   - rows: The rows.
    ///   - skippingExisting: Whether to skip a row whose id already exists, instead of refusing it.
    /// - Returns: The number of rows inserted.
    /// - Throws: `notNull`, `check` or `valueNotRepresentable` for a value that its attribute does not allow,
    ///   `unique` for a row that already exists; no row is inserted then. An attribute's values are restricted by its
    ///   `cases` and its `domain`; JSON must be valid, and is stored in its canonical form.
    @discardableResult
    public func insertRows(
        into entityName: String, _ rows: some Sequence<[StoredValue]>, skippingExisting: Bool = false
    ) throws -> Int {
        try perform {
            let conflict: ConflictResolution = skippingExisting ? .ignore(key: ["id"]) : .fail
            return try insert(rows, into: try schema.require(entityName), onConflict: conflict)
        }
    }

    /// Inserts any number of rows, each given as its values in the order of the entity's attributes, or updates the stored
    /// rows that have their ids.
    ///
    /// - Parameters:
    ///   - entityName: The entity.
    ///   - rows: The rows, no two of them with the same id.
    ///   - attributes: The attributes that stored rows get; nil for all.
    /// - Returns: The number of rows inserted and updated.
    /// - Throws: As `insertRows`; `unique` for a row that has the key of another one.
    @discardableResult
    public func upsertRows(
        into entityName: String, _ rows: some Sequence<[StoredValue]>, setting attributes: [String]? = nil
    ) throws -> Int {
        try perform {
            let entity = try schema.require(entityName)
            return try upsertRows(
                rows, into: entity, setting: attributes ?? entity.attributes.dropFirst().map(\.name))
        }
    }

    /// Inserts rows, or updates some of the attributes of those that have their ids.
    func upsertRows(
        _ rows: some Sequence<[StoredValue]>, into entity: Entity, setting attributes: [String]
    ) throws -> Int {
        try insert(rows, into: entity, onConflict: .update(key: ["id"], set: attributes))
    }

    private func insert(
        _ rows: some Sequence<[StoredValue]>, into entity: Entity, onConflict conflict: ConflictResolution
    ) throws -> Int {
        let check = check(of: entity)
        let values = ValueCheck(entity)
        var iterator = rows.makeIterator()
        return try driver.insert(into: entity, onConflict: conflict) { row in
            guard let next = iterator.next() else { return false }
            row.reset()
            for value in try values.fitting(next) { try row.write(value) }
            try check.complete(&row)
            return true
        }
    }

    /// Sets attributes of all rows that match a condition.
    ///
    /// - Returns: The number of rows that matched.
    /// - Throws: As `insertRows` for the values, `unsupported` for a condition or an operand that makes no
    ///   sense.
    @discardableResult
    public func updateRows(
        of entityName: String, set assignments: [Assignment], where condition: Condition
    ) throws -> Int {
        try perform {
            let entity = try schema.require(entityName)
            return try update(
                entity, set: assignments, where: try validated(condition, in: entity))
        }
    }

    /// Deletes all rows that match a condition, and applies the delete rules to the rows that refer to them.
    ///
    /// - Returns: The number of rows that matched; those deleted by cascade are not counted.
    /// - Throws: `foreignKey` if a `deny` rule protects one of them; nothing is deleted then.
    @discardableResult
    public func deleteRows(of entityName: String, where condition: Condition) throws -> Int {
        try perform {
            let entity = try schema.require(entityName)
            return try delete(from: entity, where: try validated(condition, in: entity))
        }
    }
}

/// Checks untyped values against the attributes that they are stored in.
package struct ValueCheck {
    private let entity: Entity
    private let cases: [Set<StoredValue>?]

    package init(_ entity: Entity) {
        self.entity = entity
        cases = entity.attributes.map { $0.cases.map { Set($0) } }
    }

    /// Returns the row as it is to be stored, with its JSON in canonical form, as the typed path writes it.
    ///
    /// - Throws: `notNull`, `check` or `valueNotRepresentable`, naming the attribute.
    package func fitting(_ row: [StoredValue]) throws -> [StoredValue] {
        guard row.count == entity.attributes.count else {
            throw StoreError(
                .valueNotRepresentable,
                "A row has \(row.count) values, but the entity has \(entity.attributes.count) attributes. Give one "
                    + "value for each attribute, in their order.",
                entity: entity.name)
        }
        var fitting = row
        for (index, value) in row.enumerated() {
            try requireFit(value, at: index)
            if case .json(let text) = value { fitting[index] = .json(try canonical(text, at: index)) }
        }
        return fitting
    }

    private func canonical(_ text: String, at index: Int) throws -> String {
        guard let canonical = CanonicalJSON.canonical(text) else {
            throw StoreError(
                .valueNotRepresentable, "The attribute takes JSON, but the text is not valid JSON.",
                entity: entity.name, attribute: entity.attributes[index].name)
        }
        return canonical
    }

    private func requireFit(_ value: StoredValue, at index: Int) throws {
        let attribute = entity.attributes[index]
        guard let type = value.type else {
            guard attribute.isOptional else {
                throw StoreError.missingValue(attribute, of: entity)
            }
            return
        }
        guard type == attribute.type else {
            throw StoreError(
                .valueNotRepresentable,
                "The attribute takes \(attribute.type.rawValue), not \(type.rawValue).",
                entity: entity.name, attribute: attribute.name)
        }
        guard cases[index]?.contains(value) ?? true, attribute.domain?.contains(value) ?? true else {
            throw StoreError.disallowedValue(attribute, of: entity)
        }
    }
}
