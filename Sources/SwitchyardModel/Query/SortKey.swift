/// An attribute to sort by, of the row or of one that references lead to, and the direction.
public struct SortKey: Sendable, Hashable, Codable {
    /// The attribute's name.
    public let attribute: String
    /// The references that lead to the row that has the attribute, in order; empty for the row itself.
    ///
    /// Where one is nil, so is the attribute.
    public let references: [String]
    /// The direction.
    ///
    /// Nil comes first ascending and last descending.
    public let direction: SortDirection

    /// Creates a sort key.
    public init(
        _ attribute: String, over references: [String] = [], _ direction: SortDirection = .ascending
    ) {
        self.attribute = attribute
        self.references = references
        self.direction = direction
    }
}

extension SortKey {
    /// Whether it is this attribute of the row itself.
    package func isOwn(_ name: String) -> Bool { references.isEmpty && attribute == name }

    /// The attribute's entity, and the attribute.
    ///
    /// - Throws: `unsupported` if there is no such reference or attribute.
    package func resolved(in entity: Entity, _ schema: Schema) throws -> (Entity, Attribute) {
        var source = entity
        func unknown(_ name: String, _ kind: String) -> StoreError {
            StoreError(
                .unsupported, "\(source.name) has no \(kind) `\(name)` to sort by.", entity: source.name,
                attribute: name)
        }
        for name in references {
            guard let target = source.attribute(name)?.reference.flatMap({ schema.entity($0) }) else {
                throw unknown(name, "reference")
            }
            source = target
        }
        guard let found = source.attribute(attribute) else { throw unknown(attribute, "attribute") }
        return (source, found)
    }

    /// A condition on the row that has the attribute; false where a reference is nil.
    package func reaching(_ condition: Condition) -> Condition {
        references.reversed().reduce(condition) { .exists(relationship: $1, $0) }
    }

    /// A condition on the attribute's value.
    func compared(_ comparison: Comparison, _ value: StoredValue) -> Condition {
        let condition = Condition.compare(.attribute(attribute), comparison, .value(value))
        guard !references.isEmpty, comparison == .equal, value.isNull else { return reaching(condition) }
        return !reaching(.compare(.attribute(attribute), .notEqual, .value(.null)))
    }
}

/// The direction of a sort.
public enum SortDirection: String, Sendable, Hashable, Codable {
    /// Smallest first.
    case ascending
    /// Greatest first.
    case descending
}
