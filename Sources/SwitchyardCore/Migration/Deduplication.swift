internal import Foundation

extension MigrationStep {
    /// A model gets a unique constraint; of several rows with the same values, the one with the least value of an attribute
    /// stays.
    ///
    /// The others are deleted, and what refers to one of them refers to the one that stays. Nil counts as less than any
    /// value; rows with the same value are told apart by their ids.
    ///
    /// ```swift
    /// .deduplicate(V3.Entry.self, keepingLeast: \V3.Entry.createdAt)
    /// ```
    public static func deduplicate<New: Model, Value>(
        _: New.Type, keepingLeast attribute: KeyPath<New, Value>
    ) -> MigrationStep {
        deduplicate(New.self, attribute, .ascending)
    }

    /// A model gets a unique constraint; of several rows with the same values, the one with the greatest value of an
    /// attribute stays.
    ///
    /// The others are deleted as by `deduplicate(_:keepingLeast:)`.
    public static func deduplicate<New: Model, Value>(
        _: New.Type, keepingGreatest attribute: KeyPath<New, Value>
    ) -> MigrationStep {
        deduplicate(New.self, attribute, .descending)
    }

    /// A model gets a unique constraint that no rows may violate: if any do, the stage fails with `unique`, and the store is
    /// as it was.
    public static func refuseDuplicates<New: Model>(_: New.Type) -> MigrationStep {
        MigrationStep(kind: .success(.deduplicate(New.entityName, .refuse)))
    }

    private static func deduplicate<New: Model>(
        _: New.Type, _ attribute: PartialKeyPath<New>, _ direction: SortDirection
    ) -> MigrationStep {
        MigrationStep(
            kind: Result { () throws(StoreError) in
                let name = try PartName(attribute).attribute ?? ""
                return .deduplicate(New.entityName, .keepFirst(SortKey(name, direction)))
            })
    }
}

/// What becomes of rows that have the same values in the attributes of a new unique constraint.
package enum Deduplication: Sendable {
    /// There must be none.
    case refuse
    /// The first in this order stays.
    case keepFirst(SortKey)
}

extension TransactionDriver {
    /// How many rows are noted before they are deleted.
    private static var batch: Int { 100_000 }

    /// Deletes all but the first of the rows that have the same values in the attributes of a constraint.
    ///
    /// What refers to one of them refers to the first afterwards.
    ///
    /// - Parameters:
    ///   - entity: The entity, of a schema that lacks the constraint.
    ///   - constraint: The constraint.
    ///   - order: Which of the rows is the first.
    ///   - schema: The schema.
    /// - Returns: How many rows were deleted.
    /// - Throws: `unique` if two rows must not refer to the same one; as the operations.
    func deduplicate(
        _ entity: Entity, _ constraint: UniqueConstraint, keepingFirstBy order: SortKey, in schema: Schema
    ) throws -> Int {
        var count = 0
        while true {
            let doomed = try duplicates(of: constraint, in: entity, keepingFirstBy: order)
            guard !doomed.isEmpty else { return count }
            let byFirst = Dictionary(grouping: doomed, by: \.first)
            for referrer in schema.entities {
                for attribute in referrer.attributes where attribute.reference == entity.name {
                    for (first, others) in byFirst {
                        _ = try update(
                            referrer,
                            set: [Assignment(attribute: attribute.name, value: .value(.uuid(first)))],
                            where: .isIn(.attribute(attribute.name), others.map { .uuid($0.id) }))
                    }
                }
            }
            for start in stride(from: 0, to: doomed.count, by: 500) {
                let ids = doomed[start..<min(start + 500, doomed.count)].map { StoredValue.uuid($0.id) }
                count += try delete(from: entity, where: .isIn(.attribute("id"), ids))
            }
        }
    }

    private func duplicates(
        of constraint: UniqueConstraint, in entity: Entity, keepingFirstBy order: SortKey
    ) throws -> [(id: UUID, first: UUID)] {
        var names = constraint.attributes
        let keys = names.count
        names.append("id")
        var (doomed, last, first) = ([(id: UUID, first: UUID)](), [StoredValue](), UUID?.none)
        let selection = Selection(
            entity: entity, columns: names.map { .attribute($0) },
            condition: constraint.filter ?? .constant(true),
            order: constraint.attributes.map { SortKey($0) } + [order, SortKey("id")])
        try select(selection) { row in
            let values = try names.map { try row.read(entity.attribute($0)?.type ?? .uuid) }
            guard case .uuid(let id) = values[keys] else { return true }
            let key = Array(values[..<keys])
            let applies = !constraint.nilsAreDistinct || !key.contains(where: \.isNull)
            if let kept = first, applies, key == last {
                doomed.append((id, kept))
            } else {
                (last, first) = (key, id)
            }
            return doomed.count < Self.batch
        }
        return doomed
    }
}
