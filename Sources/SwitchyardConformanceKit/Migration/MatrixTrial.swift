internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// What became of a few new rows of every entity that were inserted, read, changed and deleted; they are gone in the end.
struct TrialOutcome: Sendable {
    /// The new rows that were left after one of each entity was deleted, with all that the delete rules did.
    let rows: [String: [[StoredValue]]]

    /// Makes the trial in a store that has these rows, with some that it does not have.
    ///
    /// - Throws: `RowDifference` if a row that was written is not read; what the store throws.
    init(
        in store: any Store, among before: SchemaRows, new: SchemaRows
    ) async throws {
        let schema = store.schema
        try await new.insert(into: store)
        let changed = try await store.write { tx in
            try schema.entities.map { entity in
                let rows = new.rows(of: entity.name)
                try Self.require(rows, in: tx, of: entity, "rows that were inserted")
                return (entity.name, try Self.change(rows, of: entity, tx))
            }
        }
        rows = try await store.write { tx in
            for (name, rows) in changed {
                try Self.require(rows, in: tx, of: try schema.require(name), "rows that were changed")
            }
            for entity in schema.entities where schema.allowsDeletes(from: entity) {
                guard let row = new.rows(of: entity.name).first else { continue }
                do {
                    try tx.nested { _ = try tx.deleteRows(of: entity.name, where: Self.among([row])) }
                } catch let error as StoreError where error.code == .foreignKey {
                    // A row that may not be deleted is left, which the rows show.
                }
            }
            let left = try schema.entities.map { entity in
                let condition = Self.among(new.rows(of: entity.name))
                return (entity.name, try tx.fetchRows(of: entity.name, where: condition))
            }
            return Dictionary(uniqueKeysWithValues: left)
        }
        try await store.write { tx in
            for entity in schema.deletionOrder {
                let condition = Self.among(new.rows(of: entity.name))
                let references = entity.attributes.filter { $0.reference != nil && $0.isOptional }
                guard !references.isEmpty else { continue }
                let assignments = references.map { Assignment(attribute: $0.name, value: .value(.null)) }
                try tx.updateRows(of: entity.name, set: assignments, where: condition)
            }
            for entity in schema.deletionOrder {
                try tx.deleteRows(of: entity.name, where: Self.among(new.rows(of: entity.name)))
            }
        }
        let after = try await SchemaRows(in: store)
        for entity in schema.entities {
            try RowDifference.requireEqual(
                after.rows(of: entity.name), before.rows(of: entity.name),
                "the rows of \(entity.name) after others were written and deleted")
        }
    }

    /// Gives the first row the values of the second, except unique ones.
    ///
    /// - Returns: The rows as they must be read.
    private static func change(
        _ rows: [[StoredValue]], of entity: Entity, _ tx: WriteTransaction
    ) throws -> [[StoredValue]] {
        guard rows.count > 1 else { return rows }
        let fixed = Set(["id"] + entity.uniqueConstraints.flatMap(\.attributes))
        var rows = rows
        var assignments: [Assignment] = []
        for (column, attribute) in entity.attributes.enumerated() where !fixed.contains(attribute.name) {
            rows[0][column] = rows[1][column]
            assignments.append(Assignment(attribute: attribute.name, value: .value(rows[1][column])))
        }
        guard !assignments.isEmpty else { return rows }
        let count = try tx.updateRows(of: entity.name, set: assignments, where: among([rows[0]]))
        try RowDifference.requireEqual(count, 1, "the number of rows of \(entity.name) that were changed")
        return rows
    }

    private static func require(
        _ rows: [[StoredValue]], in tx: ReadTransaction, of entity: Entity, _ subject: String
    ) throws {
        let found = try tx.fetchRows(of: entity.name, where: among(rows))
        try RowDifference.requireEqual(
            Set(found), Set(rows), "\(subject), of \(entity.name)")
    }

    private static func among(_ rows: [[StoredValue]]) -> Condition {
        .isIn(.attribute("id"), rows.map { $0[0] })
    }
}

extension Schema {
    /// Whether a row can be deleted without leaving another with a reference to nothing.
    fileprivate func allowsDeletes(from entity: Entity) -> Bool {
        entities.allSatisfy { source in
            source.attributes.allSatisfy { attribute in
                attribute.reference != entity.name
                    || entity.relationships.contains {
                        $0.target == source.name && $0.inverse == attribute.name
                            && $0.deleteRule != .noAction
                    }
            }
        }
    }

    /// The entities, each after those with a required reference to it.
    fileprivate var deletionOrder: [Entity] {
        var (order, rest) = ([Entity](), entities)
        while !rest.isEmpty {
            let next = rest.firstIndex { entity in
                rest.allSatisfy { source in
                    source.attributes.allSatisfy { $0.isOptional || $0.reference != entity.name }
                }
            }
            order.append(rest.remove(at: next ?? 0))
        }
        return order
    }
}
