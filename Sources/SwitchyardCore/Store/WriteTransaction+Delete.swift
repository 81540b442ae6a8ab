internal import Foundation

extension WriteTransaction {
    /// Deletes the row of an id, and does to the rows that refer to it what their delete rules say.
    ///
    /// - Returns: 1, or 0 if there was no such row.
    /// - Throws: `foreignKey` if a `deny` rule protects it.
    @discardableResult
    public func delete<Element: Model>(_ id: Identifier<Element>) throws -> Int {
        try delete(Element.matching(.compare(.attribute("id"), .equal, .value(.uuid(id.uuid)))))
    }

    /// Deletes the row of an element's id, whatever its other attributes are by now, and does to the rows that
    /// refer to it what their delete rules say.
    ///
    /// - Returns: 1, or 0 if there was no such row.
    /// - Throws: `foreignKey` if a `deny` rule protects it.
    @discardableResult
    public func delete<Element: Model>(_ element: Element) throws -> Int { try delete(element.id) }

    /// Deletes all elements of a to-many relationship, as a query of them.
    ///
    /// - Returns: The number of elements.
    /// - Throws: `foreignKey` if a `deny` rule protects one of them; nothing is deleted then.
    @discardableResult
    public func delete<Element: Model>(_ relationship: ToMany<Element>) throws -> Int {
        try delete(relationship.query)
    }

    /// Deletes all rows that a query asks for, and does to the rows that refer to them what their delete
    /// rules say.
    ///
    /// - Returns: The number of rows that the query asked for; those deleted by cascade are not counted.
    /// - Throws: `foreignKey` if a `deny` rule protects one of them; nothing is deleted then.
    /// - Complexity: Rows without referrers go in one statement. Otherwise the ids of all rows concerned are
    ///   held in memory, and each referring entity is asked once for each level of cascade.
    @discardableResult
    public func delete<Element: Model>(_ query: Query<Element>) throws -> Int {
        try perform {
            try delete(from: try entity(Element.self), where: try target(of: query))
        }
    }

    /// Deletes rows and follows the delete rules; the condition is validated.
    func delete(from entity: Entity, where condition: Condition) throws -> Int {
        if schema.referrers(of: entity).isEmpty {
            return try driver.delete(from: entity, where: condition)
        }
        let plan = try DeletePlan(deleting: condition, from: entity, schema: schema, driver: driver)
        try plan.carryOut(with: driver)
        return plan.requested
    }
}

/// What a delete comes to, once the rules of all relationships are followed: worked out here, for every
/// backend alike, rather than by the databases' own actions, which differ and would bypass the one door of
/// writes.
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

    /// The entities of which rows are to be deleted, in the schema's order, so that of several errors the same
    /// one is thrown each time and on every backend.
    private var targets: [(entity: Entity, ids: Set<UUID>)] {
        schema.entities.compactMap { entity in doomed[entity.name].map { (entity, $0) } }
    }

    /// A row that is itself about to go does not protect another.
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

    /// Deletes, and then nullifies: references are checked at commit, and a reference to a row that goes may be
    /// the nil, of which a unique constraint allows one, that a row that stays is about to get.
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
