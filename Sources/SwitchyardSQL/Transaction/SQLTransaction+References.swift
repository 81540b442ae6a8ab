internal import Foundation
internal import SwitchyardCore

/// References where rows have scopes: the tables have no foreign keys then, because databases that are spread over
/// machines refuse those that are checked at the commit.
extension SQLTransaction {
    /// Refuses a transaction that leaves a reference pointing at nothing, where no foreign key would: to be called last
    /// before the commit of a write.
    ///
    /// It looks for the rows that this transaction has deleted or made others refer to, and, for those of them that are
    /// not there, for rows that refer to them. Of two transactions side by side, one that deletes a row and one that
    /// refers to it, each reads what the other writes, so that a serializable database lets only one of them commit.
    /// A transaction at a weaker level, of another tool, is not held up by this.
    ///
    /// - Throws: `foreignKey`, naming the first such reference in the schema.
    /// - Complexity: One look-up for each row touched; all rows that refer to a table of which more than 10,000 were.
    public func requireReferences() throws {
        let touched = changes.references.tables
        guard !touched.isEmpty else { return }
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

    /// Notes what an update makes rows refer to.
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

    /// Whether deleted rows of an entity must be noted, because others may refer to them.
    func notesDeletions(of entity: Entity) -> Bool {
        plan.sql.isScoped
            && changes.schema.entities.contains { source in
                source.references(in: changes.schema).contains { $0.target.table == entity.table }
            }
    }

    /// A report that notes each row that is deleted and tells it to who asked for it.
    func notingDeletions(of entity: Entity, for report: ChangeReport?) -> ChangeReport {
        // The id comes first in either content.
        ChangeReport(report?.content ?? .id) { [changes] row in
            var whole = row
            changes.references.insert(try UUID(from: &whole), in: entity.table)
            try report?.body(&row)
        }
    }

    /// The ids of which there is no row.
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
