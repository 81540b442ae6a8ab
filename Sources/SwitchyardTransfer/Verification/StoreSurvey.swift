internal import Foundation
internal import SwitchyardCore

/// What one pass over a snapshot of a store finds of its rows.
struct StoreSurvey: Sendable {
    /// One for each entity of the schema, in order.
    private(set) var entities: [EntitySurvey]

    init(of tx: ReadTransaction) throws {
        entities = try tx.schema.entities.map { try EntitySurvey(of: $0, tx) }
    }

    /// The digests of all rows of each entity.
    var digests: [RowsDigest] { entities.map(\.digest.total) }

    /// Takes rows into account that were changed since.
    ///
    /// - Parameters:
    ///   - old: For each entity, the digests of the rows that were there.
    ///   - new: For each entity, the digests of those that are there now.
    mutating func replace(_ old: [[UUID: UInt128]], by new: [[UUID: UInt128]]) {
        for index in entities.indices { entities[index].digest.replace(old[index], by: new[index]) }
    }
}

/// What one pass finds of the rows of an entity.
struct EntitySurvey: Sendable {
    /// The number of rows that are drawn.
    private static let sampleRows = 1_000

    fileprivate(set) var digest: EntityDigest
    /// Rows drawn at random, each with the same chance, by their ids.
    let sample: [UUID: [StoredValue]]
    /// For each reference, the number of rows in which it leads nowhere.
    let dangling: [(attribute: String, rows: Int)]

    init(of entity: Entity, _ tx: ReadTransaction) throws {
        var (digest, drawn, seen) = (EntityDigest(), [UUID](), 0)
        var random = SystemRandomNumberGenerator()
        try tx.forEachDigest(of: entity) { id, row in
            digest.add(id, row)
            seen += 1
            if drawn.count < Self.sampleRows {
                drawn.append(id)
            } else {
                let place = Int.random(in: 0..<seen, using: &random)
                if place < Self.sampleRows { drawn[place] = id }
            }
        }
        self.digest = digest
        sample = drawn.isEmpty ? [:] : try tx.rows(drawn, of: entity)
        dangling = try tx.danglingReferences(of: entity)
    }
}

extension ReadTransaction {
    /// For each reference of an entity, the number of rows in which it leads nowhere.
    func danglingReferences(of entity: Entity) throws -> [(attribute: String, rows: Int)] {
        try entity.attributes.filter { $0.reference != nil }.map { attribute in
            let leads = Condition.exists(relationship: attribute.name, .constant(true))
            let isNil = Condition.compare(.attribute(attribute.name), .equal, .value(.null))
            return (attribute.name, try countRows(of: entity.name, where: !isNil && !leads))
        }
    }
}
