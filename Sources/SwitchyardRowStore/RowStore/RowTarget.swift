/// A table to change, with its lookups done once.
struct RowTarget {
    let position: Int
    /// The rules of its rows under the store's own schema.
    let rules: EntityRules
    let hasReferences: Bool
}

/// A conflict resolution with its key and columns looked up.
struct KeyConflict {
    /// The key to look for; nil if there is nothing to look for first.
    let key: UniqueKey?
    /// The columns that the stored row takes from the new one; nil if the new one is skipped.
    let updated: [Int]?

    init(_ conflict: ConflictResolution, _ rules: EntityRules) throws {
        switch conflict {
        case .fail: (key, updated) = (nil, nil)
        case .ignore(let names): (key, updated) = (try rules.uniqueKey(names), nil)
        case .update(let names, let set):
            (key, updated) = (
                try rules.uniqueKey(names), set.flatMap { rules.entity.columns(of: $0) }
            )
        }
    }
}

extension Entity {
    /// The column of an attribute, followed by that of its folded copy if it is searchable.
    func columns(of attribute: String) -> [Int] {
        [column(attribute), searchColumns[attribute]].compactMap(\.self)
    }
}

/// Attributes that no two rows have the same values of.
enum UniqueKey {
    /// The id.
    case id
    /// A unique constraint over all rows, by its position among the entity's.
    case constraint(Int)
}

extension EntityRules {
    /// The unique key with the given attributes.
    ///
    /// - Throws: `unsupported` if the entity has no such key.
    func uniqueKey(_ attributes: [String]) throws -> UniqueKey {
        if attributes == ["id"] { return .id }
        let index = unique.firstIndex {
            $0.constraint.filter == nil && Set($0.constraint.attributes) == Set(attributes)
        }
        guard let index else {
            throw StoreError(
                .unsupported, "(\(attributes.joined(separator: ", "))) is not a unique key.",
                entity: entity.name
            )
        }
        return .constraint(index)
    }
}
