internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults in references and delete rules.
    ///
    /// `WriteTransaction` carries out the rules and asks the backend for the rows that refer to others; these faults
    /// are in the backend's answers and actions.
    static let references: [Fault] = [
        Fault(
            "reference-unchecked", "A reference to nothing is kept.",
            FaultHooks(schema: withoutReferences)),
        Fault(
            "reference-checked-at-once", "A reference is checked when its row is written, not at the commit.",
            FaultHooks(
                insert: { driver, entity, conflict, rows in
                    let count = try driver.insertRows(rows, into: entity, onConflict: conflict)
                    try driver.requireTargets(of: entity)
                    return count
                },
                update: { driver, entity, assignments, condition in
                    let count = try driver.base.update(
                        try driver.stored(entity.name), set: assignments, where: condition)
                    try driver.requireTargets(of: entity)
                    return count
                })),
        Fault(
            "reference-unchecked-by-delete", "A deleted row leaves references to nothing.",
            FaultHooks(
                schema: withoutReferences,
                insert: { driver, entity, conflict, rows in
                    let count = try driver.insertRows(rows, into: entity, onConflict: conflict)
                    driver.mustCheck.insert(entity.name)
                    return count
                },
                update: { driver, entity, assignments, condition in
                    driver.mustCheck.insert(entity.name)
                    return try driver.base.update(
                        try driver.stored(entity.name), set: assignments, where: condition)
                })),
        Fault(
            "reference-unchecked-by-update", "A reference that is updated to nothing is kept.",
            FaultHooks(
                schema: withoutReferences,
                insert: { driver, entity, conflict, rows in
                    driver.mustCheck.insert(entity.name)
                    return try driver.insertRows(rows, into: entity, onConflict: conflict)
                },
                delete: { driver, entity, condition in
                    driver.mustCheck.formUnion(driver.schema.entities.map(\.name))
                    return try driver.base.delete(from: try driver.stored(entity.name), where: condition)
                })),
        referrers("cascade-one-level", "Rows that refer to rows deleted by a cascade are not found.") {
            driver, attribute, rule in
            driver.askedReferences[attribute, default: 0] += 1
            return rule == .cascade && driver.askedReferences[attribute] ?? 0 > 1
        },
        referrers("cascade-none", "Rows that a cascade deletes are not found.") { _, _, rule in
            rule == .cascade
        },
        referrers("deny-none", "Rows that deny a delete are not found.") { _, _, rule in rule == .deny },
        Fault(
            "deny-unchecked", "Rows that deny a delete are not found, and refer to nothing afterwards.",
            FaultHooks(
                schema: withoutReferences,
                select: { driver, selection in
                    driver.rule(ofReferrersIn: selection)?.1 == .deny ? [] : nil
                })),
        Fault(
            "nullify-none", "References that a delete makes nil are left.",
            FaultHooks(
                schema: withoutReferences,
                update: { driver, entity, assignments, condition in
                    guard case .isIn(.attribute(let name), _) = condition,
                        assignments == [Assignment(attribute: name, value: .value(.null))]
                    else {
                        return try driver.base.update(
                            try driver.stored(entity.name), set: assignments, where: condition)
                    }
                    return 0
                })),
        Fault(
            "nullify-self", "References of an entity to itself that a delete makes nil are left.",
            FaultHooks(
                schema: withoutReferences,
                update: { driver, entity, assignments, condition in
                    guard case .isIn(.attribute(let name), _) = condition,
                        entity.attribute(name)?.reference == entity.name
                    else {
                        return try driver.base.update(
                            try driver.stored(entity.name), set: assignments, where: condition)
                    }
                    return 0
                })),
    ]

    private static let withoutReferences: @Sendable (Schema) throws -> Schema = { schema in
        try Schema(
            version: schema.version,
            entities: schema.entities.map { entity in
                Entity(
                    Entity(
                        entity.name, attributes: entity.attributes, indexes: entity.indexes,
                        uniqueConstraints: entity.uniqueConstraints),
                    attributes: entity.attributes.map { attribute in
                        Attribute(
                            attribute.name, column: attribute.column, type: attribute.type,
                            isOptional: attribute.isOptional, defaultValue: attribute.defaultValue,
                            cases: attribute.cases, domain: attribute.domain,
                            isSearchable: attribute.isSearchable)
                    })
            })
    }

    /// A fault in which some of the referring rows are not found.
    private static func referrers(
        _ name: String, _ summary: String,
        _ areLost: @escaping @Sendable (FaultyDriver, _ attribute: String, DeleteRule) -> Bool
    ) -> Fault {
        Fault(
            name, summary,
            FaultHooks(select: { driver, selection in
                guard let (attribute, rule) = driver.rule(ofReferrersIn: selection) else { return nil }
                return areLost(driver, attribute, rule) ? [] : nil
            }))
    }
}

extension FaultyDriver {
    /// The attribute and the delete rule that a selection concerns, if it selects the ids of rows that refer to
    /// others.
    fileprivate func rule(ofReferrersIn selection: Selection) -> (String, DeleteRule)? {
        guard selection.columns == [.attribute("id")],
            case .isIn(.attribute(let name), _) = selection.condition,
            let target = selection.entity.attribute(name)?.reference
        else { return nil }
        let relationship = schema.entity(target)?.relationships.first {
            $0.target == selection.entity.name && $0.inverse == name
        }
        return relationship.map { ("\(selection.entity.name).\(name)", $0.deleteRule) }
    }

    /// Checks that all references of an entity's rows point to existing rows.
    ///
    /// - Throws: `foreignKey`.
    func requireTargets(of entity: Entity) throws {
        for attribute in entity.attributes {
            guard let name = attribute.reference, let column = entity.column(attribute.name) else { continue }
            let targets = Set(try rows(of: try schema.require(name)).map { $0[0] })
            for row in try rows(of: entity) where !row[column].isNull && !targets.contains(row[column]) {
                throw StoreError(
                    .foreignKey, "A row refers to a \(name) that is not there.", entity: entity.name,
                    attribute: attribute.name, constraint: ConstraintName.reference(attribute, of: entity))
            }
        }
    }
}
