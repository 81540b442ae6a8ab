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

/// The rows that an `exists` asks about: those of a to-many relationship, or the one that a reference points at.
///
/// A row is associated with those of `target` whose attribute `key` equals its own attribute `local`.
public struct Association: Sendable, Hashable {
    /// The entity of the associated rows.
    public let target: String
    /// The attribute of the associated rows: what points back, or `id`.
    public let key: String
    /// The attribute of the row: `id`, or what points there.
    public let local: String

    /// Whether at most one row is associated with each, which a reference points at.
    public var isToOne: Bool { key == "id" }
}

extension Entity {
    /// The rows that a to-many relationship or a reference leads to; nil if the name is that of neither.
    public func association(_ name: String) -> Association? {
        if let relationship = relationship(name) {
            return Association(target: relationship.target, key: relationship.inverse, local: "id")
        }
        return attribute(name)?.reference.map { Association(target: $0, key: "id", local: name) }
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
