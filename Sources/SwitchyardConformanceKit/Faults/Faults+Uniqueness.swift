internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults in unique constraints, and in what else a backend checks about a row.
    static let uniqueness: [Fault] = [
        Fault(
            "unique-kept-after-delete", "A deleted row still holds its unique keys.",
            FaultHooks(
                insert: refusingHeldKeys,
                delete: { driver, entity, condition in
                    for row in try driver.rows(of: entity, where: condition) {
                        driver.freedKeys.formUnion(try driver.keys(of: row, entity))
                    }
                    return try driver.base.delete(from: try driver.stored(entity.name), where: condition)
                })),
        Fault(
            "unique-kept-after-update", "An updated row still holds its former unique keys.",
            FaultHooks(
                insert: refusingHeldKeys,
                update: { driver, entity, assignments, condition in
                    let before = try driver.rows(of: entity, where: condition)
                    let count = try driver.base.update(
                        try driver.stored(entity.name), set: assignments, where: condition)
                    let after = try driver.rows(
                        of: entity, where: .isIn(.attribute("id"), before.map { $0[0] }))
                    for row in before { driver.freedKeys.formUnion(try driver.keys(of: row, entity)) }
                    for row in after { driver.freedKeys.subtract(try driver.keys(of: row, entity)) }
                    return count
                })),
        Fault(
            "unique-nil-equal", "Two nils are one key although nils are distinct.",
            FaultHooks(insert: { driver, entity, conflict, rows in
                for row in rows {
                    for constraint in entity.uniqueConstraints
                    where constraint.filter == nil && conflict == .fail {
                        let key = constraint.attributes.compactMap { name in
                            entity.column(name).map { (name, row[$0]) }
                        }
                        guard key.contains(where: \.1.isNull), !key.allSatisfy(\.1.isNull) else { continue }
                        let agrees = Condition.all(
                            key.map { .compare(.attribute($0.0), .equal, .value($0.1)) })
                        if try !driver.rows(of: entity, where: agrees).isEmpty {
                            throw StoreError.duplicate(constraint, in: entity)
                        }
                    }
                    _ = try driver.insertRows([row], into: entity, onConflict: conflict)
                }
                return rows.count
            })),
        Fault(
            "unique-case", "Two texts that differ in case are one key.",
            FaultHooks(insert: { driver, entity, conflict, rows in
                for row in rows {
                    for constraint in entity.uniqueConstraints
                    where constraint.filter == nil && conflict == .fail {
                        let columns = constraint.attributes.compactMap { entity.column($0) }
                        let key = columns.map { row[$0].mapText { $0.lowercased() } }
                        guard !key.contains(where: \.isNull) else { continue }
                        let isTaken = try driver.rows(of: entity).contains { stored in
                            columns.map { stored[$0].mapText { $0.lowercased() } } == key
                        }
                        if isTaken { throw StoreError.duplicate(constraint, in: entity) }
                    }
                    _ = try driver.insertRows([row], into: entity, onConflict: conflict)
                }
                return rows.count
            })),
        declares("unique-nil-distinct", "Nils are distinct in every constraint.") { entity in
            Entity(
                entity,
                constraints: entity.uniqueConstraints.map {
                    UniqueConstraint($0.attributes, where: $0.filter)
                })
        },
        declares("unique-filter", "A constraint with a filter covers all rows.") { entity in
            Entity(
                entity,
                constraints: entity.uniqueConstraints.map {
                    UniqueConstraint($0.attributes, nilsAreDistinct: $0.nilsAreDistinct)
                })
        },
        declares("unique-filtered-lost", "A constraint with a filter is not checked.") { entity in
            Entity(entity, constraints: entity.uniqueConstraints.filter { $0.filter == nil })
        },
        declares("unique-composite-lost", "A constraint over several attributes is not checked.") { entity in
            Entity(entity, constraints: entity.uniqueConstraints.filter { $0.attributes.count == 1 })
        },
        declares("unique-composite-first", "A constraint over several attributes covers only the first.") {
            entity in
            Entity(
                entity,
                constraints: entity.uniqueConstraints.map {
                    UniqueConstraint(
                        Array($0.attributes.prefix(1)), where: $0.filter, nilsAreDistinct: $0.nilsAreDistinct)
                })
        },
        Fault(
            "unique-order", "Of several constraints that a row violates, the last is named.",
            FaultHooks(insert: { driver, entity, conflict, rows in
                do {
                    return try driver.insertRows(rows, into: entity, onConflict: conflict)
                } catch let error as StoreError where error.code == .unique {
                    let held = Set(try driver.rows(of: entity).flatMap { try driver.keys(of: $0, entity) })
                    for row in rows {
                        let keys = try driver.keysByConstraint(of: row, entity)
                        guard let last = keys.last(where: { held.contains($0.key) }) else { continue }
                        throw StoreError.duplicate(last.constraint, in: entity)
                    }
                    throw error
                }
            })),
        declares("domain-lost", "The result of an update may leave the attribute's domain.") { entity in
            Entity(entity, attributes: entity.attributes.map { Attribute($0, domain: nil) })
        },
    ]

    static let refusingHeldKeys:
        @Sendable (FaultyDriver, Entity, ConflictResolution, [[StoredValue]]) throws -> Int = {
            driver, entity, conflict, rows in
            let held = driver.place.remember { $0.heldKeys }.union(driver.freedKeys)
            for row in rows {
                for (constraint, key) in try driver.keysByConstraint(of: row, entity) where held.contains(key)
                {
                    throw StoreError.duplicate(constraint, in: entity)
                }
            }
            return try driver.insertRows(rows, into: entity, onConflict: conflict)
        }

    /// A backend that stores rows with a different schema than the declared one.
    static func declares(
        _ name: String, _ summary: String, _ change: @escaping @Sendable (Entity) -> Entity
    ) -> Fault {
        Fault(
            name, summary,
            FaultHooks(schema: { schema in
                try Schema(version: schema.version, entities: schema.entities.map(change))
            }))
    }
}

extension FaultyDriver {
    /// The unique keys of a row, each preceded by the name of its constraint.
    fileprivate func keys(of row: [StoredValue], _ entity: Entity) throws -> [[StoredValue]] {
        try keysByConstraint(of: row, entity).map(\.key)
    }

    fileprivate func keysByConstraint(
        of row: [StoredValue], _ entity: Entity
    ) throws -> [(constraint: UniqueConstraint, key: [StoredValue])] {
        try EntityRules(entity, schema: schema).unique.compactMap { rule in
            guard let key = try rule.key(of: folded(row, entity)) else { return nil }
            return (rule.constraint, [.text(rule.constraint.name(in: entity))] + key)
        }
    }

}

extension Entity {
    fileprivate init(_ entity: Entity, constraints: [UniqueConstraint]) {
        self.init(
            entity.name, attributes: entity.attributes, relationships: entity.relationships,
            indexes: entity.indexes, uniqueConstraints: constraints)
    }

    init(_ entity: Entity, attributes: [Attribute]) {
        self.init(
            entity.name, attributes: attributes, relationships: entity.relationships,
            indexes: entity.indexes, uniqueConstraints: entity.uniqueConstraints)
    }
}

extension Attribute {
    fileprivate init(_ attribute: Attribute, domain: NumberDomain?) {
        self.init(
            attribute.name, column: attribute.column, type: attribute.type, isOptional: attribute.isOptional,
            defaultValue: attribute.defaultValue, cases: attribute.cases, domain: domain,
            reference: attribute.reference, isSearchable: attribute.isSearchable)
    }
}
