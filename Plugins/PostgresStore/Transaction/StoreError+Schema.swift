internal import SwitchyardCore

extension StoreError {
    /// The error in the schema's words, where the server names a constraint or a column of it.
    ///
    /// The server knows tables and columns; entities and attributes stand in their places.
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
