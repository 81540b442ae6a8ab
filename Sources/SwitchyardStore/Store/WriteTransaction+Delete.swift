internal import Foundation

extension WriteTransaction {
    /// Deletes the row with an id, and applies the delete rules to the rows that refer to it.
    ///
    /// - Returns: 1, or 0 if there was no such row.
    /// - Throws: `foreignKey` if a `deny` rule protects it.
    @discardableResult
    public func delete<Element: Model>(_ id: Identifier<Element>) throws -> Int {
        try delete(Element.matching(.compare(.attribute("id"), .equal, .value(.uuid(id.uuid)))))
    }

    /// Deletes the row with an element's id, even if its other attributes have changed, and applies the delete rules to
    /// the rows that refer to it.
    ///
    /// - Returns: 1, or 0 if there was no such row.
    /// - Throws: `foreignKey` if a `deny` rule protects it.
    @discardableResult
    public func delete<Element: Model>(_ element: Element) throws -> Int { try delete(element.id) }

    /// Deletes all elements of a to-many relationship, as `delete(_:)` with a query of them does.
    ///
    /// - Returns: The number of elements.
    /// - Throws: `foreignKey` if a `deny` rule protects one of them; nothing is deleted then.
    @discardableResult
    public func delete<Element: Model>(_ relationship: ToMany<Element>) throws -> Int {
        try delete(relationship.query)
    }

    /// Deletes all rows of a query, and applies the delete rules to the rows that refer to them.
    ///
    /// - Returns: The number of rows of the query; those deleted by cascade are not counted.
    /// - Throws: `foreignKey` if a `deny` rule protects one of them; nothing is deleted then.
    /// - Complexity: One statement if no relationship points to the entity. Otherwise the ids of all affected rows are
    ///   held in memory, and each referring entity is queried once for each level of cascade.
    @discardableResult
    public func delete<Element: Model>(_ query: Query<Element>) throws -> Int {
        try perform {
            try delete(from: try entity(Element.self), where: try target(of: query))
        }
    }

    /// Deletes rows and applies the delete rules; the condition has been validated.
    func delete(from entity: Entity, where condition: Condition) throws -> Int {
        if schema.referrers(of: entity).isEmpty {
            return try driver.delete(from: entity, where: condition)
        }
        let plan = try DeletePlan(deleting: condition, from: entity, schema: schema, driver: driver)
        try plan.carryOut(with: driver)
        return plan.requested
    }
}

/// Everything that a delete affects under the delete rules.
///
/// It is worked out here, the same for every backend, rather than by the databases' own foreign key actions, which
/// differ and would bypass the one place that all writes go through.
private struct DeletePlan {
    /// The ids to delete, by entity.
    private var doomed: [String: Set<UUID>] = [:]
    private(set) var requested = 0
    private let schema: Schema

    init(
        deleting condition: Condition, from entity: Entity, schema: Schema, driver: any TransactionDriver
    ) throws {
        self.schema = schema
        let first = try Self.ids(of: entity, where: condition, driver)
        requested = first.count
        doomed[entity.name] = first
        var fresh = first.isEmpty ? [] : [(entity, first)]
        while let (target, ids) = fresh.popLast() {
            for referrer in schema.referrers(of: target) where referrer.rule == .cascade {
                let found = try Self.ids(
                    of: referrer.source, where: Self.refers(referrer.attribute, to: ids), driver)
                let new = found.subtracting(doomed[referrer.source.name, default: []])
                doomed[referrer.source.name, default: []].formUnion(new)
                if !new.isEmpty { fresh.append((referrer.source, new)) }
            }
        }
        try refuseDenied(driver)
    }

    /// The entities that rows are deleted from, in the schema's order: if several errors are possible, the same one is
    /// thrown each time, on every backend.
    private var targets: [(entity: Entity, ids: Set<UUID>)] {
        schema.entities.compactMap { entity in doomed[entity.name].map { (entity, $0) } }
    }

    /// Throws if a `deny` rule protects a row; a row that is itself being deleted does not protect another.
    private func refuseDenied(_ driver: any TransactionDriver) throws {
        for (entity, ids) in targets {
            for referrer in schema.referrers(of: entity) where referrer.rule == .deny {
                let left = try Self.ids(
                    of: referrer.source, where: Self.refers(referrer.attribute, to: ids), driver
                )
                .subtracting(doomed[referrer.source.name, default: []])
                guard left.isEmpty else {
                    throw StoreError.deniedDelete(
                        referrer.attribute, of: referrer.source, count: left.count)
                }
            }
        }
    }

    /// Deletes first and nullifies then, which is safe because references are checked at commit: a deleted row may hold
    /// the one nil that a unique constraint allows, and that a remaining row is about to get.
    func carryOut(with driver: any TransactionDriver) throws {
        for (entity, ids) in targets {
            _ = try driver.delete(from: entity, where: .isIn(.attribute("id"), Self.values(ids)))
        }
        for (entity, ids) in targets {
            for referrer in schema.referrers(of: entity) where referrer.rule == .nullify {
                _ = try driver.update(
                    referrer.source,
                    set: [Assignment(attribute: referrer.attribute.name, value: .value(.null))],
                    where: Self.refers(referrer.attribute, to: ids))
            }
        }
    }

    private static func refers(_ attribute: Attribute, to ids: Set<UUID>) -> Condition {
        .isIn(.attribute(attribute.name), values(ids))
    }

    private static func values(_ ids: Set<UUID>) -> [StoredValue] { ids.map { .uuid($0) } }

    private static func ids(
        of entity: Entity, where condition: Condition, _ driver: any TransactionDriver
    ) throws -> Set<UUID> {
        var ids: Set<UUID> = []
        try driver.select(
            Selection(entity: entity, columns: [.attribute("id")], condition: condition)
        ) { row in
            ids.insert(try UUID(from: &row))
            return true
        }
        return ids
    }
}
