internal import Switchyard
internal import SwitchyardCore

/// Simpler variants of an operation, to shrink a failure.
extension RandomOperation {
    /// Simpler operations, the simplest first.
    var smaller: [RandomOperation] {
        switch self {
        case .insert(let entity, let rows, let skips):
            return rows.shorter(least: 1).map { .insert(entity: entity, rows: $0, skipsExisting: skips) }
                + (skips ? [.insert(entity: entity, rows: rows, skipsExisting: false)] : [])
        case .upsert(let entity, let rows, let key):
            return rows.shorter(least: 1).map { .upsert(entity: entity, rows: $0, key: key) }
        case .update(let entity, let set, let condition):
            return condition.smaller.map { .update(entity: entity, set: set, where: $0) }
                + set.shorter(least: 1).map { .update(entity: entity, set: $0, where: condition) }
                + set.simpler(by: \.smaller).map { .update(entity: entity, set: $0, where: condition) }
        case .delete(let entity, let condition):
            return condition.smaller.map { .delete(entity: entity, where: $0) }
        case .count(let entity, let condition):
            return condition.smaller.map { .count(entity: entity, where: $0) }
        case .fetch(let entity, let condition, let order, let limit, let offset):
            var less: [RandomOperation] = condition.smaller.map {
                .fetch(entity: entity, where: $0, order: order, limit: limit, offset: offset)
            }
            less += order.shorter(least: 0).map {
                .fetch(entity: entity, where: condition, order: $0, limit: limit, offset: offset)
            }
            if limit != nil {
                less.append(
                    .fetch(entity: entity, where: condition, order: order, limit: nil, offset: offset))
            }
            if offset > 0 {
                less.append(.fetch(entity: entity, where: condition, order: order, limit: limit, offset: 0))
            }
            return less
        case .replace: return []
        case .pages(let entity, let condition, let order, let size):
            return condition.smaller.map { .pages(entity: entity, where: $0, order: order, size: size) }
                + order.shorter(least: 0).map {
                    .pages(entity: entity, where: condition, order: $0, size: size)
                }
        case .aggregate(let entity, let condition, let groups, let figures):
            return condition.smaller.map {
                .aggregate(entity: entity, where: $0, groups: groups, figures: figures)
            }
                + groups.shorter(least: 0).map {
                    .aggregate(entity: entity, where: condition, groups: $0, figures: figures)
                }
                + figures.shorter(least: 1).map {
                    .aggregate(entity: entity, where: condition, groups: groups, figures: $0)
                }
        case .report(let entity, let condition, let keys, let figures):
            return condition.smaller.map {
                .report(entity: entity, where: $0, keys: keys, figures: figures)
            }
                + keys.shorter(least: 0).map {
                    .report(entity: entity, where: condition, keys: $0, figures: figures)
                }
                + figures.shorter(least: 1).map {
                    .report(entity: entity, where: condition, keys: keys, figures: $0)
                }
        case .several(let parts, let isUndone):
            return parts + parts.shorter(least: 1).map { .several($0, isUndone: isUndone) }
                + parts.simpler(by: \.smaller).map { .several($0, isUndone: isUndone) }
                + (isUndone ? [.several(parts, isUndone: false)] : [])
        }
    }
}

extension Condition {
    /// Simpler conditions.
    fileprivate var smaller: [Condition] {
        switch self {
        case .constant: return []
        case .all(let terms):
            return [.constant(true)] + terms + terms.shorter(least: 1).map { .all($0) }
                + terms.simpler(by: \.smaller).map { .all($0) }
        case .any(let terms):
            return [.constant(true)] + terms + terms.shorter(least: 1).map { .any($0) }
                + terms.simpler(by: \.smaller).map { .any($0) }
        case .not(let inner):
            return [.constant(true), inner] + inner.smaller.map { .not($0) }
        case .compare(let lhs, let comparison, let rhs):
            return [.constant(true)] + lhs.smaller.map { .compare($0, comparison, rhs) }
                + rhs.smaller.map { .compare(lhs, comparison, $0) }
        case .isIn(let operand, let values):
            return [.constant(true)] + values.shorter(least: 0).map { .isIn(operand, $0) }
                + operand.smaller.map { .isIn($0, values) }
        case .exists(let name, let inner):
            return [.constant(true)] + inner.smaller.map { .exists(relationship: name, $0) }
        case .match, .search: return [.constant(true)]
        }
    }
}

extension Operand {
    /// Simpler operands of the same type.
    fileprivate var smaller: [Operand] {
        switch self {
        case .attribute, .folded, .value: []
        case .figure(let function, let relationship, let condition):
            condition.smaller.map { .figure(function, of: relationship, where: $0) }
        case .referenced(let reference, let inner): inner.smaller.map { .referenced(reference, $0) }
        case .overall(let function, let entity, let condition):
            condition.smaller.map { .overall(function, of: entity, where: $0) }
        case .arithmetic(let lhs, let calculation, let rhs):
            [lhs, rhs] + lhs.smaller.map { .arithmetic($0, calculation, rhs) }
                + rhs.smaller.map { .arithmetic(lhs, calculation, $0) }
        case .negated(let inner): [inner] + inner.smaller.map { .negated($0) }
        case .coalesce(let first, let second):
            [first, second] + first.smaller.map { .coalesce($0, second) }
                + second.smaller.map { .coalesce(first, $0) }
        case .conditional(let condition, let first, let second):
            [first, second] + condition.smaller.map { .conditional($0, first, second) }
                + first.smaller.map { .conditional(condition, $0, second) }
                + second.smaller.map { .conditional(condition, first, $0) }
        }
    }
}

extension Assignment {
    fileprivate var smaller: [Assignment] {
        value.smaller.map { Assignment(attribute: attribute, value: $0) }
    }
}

extension Array {
    /// Each half and, if the list is short, the list without each element.
    fileprivate func shorter(least: Int) -> [[Element]] {
        guard count > least else { return [] }
        let halves = [Array(prefix(count / 2)), Array(dropFirst(count / 2))].filter { $0.count < count }
        let others = count > 16 ? [] : indices.map { index in Array(self[..<index] + self[(index + 1)...]) }
        return (halves + others).filter { $0.count >= least }
    }

    /// The list with one element replaced by a smaller one.
    fileprivate func simpler(by smaller: (Element) -> [Element]) -> [[Element]] {
        indices.flatMap { index in
            smaller(self[index]).map { element in
                var list = self
                list[index] = element
                return list
            }
        }
    }
}
