/// A value to sort by, of the row or of one that references lead to, and the direction.
public struct SortKey: Sendable, Hashable, Codable {
    /// The value: an attribute, or what is calculated for each row.
    public let value: Operand
    /// The references that lead to the row that has the value, in order; empty for the row itself.
    ///
    /// Where one is nil, so is the value.
    public let references: [String]
    /// The direction.
    public let direction: SortDirection
    /// Where nil comes.
    public let nils: NilOrder

    /// Creates a sort key.
    ///
    /// - Parameters:
    ///   - attribute: The attribute.
    ///   - references: The references that lead to the row that has it.
    ///   - direction: The direction.
    ///   - nils: Where nil comes; by default first ascending and last descending.
    public init(
        _ attribute: String, over references: [String] = [], _ direction: SortDirection = .ascending,
        nils: NilOrder? = nil
    ) {
        self.init(.attribute(attribute), over: references, direction, nils: nils)
    }

    /// Creates a sort key of a value that is calculated for each row.
    public init(
        _ value: Operand, over references: [String] = [], _ direction: SortDirection = .ascending,
        nils: NilOrder? = nil
    ) {
        self.value = value
        self.references = references
        self.direction = direction
        self.nils = nils ?? .usual(direction)
    }

    /// The attribute's name; nil for any other value.
    public var attribute: String? {
        if case .attribute(let name) = value { name } else { nil }
    }
}

extension SortKey {
    /// Whether it is this attribute of the row itself.
    package func isOwn(_ name: String) -> Bool { references.isEmpty && attribute == name }

    /// Whether it is an attribute of the row itself.
    package var isPlain: Bool { references.isEmpty && attribute != nil }

    /// The key as drivers receive it, and what is known of its values.
    ///
    /// - Throws: `unsupported` if there is no such reference or attribute, or its values have no order.
    package func validated(
        in entity: Entity, _ schema: Schema
    ) throws -> (key: SortKey, type: AttributeType?, canBeNil: Bool) {
        let source = try references.reduce(entity) { source, name in
            guard let target = source.attribute(name)?.reference.flatMap({ schema.entity($0) }) else {
                throw source.cannotSort(by: name, "reference")
            }
            return target
        }
        if let attribute {
            guard let found = source.attribute(attribute) else {
                throw source.cannotSort(by: attribute, "attribute")
            }
            return (self, found.type, found.isOptional || !references.isEmpty)
        }
        var validation = Validation(
            entity: source, schema: schema, keepsConstants: false, calculatesInCore: true)
        let (value, type) = try validation.operand(value)
        guard value.calculationDepth <= Limits.calculationDepth else { throw StoreError.calculationTooDeep }
        return (SortKey(value, over: references, direction, nils: nils), type, true)
    }

    /// A condition on the row that has the value; false where a reference is nil.
    package func reaching(_ condition: Condition) -> Condition {
        references.reversed().reduce(condition) { .exists(relationship: $1, $0) }
    }

    /// A condition on the value.
    func compared(_ comparison: Comparison, _ other: StoredValue) -> Condition {
        let condition = Condition.compare(value, comparison, .value(other))
        guard !references.isEmpty, comparison == .equal, other.isNull else { return reaching(condition) }
        return !reaching(.compare(value, .notEqual, .value(.null)))
    }

    /// Whether one of two different values comes before the other.
    package func precedes(_ lhs: StoredValue, _ rhs: StoredValue) -> Bool {
        if lhs.isNull || rhs.isNull { return lhs.isNull == (nils == .first) }
        return StoredValue.precedes(lhs, rhs) == (direction == .ascending)
    }
}

extension Entity {
    fileprivate func cannotSort(by name: String, _ kind: String) -> StoreError {
        StoreError(
            .unsupported, "\(self.name) has no \(kind) `\(name)` to sort by.", entity: self.name,
            attribute: name)
    }
}

/// The direction of a sort.
public enum SortDirection: String, Sendable, Hashable, Codable {
    /// Smallest first.
    case ascending
    /// Greatest first.
    case descending
}

/// Where nil comes in an order.
public enum NilOrder: String, Sendable, Hashable, Codable {
    /// Before all values.
    case first
    /// After all values.
    case last

    /// Where nil comes if the order does not say: it counts as smaller than every value.
    package static func usual(_ direction: SortDirection) -> Self {
        direction == .ascending ? .first : .last
    }
}
