public import Foundation
internal import Switchyard
public import SwitchyardCore

/// The rows of all entities of a schema, without their Swift types.
public struct SchemaRows: Sendable {
    /// The schema.
    public let schema: Schema
    let rows: [String: [[StoredValue]]]

    /// Reads all rows of a store.
    ///
    /// - Throws: As `ReadTransaction.fetchRows`.
    public init(in store: any Store) async throws {
        schema = store.schema
        let rows = try await store.read { [schema] tx in
            try schema.entities.map { ($0.name, try tx.fetchRows(of: $0.name)) }
        }
        self.rows = Dictionary(uniqueKeysWithValues: rows)
    }

    init(_ rows: [String: [[StoredValue]]], of schema: Schema) { (self.schema, self.rows) = (schema, rows) }

    /// The number of rows of all entities.
    public var count: Int { rows.values.reduce(0) { $0 + $1.count } }

    /// The rows of an entity, each as its values in the order of the attributes; none for an unknown entity.
    public func rows(of entity: String) -> [[StoredValue]] { rows[entity] ?? [] }

    /// The values of an attribute, by the ids of the rows; empty for one that the schema does not have.
    public func values(_ entity: String, _ attribute: String) -> [UUID: StoredValue] {
        guard let column = schema.entity(entity)?.attributes.firstIndex(where: { $0.name == attribute })
        else { return [:] }
        let values = rows(of: entity).compactMap { row -> (UUID, StoredValue)? in
            guard case .uuid(let id) = row[0] else { return nil }
            return (id, row[column])
        }
        return Dictionary(values, uniquingKeysWith: { first, _ in first })
    }

    /// Writes the rows into an empty store of the schema.
    ///
    /// - Throws: As `WriteTransaction.insertRows`.
    public func insert(into store: any Store) async throws {
        try await store.write { tx in
            for entity in schema.entities { try tx.insertRows(into: entity.name, rows(of: entity.name)) }
        }
    }
}
