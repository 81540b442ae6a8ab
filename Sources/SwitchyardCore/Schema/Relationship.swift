/// The to-many side of a relationship.
///
/// It has no column: the rows are those whose `inverse` points here.
public struct Relationship: Sendable, Hashable, Codable {
    /// The property's name in Swift.
    public let name: String
    /// The entity on the other side.
    public let target: String
    /// The to-one attribute of `target` that points back.
    public let inverse: String
    /// What becomes of the rows on the other side when this one is deleted.
    public let deleteRule: DeleteRule

    /// Describes a relationship.
    public init(_ name: String, target: String, inverse: String, deleteRule: DeleteRule) {
        self.name = name
        self.target = target
        self.inverse = inverse
        self.deleteRule = deleteRule
    }
}

/// What becomes of the rows that point at a deleted one.
public enum DeleteRule: String, Sendable, Hashable, Codable, CaseIterable {
    /// They are deleted as well.
    case cascade
    /// Their reference becomes nil.
    case nullify
    /// The delete is refused with `foreignKey` while any is left.
    case deny
    /// Nothing. A reference that is left pointing at no row is refused with `foreignKey` at commit.
    case noAction
}
