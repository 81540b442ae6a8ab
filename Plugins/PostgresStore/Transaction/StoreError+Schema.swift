internal import SwitchyardCore

extension StoreError {
    /// The error with the names of the schema: the server knows tables and columns, which are replaced by entities and
    /// attributes.
    func named(by schema: Schema) -> StoreError {
        var error = self
        let cause = underlying as? PostgresError
        if let violation = constraint.flatMap(schema.violation) ?? cause?.violationElsewhere(in: schema) {
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

extension PostgresError {
    /// The violated constraint of a schema, for an error that Citus passes on from another machine: Citus
    /// keeps the message, but not the name, and for a COPY not the SQLSTATE either.
    ///
    /// The message quotes the constraint of one shard. The number of the shard follows the name of an index.
    fileprivate func violationElsewhere(in schema: Schema) -> StoreError? {
        guard constraint == nil, ["ReportResultError", "ReportCopyError"].contains(routine) else {
            return nil
        }
        return message.split(whereSeparator: "\"“”„«»'‘’".contains).lazy.compactMap { name in
            if let violation = schema.violation(of: String(name)) { return violation }
            let end = name.lastIndex(of: "_") ?? name.endIndex
            return schema.violation(of: String(name[..<end]))
        }.first
    }
}
