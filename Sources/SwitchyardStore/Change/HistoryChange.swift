public import Foundation

/// A change of one row by a transaction of the store's history.
public struct HistoryChange: Sendable {
    /// The kind of change.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The row is new.
        case insert
        /// Some of its attributes have other values.
        case update
        /// It is gone.
        case delete
    }

    private let entityThen: ChangedEntity
    private let positions: [Int]
    /// The previous values; nil for one that is not kept.
    private let values: [StoredValue?]
    /// The id of the row.
    public let id: UUID
    /// The kind of change.
    public let kind: Kind

    init(
        _ entity: ChangedEntity, id: UUID, kind: Kind, attributes: [Int], before: [StoredValue?]
    ) {
        entityThen = entity
        positions = attributes
        values = before
        self.id = id
        self.kind = kind
    }

    /// The name of the entity in the schema of the time.
    public var entity: String { entityThen.name }

    /// The names of the attributes that an update changed, or that a deleted row had; empty for an inserted
    /// row.
    ///
    /// Attributes that are left out of the history (`@Attribute(.withoutHistory)`) are not included.
    public var attributes: [String] { positions.map { entityThen.attributes[$0] } }

    /// Whether the history leaves out an attribute.
    package func leavesOut(_ attribute: String) -> Bool {
        entityThen.attributes.firstIndex(of: attribute).map { entityThen.types[$0] == nil } ?? false
    }

    /// The value of an attribute before the transaction; nil if the transaction did not change it, or if `attributes`
    /// names it, but its earlier value is not kept (`@Attribute(.withoutEarlierValues)`).
    public func before(_ attribute: String) -> StoredValue? {
        for (position, value) in zip(positions, values) where entityThen.attributes[position] == attribute {
            return value
        }
        return nil
    }

    /// The value of an attribute before the transaction.
    ///
    /// - Returns: Nil if the transaction did not change it, if its previous value is not kept, if the change
    ///   is one of another model, or if the value no longer fits the attribute's type.
    public func before<Element: Model, Value>(_ keyPath: KeyPath<Element, Value>) -> Value? {
        guard entity == Element.entityName, case .success(let name) = Element.attribute(at: keyPath) else {
            return nil
        }
        return before(name)?.value(as: Value.self)
    }

    /// The id of the row as one of a model; nil if the change is one of another model.
    public func id<Element: Model>(of model: Element.Type) -> Identifier<Element>? {
        entity == model.entityName ? Identifier(id) : nil
    }
}

extension HistoryChange: Hashable {
    /// Whether two changes are the same change of the same row.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.entity == rhs.entity && lhs.id == rhs.id && lhs.kind == rhs.kind
            && lhs.attributes == rhs.attributes && lhs.values == rhs.values
    }

    /// Hashes the row and what was done to it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(kind)
    }
}
