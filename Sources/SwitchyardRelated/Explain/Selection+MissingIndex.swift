extension Selection {
    /// The attributes of an index that would find the rows in their order and that the entity lacks.
    ///
    /// Equal values come first in an index, and then either a range of values or the order.
    var missingIndex: [String]? {
        let (terms, ranges) = condition.indexable
        let fixed = terms + [partition?.attribute].compactMap { $0 }.filter { !terms.contains($0) }
        let sorted = isAggregate ? [] : order.prefix { $0.isPlain && !$0.isOwn("id") }.compactMap(\.attribute)
        let others = ranges.first.map { sorted.first == $0 ? sorted : [$0] } ?? sorted
        let following = others.filter { !fixed.contains($0) }
        guard !(fixed + following).isEmpty, !fixed.contains("id") else { return nil }
        let isServed = entity.orderedKeys.contains { key in
            let (first, rest) = (key.attributes.prefix(fixed.count), key.attributes.dropFirst(fixed.count))
            return Set(first) == Set(fixed) && rest.starts(with: following)
                || key.isUnique && Set(key.attributes).isSubset(of: fixed)
        }
        return isServed ? nil : fixed + following
    }
}

extension Condition {
    /// The attributes of the row that the condition compares with values: for equality, and by order.
    fileprivate var indexable: (equal: [String], ranges: [String]) {
        switch self {
        case .compare(.attribute(let name), .equal, .value), .isIn(.attribute(let name), _): ([name], [])
        case .compare(.attribute(let name), let comparison, .value) where comparison != .notEqual:
            ([], [name])
        case .match(.attribute(let name), .hasPrefix, .value): ([], [name])
        case .all(let terms):
            terms.map(\.indexable).reduce(into: ([], [])) { all, term in
                all.equal += term.equal.filter { !all.equal.contains($0) }
                all.ranges += term.ranges.filter { !all.ranges.contains($0) }
            }
        default: ([], [])
        }
    }
}

extension Entity {
    /// The attributes of each of its indexes, and whether no two rows have the same values of them.
    fileprivate var orderedKeys: [(attributes: [String], isUnique: Bool)] {
        [(["id"], true)] + attributes.filter { $0.reference != nil }.map { ([$0.name], false) }
            + uniqueConstraints.map { ($0.attributes, $0.filter == nil) }
            + indexes.map { ($0.attributes, false) }
    }
}
