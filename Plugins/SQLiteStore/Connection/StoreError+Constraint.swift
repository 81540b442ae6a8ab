internal import GRDB
internal import GRDBSQLite
internal import SwitchyardCore

/// The errors of writes that violate a constraint. SQLite names the constraint only in its message, which contains
/// names but never values.
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
            return place.flatMap { place in
                place.attributes.first.map { .missingValue($0, of: place.entity) }
            } ?? StoreError(.notNull, "A required attribute has no value.")
        case .SQLITE_CONSTRAINT_CHECK, .SQLITE_CONSTRAINT_DATATYPE:
            return schema?.violation(of: subject)
                ?? StoreError(.check, "A value is outside what its column allows.", constraint: subject)
        case .SQLITE_CONSTRAINT_FOREIGNKEY, .SQLITE_CONSTRAINT_COMMITHOOK, .SQLITE_CONSTRAINT_TRIGGER:
            return StoreError(.foreignKey, "A reference points to a row that does not exist.")
        default: return nil
        }
    }

    private static func unique(_ subject: String, in schema: Schema?) -> StoreError {
        if subject.hasPrefix("index '"), subject.hasSuffix("'") {
            // An index over expressions; SQLite names the index instead of its columns.
            let name = String(subject.dropFirst(7).dropLast())
            for entity in schema?.entities ?? [] {
                for constraint in entity.uniqueConstraints where constraint.nameForNils(in: entity) == name {
                    return .duplicate(constraint, in: entity)
                }
            }
        } else if let (entity, attributes) = schema?.place(subject) {
            let names = attributes.map(\.name)
            if names == ["id"] { return .duplicateID(in: entity) }
            // Constraints can differ only in their filters, and SQLite does not say which one was violated.
            let candidates = entity.uniqueConstraints.filter { $0.attributes == names }
            return candidates.count == 1
                ? .duplicate(candidates[0], in: entity) : .duplicate(names, in: entity)
        }
        return StoreError(.unique, "Another row has the same values.", constraint: subject)
    }
}

extension Schema {
    /// The entity and attributes of a list of columns such as `Pet.kind, Pet.kg`; names never contain `.` or `,`.
    ///
    /// Columns without an attribute, such as a scope, are left out.
    fileprivate func place(_ columns: String) -> (entity: Entity, attributes: [Attribute])? {
        let parts = columns.split(separator: ", ").map { $0.split(separator: ".") }
        guard let table = parts.first?.first, let entity = tables.first(where: { $0.table == table }) else {
            return nil
        }
        let attributes = parts.compactMap { part in
            part.last.flatMap { column in entity.attributes.first { $0.column == column } }
        }
        return (entity, attributes)
    }
}
