extension Schema {
    /// Returns the error of a constraint by its name in the database; nil if no entity, nor a table of the history, has a
    /// constraint of that name.
    ///
    /// - Complexity: O(constraints of the schema).
    package func violation(of constraint: String) -> StoreError? {
        for entity in tables {
            if constraint == ConstraintName.primaryKey(of: entity) { return .duplicateID(in: entity) }
            if let unique = entity.uniqueConstraints.first(where: { $0.name(in: entity) == constraint }) {
                return .duplicate(unique, in: entity)
            }
            for attribute in entity.attributes {
                if attribute.reference != nil, constraint == ConstraintName.reference(attribute, of: entity) {
                    return .danglingReference(attribute, of: entity)
                }
                if constraint == ConstraintName.check(attribute, of: entity) {
                    return .disallowedValue(attribute, of: entity)
                }
            }
        }
        return nil
    }
}
