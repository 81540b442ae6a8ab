internal import Foundation

extension MigrationStep {
    /// A model gets a unique constraint; of several rows with the same values, the one with the least value of an attribute
    /// stays.
    ///
    /// The others are deleted, and references to them are redirected to the one that stays. Nil counts as
    /// less than any value; ids decide between rows with the same value.
    ///
    /// Link rows, which contain only an id and the attributes of a unique constraint, can become equal by
    /// that; they are merged. For any other model whose unique constraint contains such a reference, a step
    /// of its own says which row stays.
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

    /// A model gets a unique constraint that no rows may violate: if any do, the stage fails with `unique`,
    /// and the store is unchanged.
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

/// The treatment of rows with the same values in the attributes of a unique constraint.
package enum Deduplication: Sendable {
    /// There must be none.
    case refuse
    /// The first in this order stays.
    case keepFirst(SortKey)
}

/// A unique constraint that a table gets once rows have made way for it.
struct AwaitedConstraint: Sendable {
    let entity: Entity
    let constraint: UniqueConstraint
    let policy: Deduplication

    /// Whether rows are deleted.
    var mergesRows: Bool { if case .keepFirst = policy { true } else { false } }
}

extension StageComparison {
    /// The unique constraints that rows are deleted for: new ones, and those that redirected references can violate.
    var awaited: [AwaitedConstraint] {
        let new = changes.filter { $0.kind == .unique }.compactMap { change -> AwaitedConstraint? in
            guard let entity = newer.entity(change.entity), let policy = steps.deduplications[entity.name],
                let constraint = entity.uniqueConstraints.first(where: { $0.name(in: entity) == change.part })
            else { return nil }
            return AwaitedConstraint(entity: entity, constraint: constraint, policy: policy)
        }
        return new
            + redirected.compactMap { entity, constraint in
                // Links that have become equal are one, whichever stays.
                let policy = steps.deduplications[entity.name] ?? .keepFirst(SortKey("id"))
                return AwaitedConstraint(entity: entity, constraint: constraint, policy: policy)
            }
    }

    /// The unique constraints for which rows can become equal when others are merged, of entities that hold more than a link
    /// does, each with what is missing, as the end of a sentence that begins with the stage.
    package var undeclaredMerges: [(entity: Entity, constraint: UniqueConstraint, fault: String)] {
        redirected.compactMap { entity, constraint in
            let isLink = entity.attributes.allSatisfy {
                $0.name == "id" || constraint.attributes.contains($0.name)
            }
            guard !isLink, steps.deduplications[entity.name] == nil else { return nil }
            return (
                entity, constraint,
                "merges rows to which \(entity.name) refers, so that rows of \(entity.name) can have the same "
                    + "\(constraint.attributes.joined(separator: ", ")): say which of them stays by .deduplicate, or that "
                    + "there must be none by .refuseDuplicates(\(entity.name).self)."
            )
        }
    }

    /// The existing unique constraints that hold a reference to merged rows.
    var redirected: [(entity: Entity, constraint: UniqueConstraint)] {
        let new = changes.filter { $0.kind == .unique }
        var merged = new.map(\.entity).filter {
            if case .keepFirst = steps.deduplications[$0] { true } else { false }
        }
        var found: [(entity: Entity, constraint: UniqueConstraint)] = []
        var next = 0
        while next < merged.count {
            for entity in newer.entities {
                let references = entity.attributes.filter { $0.reference == merged[next] }.map(\.name)
                for constraint in entity.uniqueConstraints
                where !Set(references).isDisjoint(with: constraint.attributes) {
                    let name = constraint.name(in: entity)
                    if new.contains(where: { $0.entity == entity.name && $0.part == name })
                        || found.contains(where: { $0.entity == entity && $0.constraint == constraint })
                    {
                        continue
                    }
                    found.append((entity, constraint))
                    if !merged.contains(entity.name) { merged.append(entity.name) }
                }
            }
            next += 1
        }
        return found
    }
}

extension TransactionDriver {
    /// The number of rows to collect before they are deleted.
    private static var batch: Int { 100_000 }

    /// Deletes the rows that violate unique constraints.
    ///
    /// References to them are redirected to the row that stays, which can make other rows equal: so all constraints are
    /// checked until none finds a row any more.
    ///
    /// - Parameters:
    ///   - awaited: The constraints.
    ///   - schema: A schema that lacks them.
    /// - Returns: The number of deleted rows, by entity.
    /// - Throws: `unique` for a constraint whose duplicates are refused; as the operations.
    func makeWay(for awaited: [AwaitedConstraint], in schema: Schema) throws -> [String: Int] {
        var removed: [String: Int] = [:]
        var last = -1
        while last != removed.values.reduce(0, +) {
            last = removed.values.reduce(0, +)
            for item in awaited {
                guard case .keepFirst(let order) = item.policy else { continue }
                let count = try deduplicate(item.entity, item.constraint, keepingFirstBy: order, in: schema)
                if count > 0 { removed[item.entity.name, default: 0] += count }
            }
        }
        for item in awaited where !item.mergesRows {
            guard
                try duplicates(of: item.constraint, in: item.entity, keepingFirstBy: SortKey("id"), limit: 1)
                    .isEmpty
            else { throw StoreError.duplicatesRefused(item) }
        }
        return removed
    }

    /// Deletes all but the first of the rows that have the same values in the attributes of a constraint.
    ///
    /// References to them are redirected to the first.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - constraint: The constraint.
    ///   - order: Which of the rows is the first.
    ///   - schema: The schema, which lacks the constraint.
    /// - Returns: The number of deleted rows.
    /// - Throws: As the operations.
    private func deduplicate(
        _ entity: Entity, _ constraint: UniqueConstraint, keepingFirstBy order: SortKey, in schema: Schema
    ) throws -> Int {
        var count = 0
        while true {
            let doomed = try duplicates(
                of: constraint, in: entity, keepingFirstBy: order, limit: Self.batch)
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
        of constraint: UniqueConstraint, in entity: Entity, keepingFirstBy order: SortKey, limit: Int
    ) throws -> [(id: UUID, first: UUID)] {
        var names = constraint.attributes
        let keys = names.count
        names.append("id")
        var (doomed, last, first) = ([(id: UUID, first: UUID)](), [StoredValue](), UUID?.none)
        let selection = Selection(
            entity: entity, columns: names.map { .attribute($0) },
            condition: constraint.filter ?? .constant(true),
            order: constraint.attributes.map { SortKey($0) } + (order.attribute == "id" ? [] : [order])
                + [SortKey("id")])
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
            return doomed.count < limit
        }
        return doomed
    }
}

extension StoreError {
    /// The error of a stage that adds a unique constraint, and must delete no row for it.
    fileprivate static func duplicatesRefused(_ awaited: AwaitedConstraint) -> StoreError {
        let (entity, attributes) = (awaited.entity, awaited.constraint.attributes)
        return StoreError(
            .unique,
            "Several rows of \(entity.name) have the same \(attributes.joined(separator: ", ")); the next "
                + "version allows only one. Change or delete the others, or let the stage keep one of them "
                + "by `.deduplicate`; nothing was changed.", entity: entity.name,
            attribute: attributes.count == 1 ? attributes[0] : nil,
            constraint: awaited.constraint.name(in: entity))
    }
}
