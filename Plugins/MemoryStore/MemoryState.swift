internal import HashTreeCollections
internal import SwitchyardCore

/// All that a store holds, as a value: a copy is a snapshot.
struct MemoryState: Sendable {
    /// The rows, by the name of their table.
    var tables: [String: Table]
    /// When each operation that was given an id was committed, by a clock that nobody sets.
    var operations: TreeDictionary<OperationID, ContinuousClock.Instant> = [:]

    var marker: StoreMarker

    init(_ schema: Schema, role: StoreRole) {
        marker = StoreMarker(schema: schema, role: role)
        tables = Dictionary(
            schema.entities.map { ($0.table, Table($0)) }, uniquingKeysWith: { first, _ in first })
    }

    func table(_ entity: Entity) throws -> Table {
        guard let table = tables[entity.table] else {
            throw StoreError(.schemaMismatch, "The store has no entity \(entity.name).", entity: entity.name)
        }
        return table
    }

    /// Changes a table in place.
    mutating func change<Result>(_ entity: Entity, _ body: (inout Table) throws -> Result) throws -> Result {
        // Taken out and put back, so that the table is not copied for having two owners.
        guard var table = tables.removeValue(forKey: entity.table) else {
            throw StoreError(.schemaMismatch, "The store has no entity \(entity.name).", entity: entity.name)
        }
        defer { tables[entity.table] = table }
        return try body(&table)
    }
}
