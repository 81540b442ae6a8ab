extension Condition {
    /// Checks a condition against an entity: that each attribute and relationship exists, that operands have
    /// types that compare, that searches are declared, and that depth and size stay within what every backend
    /// bears.
    ///
    /// Comparisons of two constants are worked out, and lists inside lists made flat, so that a driver never
    /// meets them.
    ///
    /// - Returns: The condition to give to a driver.
    /// - Throws: `unsupported`, naming the part that is at fault; `valueNotRepresentable` for a constant that
    ///   no backend can hold; `arithmetic` for a calculation with constants that fails.
    func validated(in entity: Entity, schema: Schema) throws -> Condition {
        var validation = Validation(entity: entity, schema: schema)
        return try validation.condition(self)
    }
}

extension Assignment {
    /// Checks an assignment against an entity.
    ///
    /// - Throws: `unsupported` or `valueNotRepresentable`, naming the attribute.
    func validated(in entity: Entity, schema: Schema) throws -> Assignment {
        guard let target = entity.attribute(attribute), attribute != "id" else {
            throw StoreError(
                .unsupported,
                attribute == "id"
                    ? "The id of a row cannot be changed; insert a new row and delete the old one."
                    : "There is no attribute `\(attribute)` to set.", entity: entity.name,
                attribute: attribute)
        }
        var validation = Validation(entity: entity, schema: schema)
        let (operand, type) = try validation.operand(value)
        guard type == nil || type == target.type else {
            throw StoreError(
                .unsupported,
                "The attribute has the type \(target.type), the value has \(type?.rawValue ?? "none").",
                entity: entity.name, attribute: attribute)
        }
        if case .value(let constant) = operand {
            try target.requireAllowed(constant, in: entity)
        } else if entity.uniqueConstraints.contains(where: { $0.attributes.contains(attribute) }) {
            // Databases look for duplicates after each row, in an order of their own: whether n = n + 1
            // passes through one would depend on it.
            throw StoreError(
                .unsupported,
                "An attribute of a unique constraint can be set to a constant only, not to a value worked out for each row.",
                entity: entity.name, attribute: attribute)
        }
        return Assignment(attribute: attribute, value: operand)
    }
}

extension Attribute {
    /// Checks a value that every row of an update is to get.
    fileprivate func requireAllowed(_ value: StoredValue, in entity: Entity) throws {
        if value.isNull, !isOptional {
            throw StoreError(.notNull, "The attribute needs a value.", entity: entity.name, attribute: name)
        }
        if let cases, !value.isNull, !cases.contains(value) {
            throw StoreError(
                .check, "The value is no case of the enum.", entity: entity.name, attribute: name,
                constraint: ConstraintName.check(self, of: entity))
        }
    }
}
