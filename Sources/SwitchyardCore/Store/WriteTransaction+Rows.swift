/// Rows without their Swift types, for what works from the schema alone: transfer, restoring, CSV of any
/// entity.
extension WriteTransaction {
    /// Inserts rows of values, each in the order of the entity's attributes, however many.
    ///
    /// - Parameters:
    ///   - entityName: The entity.
    ///   - rows: The rows.
    ///   - skippingExisting: Whether a row whose id is there already is left out instead of refused.
    /// - Returns: The number of rows inserted.
    /// - Throws: `notNull`, `check` or `valueNotRepresentable` for a value that its attribute does not allow,
    ///   `unique` for a row that is there already; none is inserted then. What an attribute allows are its
    ///   `cases`, its `domain` and, for JSON, text that is JSON; it is stored in its canonical form.
    @discardableResult
    public func insertRows(
        into entityName: String, _ rows: some Sequence<[StoredValue]>, skippingExisting: Bool = false
    ) throws -> Int {
        try perform {
            let entity = try schema.require(entityName)
            let check = RowCheck(entity)
            let values = ValueCheck(entity)
            var iterator = rows.makeIterator()
            let conflict: ConflictResolution = skippingExisting ? .ignore(key: ["id"]) : .fail
            return try driver.insert(into: entity, onConflict: conflict) { row in
                guard let next = iterator.next() else { return false }
                row.reset()
                for value in try values.fitting(next) { try row.write(value) }
                try check.complete(&row)
                return true
            }
        }
    }

    /// Sets attributes of all rows that fulfil a condition.
    ///
    /// - Returns: The number of rows that fulfilled it.
    /// - Throws: As `insertRows` for the values, `unsupported` for a condition or an operand that makes no
    ///   sense.
    @discardableResult
    public func updateRows(
        of entityName: String, set assignments: [Assignment], where condition: Condition
    ) throws -> Int {
        try perform {
            let entity = try schema.require(entityName)
            return try update(
                entity, set: assignments, where: try condition.validated(in: entity, schema: schema))
        }
    }

    /// Deletes all rows that fulfil a condition, and follows the delete rules of the rows that refer to them.
    ///
    /// - Returns: The number of rows that fulfilled it; those deleted by cascade are not counted.
    /// - Throws: `foreignKey` if a `deny` rule protects one of them; nothing is deleted then.
    @discardableResult
    public func deleteRows(of entityName: String, where condition: Condition) throws -> Int {
        try perform {
            let entity = try schema.require(entityName)
            return try delete(from: entity, where: try condition.validated(in: entity, schema: schema))
        }
    }
}

/// Checks values that no Swift type has checked against the attributes that they are meant for.
struct ValueCheck {
    private let entity: Entity
    private let cases: [Set<StoredValue>?]

    init(_ entity: Entity) {
        self.entity = entity
        cases = entity.attributes.map { $0.cases.map { Set($0) } }
    }

    /// The row in the form in which it is stored: JSON is made canonical, as the typed path writes it.
    ///
    /// - Throws: `notNull`, `check` or `valueNotRepresentable`, naming the attribute.
    func fitting(_ row: [StoredValue]) throws -> [StoredValue] {
        guard row.count == entity.attributes.count else {
            throw StoreError(
                .valueNotRepresentable,
                "A row has \(row.count) values, the entity \(entity.attributes.count) attributes.",
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
                .valueNotRepresentable, "The attribute takes JSON, and this is none.", entity: entity.name,
                attribute: entity.attributes[index].name)
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
