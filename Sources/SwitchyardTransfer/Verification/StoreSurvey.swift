internal import Foundation
internal import SwitchyardCore

/// What one pass over a snapshot of a store finds of its rows.
struct StoreSurvey: Sendable {
    /// One for each entity of the schema, in order.
    private(set) var entities: [EntitySurvey]

    /// Surveys the rows that a transaction sees.
    ///
    /// - Parameters:
    ///   - tx: The transaction.
    ///   - scope: The scope that it sees, if the survey is to be one of a store with all its scopes.
    /// - Throws: `corrupted` for a row that cannot be read; as any read.
    init(of tx: ReadTransaction, in scope: StoreScope? = nil) throws {
        entities = try tx.schema.entities.map { try EntitySurvey(of: $0, in: scope, tx) }
    }

    /// The survey of no rows.
    init(of schema: Schema) { entities = schema.entities.map { _ in EntitySurvey() } }

    /// Adds the rows of another scope, but for its samples.
    mutating func add(_ other: StoreSurvey) {
        for index in entities.indices { entities[index].digest.add(other.entities[index].digest) }
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

    fileprivate init() { (digest, sample, dangling) = (EntityDigest(), [:], []) }

    fileprivate init(of entity: Entity, in scope: StoreScope?, _ tx: ReadTransaction) throws {
        var (digest, drawn, seen) = (EntityDigest(), [UUID](), 0)
        var random = SystemRandomNumberGenerator()
        try tx.forEachDigest(of: entity, in: scope) { id, row in
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
