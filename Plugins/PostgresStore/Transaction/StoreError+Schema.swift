internal import SwitchyardCore

extension StoreError {
    /// The error with the names of the schema: the server knows tables and columns, which are replaced by entities and
    /// attributes.
    func named(by schema: Schema) -> StoreError {
        var error = self
        if let violation = constraint.flatMap(schema.violation) {
            error = violation
        } else if let entity = entity.flatMap({ schema.entity(inTable: $0) ?? schema.entity($0) }),
            let attribute = entity.attributes.first(where: { $0.column == attribute })
        {
            if code == .notNull { error = .missingValue(attribute, of: entity) }
            (error.entity, error.attribute) = (entity.name, attribute.name)
        }
        error.detail = detail
        error.underlying = underlying
        return error
    }
}
