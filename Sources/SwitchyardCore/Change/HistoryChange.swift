public import Foundation

/// A row that a transaction has changed, as the store's history tells it.
public struct HistoryChange: Sendable {
    /// What was done to a row.
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
    /// The values before; nil for one that is not kept.
    private let values: [StoredValue?]
    /// The id of the row.
    public let id: UUID
    /// What was done to it.
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

    /// The name of the entity, as the schema of the time called it.
    public var entity: String { entityThen.name }

    /// The names of the attributes that an update changed, or that a deleted row had; none of a new one.
    ///
    /// Those that are left out of the history (`@Attribute(.withoutHistory)`) are not among them.
    public var attributes: [String] { positions.map { entityThen.attributes[$0] } }

    /// Whether the history says nothing of an attribute.
    func leavesOut(_ attribute: String) -> Bool {
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
    /// - Returns: Nil if the transaction did not change it, if its earlier value is not kept, if the change is one of
    ///   another model, or if the value does not fit the attribute's type any more.
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
    /// Whether two changes say the same of the same row.
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
