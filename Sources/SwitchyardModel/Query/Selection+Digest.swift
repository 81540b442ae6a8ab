extension Selection {
    /// Returns a digest of the selection: the entity, the rows, their order and their scopes.
    ///
    /// It is the same in every process and on every backend.
    ///
    /// - Complexity: O(n log n) in the constants of the condition.
    package func digest(in scopes: [StoreScope]) -> String {
        let order = order.map { key in
            let path = (key.references + [key.value.inOneOrder.description]).joined(separator: ".")
            let nils = key.nils == .usual(key.direction) ? "" : " nils \(key.nils.rawValue)"
            return "\(path) \(key.direction.rawValue)\(nils)"
        }.joined(separator: ", ")
        var text = "\(entity.name) where \(condition.inOneOrder) by \(order)"
        if !scopes.isEmpty { text += " in \(scopes.map(\.description).joined(separator: ", "))" }
        return String(text.sha256.prefix(32))
    }
}

extension Condition {
    /// The condition with its terms and lists in a canonical order: they may come from a `Set`, whose order differs
    /// between processes.
    fileprivate var inOneOrder: Condition {
        switch self {
        case .constant, .search: self
        case .compare(let lhs, let comparison, let rhs):
            .compare(lhs.inOneOrder, comparison, rhs.inOneOrder)
        case .match(let text, let match, let other): .match(text.inOneOrder, match, other.inOneOrder)
        case .all(let terms): .all(Self.inOneOrder(terms))
        case .any(let terms): .any(Self.inOneOrder(terms))
        case .not(let inner): .not(inner.inOneOrder)
        case .isIn(let operand, let values):
            .isIn(operand.inOneOrder, values.sorted(by: StoredValue.precedes))
        case .exists(let name, let inner): .exists(relationship: name, inner.inOneOrder)
        }
    }

    private static func inOneOrder(_ terms: [Condition]) -> [Condition] {
        let ordered = terms.map(\.inOneOrder).map { (term: $0, text: $0.description) }
        return ordered.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }.map(\.term)
    }
}

extension Operand {
    /// The operand with the terms and lists of its conditions in a canonical order.
    fileprivate var inOneOrder: Operand {
        switch self {
        case .attribute, .folded, .value: self
        case .negated(let inner): .negated(inner.inOneOrder)
        case .arithmetic(let lhs, let calculation, let rhs):
            .arithmetic(lhs.inOneOrder, calculation, rhs.inOneOrder)
        case .coalesce(let first, let second): .coalesce(first.inOneOrder, second.inOneOrder)
        case .conditional(let test, let yes, let no):
            .conditional(test.inOneOrder, yes.inOneOrder, no.inOneOrder)
        case .figure(let function, let relationship, let condition):
            .figure(function.inOneOrder, of: relationship, where: condition.inOneOrder)
        case .referenced(let reference, let inner): .referenced(reference, inner.inOneOrder)
        case .overall(let function, let entity, let condition):
            .overall(function.inOneOrder, of: entity, where: condition.inOneOrder)
        }
    }
}

extension AggregateFunction {
    fileprivate var inOneOrder: AggregateFunction {
        calculated.map { .calculated(plain, of: $0.inOneOrder) } ?? self
    }
}
