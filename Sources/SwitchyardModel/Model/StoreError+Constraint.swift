/// The errors of writes that violate a constraint of the schema, with the same text on every backend.
///
/// Each has the entity that declares the constraint, the attribute if it is about a single one, and the constraint's
/// `ConstraintName`. Attributes appear under their own names, not those of their columns.
extension StoreError {
    /// The error of a second row with the same id.
    public static func duplicateID(in entity: Entity) -> StoreError {
        StoreError(
            .unique, "Another row has the same id. Update that row, or give this one an id of its own.",
            entity: entity.name, attribute: "id", constraint: ConstraintName.primaryKey(of: entity))
    }

    /// The error of a second row with the same key of a unique constraint.
    public static func duplicate(_ constraint: UniqueConstraint, in entity: Entity) -> StoreError {
        var error = duplicate(constraint.attributes, in: entity)
        error.constraint = constraint.name(in: entity)
        return error
    }

    /// The error of a second row with the same key, if several constraints have these attributes and the backend does
    /// not say which of them was violated.
    public static func duplicate(_ attributes: [String], in entity: Entity) -> StoreError {
        StoreError(
            .unique,
            "Another row has the same \(attributes.joined(separator: ", ")). Update that row, or give this one "
                + "other values.",
            entity: entity.name, attribute: attributes.count == 1 ? attributes[0] : nil)
    }

    /// The error of a reference to a row that does not exist when the transaction ends.
    public static func danglingReference(_ attribute: Attribute, of entity: Entity) -> StoreError {
        let target = attribute.reference ?? "row"
        return StoreError(
            .foreignKey,
            "A row refers to a \(target) that does not exist at the end of the transaction. Insert that \(target), or "
                + "change or delete the row that refers to it.",
            entity: entity.name, attribute: attribute.name,
            constraint: ConstraintName.reference(attribute, of: entity))
    }

    /// The error of a delete that a `deny` rule refuses.
    ///
    /// - Parameters:
    ///   - attribute: The reference to the rows that were to be deleted.
    ///   - entity: The entity of the rows that refer to them.
    ///   - count: The number of rows that refer to them, at least 1.
    /// - Returns: The error, with the entity, attribute and constraint of a dangling reference.
    package static func deniedDelete(_ attribute: Attribute, of entity: Entity, count: Int) -> StoreError {
        StoreError(
            .foreignKey,
            "\(count) \(count == 1 ? "row" : "rows") of \(entity.name) still \(count == 1 ? "refers" : "refer") to a "
                + "\(attribute.reference ?? "row") to be deleted, and the delete rule is deny. Change or delete "
                + "\(count == 1 ? "that row" : "those rows") first.",
            entity: entity.name, attribute: attribute.name,
            constraint: ConstraintName.reference(attribute, of: entity))
    }

    /// The error of a required attribute without a value.
    public static func missingValue(_ attribute: Attribute, of entity: Entity) -> StoreError {
        StoreError(
            .notNull,
            "The attribute needs a value, but the row has none. Give it one, or make the attribute optional.",
            entity: entity.name, attribute: attribute.name)
    }

    /// The error of a value that its attribute does not allow.
    public static func disallowedValue(_ attribute: Attribute, of entity: Entity) -> StoreError {
        let message =
            if attribute.cases != nil {
                "The value is not a case of the attribute's enum. Store the raw value of one of its cases."
            } else if attribute.domain != nil {
                "The attribute's type cannot hold this number. Store another one, or give the attribute a wider type."
            } else {
                "The attribute's type does not have this value. Store another one."
            }
        return StoreError(
            .check, message, entity: entity.name, attribute: attribute.name,
            constraint: ConstraintName.check(attribute, of: entity))
    }
}
