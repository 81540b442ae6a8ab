internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore

/// Which rule of the schema a refused write broke. SQLite says so in its message only, which holds names,
/// never values.
extension StoreError {
    static func constraint(_ code: CInt, _ message: String, in schema: Schema?) -> StoreError? {
        guard code & 0xFF == SQLITE_CONSTRAINT else { return nil }
        // "UNIQUE constraint failed: Pet.kind, Pet.born", "CHECK constraint failed: check_Pet_kind"
        let subject = message.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? ""
        switch ResultCode(rawValue: code) {
        case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID:
            return unique(subject, in: schema)
        case .SQLITE_CONSTRAINT_NOTNULL:
            let place = schema?.place(subject)
            return StoreError(
                .notNull, "A required attribute has no value.", entity: place?.entity.name,
                attribute: place?.attributes.first?.name)
        case .SQLITE_CONSTRAINT_CHECK, .SQLITE_CONSTRAINT_DATATYPE:
            return check(subject, in: schema)
        case .SQLITE_CONSTRAINT_FOREIGNKEY, .SQLITE_CONSTRAINT_COMMITHOOK, .SQLITE_CONSTRAINT_TRIGGER:
            return StoreError(.foreignKey, "A reference points at a row that is not there.")
        default: return nil
        }
    }

    private static func unique(_ subject: String, in schema: Schema?) -> StoreError {
        var error = StoreError(.unique, "A row with the same values is there already.")
        if subject.hasPrefix("index '"), subject.hasSuffix("'") {
            // An index over expressions, whose columns SQLite does not name.
            let name = String(subject.dropFirst(7).dropLast())
            for entity in schema?.entities ?? [] {
                for constraint in entity.uniqueConstraints where constraint.nameForNils(in: entity) == name {
                    error.entity = entity.name
                    error.constraint = constraint.name(in: entity)
                    error.attribute =
                        constraint.attributes.count == 1 ? constraint.attributes[0] : nil
                }
            }
        } else if let (entity, attributes) = schema?.place(subject) {
            error.entity = entity.name
            let names = attributes.map(\.name)
            if names == ["id"] {
                error.constraint = ConstraintName.primaryKey(of: entity)
                error.attribute = "id"
            } else {
                // Constraints can differ in their filters alone, and SQLite does not say which one it was.
                let candidates = entity.uniqueConstraints.filter { $0.attributes == names }
                error.constraint = candidates.count == 1 ? candidates[0].name(in: entity) : nil
                error.attribute = names.count == 1 ? names[0] : nil
            }
        }
        return error
    }

    private static func check(_ name: String, in schema: Schema?) -> StoreError {
        var error = StoreError(.check, "A value is outside what its attribute allows.", constraint: name)
        for entity in schema?.entities ?? [] {
            for attribute in entity.attributes where ConstraintName.check(attribute, of: entity) == name {
                error.entity = entity.name
                error.attribute = attribute.name
            }
        }
        return error
    }
}

extension Schema {
    /// The entity and attributes of a list of columns such as `Pet.kind, Pet.kg`; names are without `.` and
    /// `,`.
    ///
    /// Columns that are no attribute's, such as a scope, are left out.
    fileprivate func place(_ columns: String) -> (entity: Entity, attributes: [Attribute])? {
        let parts = columns.split(separator: ", ").map { $0.split(separator: ".") }
        guard let table = parts.first?.first, let entity = entity(String(table)) else { return nil }
        let attributes = parts.compactMap { part in
            part.last.flatMap { column in entity.attributes.first { $0.column == column } }
        }
        return (entity, attributes)
    }
}
