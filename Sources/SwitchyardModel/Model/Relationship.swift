/// The to-many side of a relationship.
///
/// It has no column: its rows are those whose `inverse` refers to this row.
public struct Relationship: Sendable, Hashable, Codable {
    /// The property's name in Swift.
    public let name: String
    /// The entity on the other side.
    public let target: String
    /// The to-one attribute of `target` that refers back.
    public let inverse: String
    /// What happens to the rows on the other side when this row is deleted.
    public let deleteRule: DeleteRule

    /// Creates a relationship.
    public init(_ name: String, target: String, inverse: String, deleteRule: DeleteRule) {
        self.name = name
        self.target = target
        self.inverse = inverse
        self.deleteRule = deleteRule
    }
}

/// The rows that an `exists` tests: those of a to-many relationship, or the one that a reference points to.
///
/// A row is associated with the rows of `target` whose attribute `key` equals its own attribute `local`.
public struct Association: Sendable, Hashable {
    /// The entity of the associated rows.
    public let target: String
    /// The attribute of the associated rows: the one that refers back, or `id`.
    public let key: String
    /// The attribute of the row: `id`, or the reference.
    public let local: String

    /// Whether at most one row is associated with each row, because a reference points to it.
    public var isToOne: Bool { key == "id" }
}

extension Entity {
    /// The rows that a to-many relationship or a reference leads to; nil for any other name.
    public func association(_ name: String) -> Association? {
        if let relationship = relationship(name) {
            return Association(target: relationship.target, key: relationship.inverse, local: "id")
        }
        return attribute(name)?.reference.map { Association(target: $0, key: "id", local: name) }
    }
}

/// What happens to the rows that refer to a deleted row.
public enum DeleteRule: String, Sendable, Hashable, Codable, CaseIterable {
    /// They are deleted as well.
    case cascade
    /// Their reference becomes nil.
    case nullify
    /// The delete is refused with `foreignKey` while any of them exists.
    case deny
    /// Nothing. A dangling reference is refused with `foreignKey` at commit.
    case noAction
}
