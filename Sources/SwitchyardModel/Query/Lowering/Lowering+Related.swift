/// A value of the row that a path of references leads to, such as `$0.inventory.film.title`.
struct RelatedValue {
    /// The references, starting from the row that the condition is about.
    let path: [String]
    /// The value, seen from the row at the end of the path.
    var value: Lowered
    /// The value if a reference on the path is nil.
    ///
    /// It is nil if the predicate promises, by its types or by `!`, that no reference is; if one is anyway, no
    /// condition holds.
    var otherwise: Lowered?

    /// Returns this as a condition.
    func condition() throws -> Condition {
        let reached = try path.leading(to: value.condition())
        guard let otherwise = try otherwise?.condition().settled else { return reached }
        return .any(of: [reached, .all(of: [!isReached, otherwise])])
    }

    /// The condition that no reference of the path is nil.
    var isReached: Condition {
        path.dropLast().leading(to: .isPresent(.attribute(path.last ?? "id")))
    }

    /// This as a value of the row itself, to compare with its own values and with those of other rows.
    func ofTheRow() throws -> Lowered {
        let reached = path.reversed().reduce(try value.operand()) { .referenced($1, $0) }
        let guards = value.guards.isEmpty ? [] : [path.leading(to: .all(value.guards))]
        guard let otherwise = try otherwise?.operand() else {
            return .operand(reached, guards: guards.isEmpty ? [isReached] : guards)
        }
        return .operand(
            otherwise == .value(.null) ? reached : .conditional(isReached, reached, otherwise), guards: guards
        )
    }
}

extension Lowered {
    /// Lowers an operation on several values, each a constant or a value of a row, which may be a related one.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - operation: The operation, on values of one row.
    /// - Returns: The result of the operation, as a value of that row; of the row itself if the values are of several rows.
    /// - Throws: What the operation throws.
    static func combining(_ values: [Lowered], _ operation: ([Lowered]) throws -> Lowered) throws -> Lowered {
        let related = values.compactMap(\.related)
        guard let first = related.first else { return try operation(values) }
        guard related.allSatisfy({ $0.path == first.path }),
            values.allSatisfy({ $0.related != nil || $0.isConstant })
        else { return try operation(values.map { try $0.related?.ofTheRow() ?? $0 }) }
        let otherwise =
            related.contains { $0.otherwise == nil }
            ? nil : try operation(values.map { $0.related?.otherwise ?? $0 })
        return .related(
            RelatedValue(
                path: first.path, value: try operation(values.map { $0.related?.value ?? $0 }),
                otherwise: otherwise))
    }

    /// Lowers an operation on two values, as `combining(_:_:)` does for a list.
    static func combining(
        _ lhs: Lowered, _ rhs: Lowered, _ operation: (Lowered, Lowered) throws -> Lowered
    ) throws -> Lowered {
        try combining([lhs, rhs]) { try operation($0[0], $0[1]) }
    }

    /// Lowers an operation on one value, which may be of a related row.
    func map(_ operation: (Lowered) throws -> Lowered) throws -> Lowered {
        try .combining([self]) { try operation($0[0]) }
    }

    var related: RelatedValue? {
        if case .related(let value) = self { value } else { nil }
    }

    /// The references that lead to the row whose id this is; nil if this is not a reference.
    var referencePath: [String]? {
        switch self {
        case .operand(.attribute(let name), _): [name]
        case .related(let related): related.value.referencePath.map { related.path + $0 }
        default: nil
        }
    }

    private var isConstant: Bool {
        switch self {
        case .captured, .operand(.value, _): true
        default: false
        }
    }
}

extension Collection<String> {
    /// A condition about the row that references lead to.
    fileprivate func leading(to condition: Condition) -> Condition {
        reversed().reduce(condition) { .exists(relationship: $1, $0) }
    }
}

extension Condition {
    /// The condition with a comparison of constants evaluated.
    fileprivate var settled: Condition {
        switch self {
        case .compare(.value(let lhs), let comparison, .value(let rhs)): .constant(comparison.holds(lhs, rhs))
        case .isIn(.value(let value), let values): .constant(values.contains(value))
        case .match(.value(.null), _, _), .match(_, _, .value(.null)): .constant(false)
        case .not(let inner): !inner.settled
        default: self
        }
    }
}
