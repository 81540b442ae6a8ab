internal import SwitchyardCore

/// The entities and attributes behind the names that the database knows.
struct ErrorNames: Sendable {
    private struct Place: Sendable {
        let entity: String
        let attribute: String?
    }

    private var constraints: [String: Place] = [:]
    private var columns: [String: [String: String]] = [:]

    init(_ schema: Schema) {
        for entity in schema.entities {
            constraints[ConstraintName.primaryKey(of: entity)] = Place(entity: entity.name, attribute: "id")
            for constraint in entity.uniqueConstraints {
                let attributes = constraint.attributes
                constraints[constraint.name(in: entity)] = Place(
                    entity: entity.name, attribute: attributes.count == 1 ? attributes[0] : nil)
            }
            for attribute in entity.attributes {
                let place = Place(entity: entity.name, attribute: attribute.name)
                constraints[ConstraintName.check(attribute, of: entity)] = place
                if attribute.reference != nil {
                    constraints[ConstraintName.reference(attribute, of: entity)] = place
                }
                columns[entity.name, default: [:]][attribute.column] = attribute.name
            }
        }
    }

    /// Puts entity and attribute in the place of constraint, table and column.
    func apply(to error: inout StoreError) {
        if let place = error.constraint.flatMap({ constraints[$0] }) {
            error.entity = place.entity
            error.attribute = place.attribute
        } else if let table = error.entity, let column = error.attribute {
            error.attribute = columns[table]?[column] ?? column
        }
    }
}
