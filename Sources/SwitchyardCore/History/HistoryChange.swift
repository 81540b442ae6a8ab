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
    private let values: [StoredValue]
    /// The id of the row.
    public let id: UUID
    /// What was done to it.
    public let kind: Kind

    init(
        _ entity: ChangedEntity, id: UUID, kind: RowChange.Kind, attributes: [Int], before: [StoredValue]
    ) {
        entityThen = entity
        positions = attributes
        values = before
        self.id = id
        self.kind =
            switch kind {
            case .insert: .insert
            case .update: .update
            case .delete: .delete
            }
    }

    /// The name of the entity, as the schema of the time called it.
    public var entity: String { entityThen.name }

    /// The names of the attributes that `before` has a value of: those that an update changed, all of a deleted row,
    /// none of a new one.
    public var attributes: [String] { positions.map { entityThen.attributes[$0] } }

    /// The value of an attribute before the transaction; nil if the transaction did not change it.
    public func before(_ attribute: String) -> StoredValue? {
        for (position, value) in zip(positions, values) where entityThen.attributes[position] == attribute {
            return value
        }
        return nil
    }

    /// The value of an attribute before the transaction.
    ///
    /// - Returns: Nil if the transaction did not change it, if the change is one of another model, or if the value does
    ///   not fit the attribute's type any more.
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
