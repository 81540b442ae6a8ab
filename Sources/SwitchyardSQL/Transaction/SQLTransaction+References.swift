internal import Foundation
internal import SwitchyardCore

/// Checks of references in tables with scopes, which have no foreign keys, because distributed databases refuse those
/// that are checked at the commit.
extension SQLTransaction {
    /// The most rows that are looked up by a statement each.
    private static var mostRequirements: Int { 16 }

    /// Refuses a transaction that leaves a dangling reference in tables without foreign keys.
    ///
    /// Call it last before the commit of a write. In a copy that is not complete yet, rows come in any order, and nothing
    /// is refused.
    ///
    /// It looks up the rows that this transaction has deleted or made others refer to and, for those that do not exist,
    /// rows that refer to them. If of two concurrent transactions one deletes a row and the other one refers to it,
    /// each reads what the other writes, so that a serializable database only lets one of them commit. This does not
    /// stop another tool's transaction at a weaker isolation level.
    ///
    /// - Throws: `foreignKey`, with the name of the first such reference in the schema.
    /// - Complexity: One look-up for each row touched; for a table with more than 10,000 of them, a scan of all rows
    ///   that refer to it.
    public func requireReferences() throws {
        let touched = changes.references.tables
        guard !touched.isEmpty, !changes.isCopy else { return }
        if let requirements = try requirements(of: touched) {
            for requirement in requirements { try telling(requirement.text).runAhead(requirement) }
            return
        }
        var missing: [String: [StoredValue]] = [:]
        for entity in changes.schema.entities {
            for (attribute, target) in entity.references(in: changes.schema) {
                switch touched[target.table] {
                case nil: continue
                case .all:
                    guard try danglingReferences(attribute, of: entity, limit: 1) == 0 else {
                        throw StoreError.danglingReference(attribute, of: entity)
                    }
                case .these(let ids):
                    let absent = try missing[target.table] ?? absentRows(ids, of: target)
                    missing[target.table] = absent
                    guard try absent.isEmpty || !isReferred(to: absent, by: attribute, of: entity) else {
                        throw StoreError.danglingReference(attribute, of: entity)
                    }
                }
            }
        }
    }

    /// Checks the references of the rows that were changed since the last check: by look-ups in tables with scopes, otherwise
    /// by the foreign keys that wait for the commit.
    ///
    /// - Throws: As `TransactionDriver` says.
    public func checkReferences() throws {
        guard changes.hasUncheckedReferences, !changes.isCopy else { return }
        try requireReferences()
        changes.references = TouchedReferences()
        if !plan.sql.isScoped, try connection.checkForeignKeys() { try requireNoneDangling() }
        changes.hasUncheckedReferences = false
    }

    /// Throws the error of the first dangling reference in the order of the schema, if there is any.
    ///
    /// - Throws: `foreignKey`.
    /// - Complexity: O(rows).
    package func requireNoneDangling() throws {
        for entity in plan.schema.entities {
            for attribute in entity.attributes where attribute.reference != nil {
                guard try danglingReferences(attribute, of: entity, limit: 1) == 0 else {
                    throw StoreError.danglingReference(attribute, of: entity)
                }
            }
        }
    }

    /// Statements that fail unless all rows are there that a transaction of a few inserts refers to, and that travel with
    /// its COMMIT; nil if they must be looked up.
    private func requirements(of touched: [String: TouchedReferences.IDs]) throws -> [SQLStatement]? {
        guard connection.holdsTransaction, let scope = scopes.first else { return nil }
        var requirements: [SQLStatement] = []
        for (table, ids) in touched {
            guard case .these(let ids) = ids, ids.count + requirements.count <= Self.mostRequirements,
                let entity = changes.schema.entity(inTable: table),
                let text = try plan.entity(entity.name).requireRow
            else { return nil }
            requirements += ids.map { id in
                SQLStatement(
                    text: text, parameters: [.value(.uuid(scope.uuid), .uuid), .value(.uuid(id), .uuid)])
            }
        }
        return requirements
    }

    /// Records the rows that an update makes others refer to.
    func noteReferences(of entity: Entity, setBy assignments: [Assignment]) {
        guard plan.sql.isScoped else { return }
        for (attribute, target) in entity.references(in: plan.schema) {
            guard let assignment = assignments.first(where: { $0.attribute == attribute.name }) else {
                continue
            }
            switch assignment.value {
            case .value(.uuid(let id)): changes.references.insert(id, in: target.table)
            case .value(.null): break
            default: changes.references.insertAll(of: target.table)
            }
        }
    }

    /// Whether deleted rows of an entity must be recorded, because others may refer to them.
    func notesDeletions(of entity: Entity) -> Bool {
        plan.sql.isScoped
            && changes.schema.entities.contains { source in
                source.references(in: changes.schema).contains { $0.target.table == entity.table }
            }
    }

    /// Returns a report that records each deleted row and passes it on to the caller's report.
    func notingDeletions(of entity: Entity, for report: ChangeReport?) -> ChangeReport {
        // The id comes first in both kinds of content.
        ChangeReport(report?.content ?? .id) { [changes] row in
            changes.references.insert(try UUID(from: &row), in: entity.table)
            row.rewind()
            try report?.body(&row)
        }
    }

    /// Returns those of the ids that no row has.
    private func absentRows(_ ids: Set<UUID>, of entity: Entity) throws -> [StoredValue] {
        var absent = ids
        let found = Condition.isIn(.attribute("id"), ids.map { .uuid($0) })
        try select(Selection(entity: entity, columns: [.attribute("id")], condition: found)) { row in
            absent.remove(try UUID(from: &row))
            return true
        }
        return absent.map { .uuid($0) }
    }

    private func isReferred(
        to ids: [StoredValue], by attribute: Attribute, of entity: Entity
    ) throws -> Bool {
        var isReferred = false
        let referrers = Condition.isIn(.attribute(attribute.name), ids)
        try select(
            Selection(entity: entity, columns: [.attribute("id")], condition: referrers, limit: 1)
        ) { _ in
            isReferred = true
            return false
        }
        return isReferred
    }
}
