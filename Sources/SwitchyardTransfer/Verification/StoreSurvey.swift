internal import Foundation
internal import SwitchyardCore

/// The digests of the rows of a snapshot of a store.
struct StoreDigest: Sendable, Hashable {
    /// One for each entity of the schema, in order.
    private(set) var entities: [EntityDigest]

    init(of tx: ReadTransaction) throws {
        try self.init(of: tx) { _ in .constant(true) }
    }

    private init(of tx: ReadTransaction, where condition: (Entity) -> Condition) throws {
        entities = try tx.schema.entities.map { entity in
            var digest = EntityDigest()
            try tx.forEachDigest(of: entity, where: condition(entity)) { digest.add($0, $1) }
            return digest
        }
    }

    /// Reads a store that nobody writes to, by two reads at the same time.
    init(of store: any Store) async throws {
        let (lower, upper) = try await store.readHalves { tx, half in
            try StoreDigest(of: tx, where: half.condition)
        }
        self = lower
        for (index, digest) in upper.entities.enumerated() { entities[index].add(digest) }
    }

    fileprivate init(_ entities: [EntityDigest]) { self.entities = entities }

    /// The digest of all rows of each entity.
    var totals: [RowsDigest] { entities.map(\.total) }

    /// Takes rows into account that were changed since.
    ///
    /// - Parameters:
    ///   - old: For each entity, the digests of the rows that were there.
    ///   - new: For each entity, the digests of those that are there now.
    mutating func replace(_ old: [[UUID: UInt128]], by new: [[UUID: UInt128]]) {
        for index in entities.indices { entities[index].replace(old[index], by: new[index]) }
    }
}

/// What one pass over a snapshot of a store finds of its rows.
struct StoreSurvey: Sendable {
    /// The number of rows of each entity that are drawn.
    private static let sampleRows = 1_000

    /// The digests of all rows.
    let digest: StoreDigest
    /// For each entity, rows drawn at random, each with the same chance, by their ids.
    let samples: [[UUID: [StoredValue]]]
    /// For each entity, the references, and the number of rows in which they lead nowhere.
    let dangling: [[(attribute: String, rows: Int)]]

    init(of tx: ReadTransaction) throws {
        var (digests, samples): ([EntityDigest], [[UUID: [StoredValue]]]) = ([], [])
        for entity in tx.schema.entities {
            var (digest, drawn) = (EntityDigest(), RandomSample(of: Self.sampleRows))
            try tx.forEachDigest(of: entity) { id, row in
                digest.add(id, row)
                drawn.add(id)
            }
            digests.append(digest)
            samples.append(drawn.ids.isEmpty ? [:] : try tx.rows(drawn.ids, of: entity))
        }
        digest = StoreDigest(digests)
        self.samples = samples
        dangling = try tx.danglingReferences()
    }
}

extension ReadTransaction {
    /// For each entity, the references, and the number of rows in which they lead nowhere.
    func danglingReferences() throws -> [[(attribute: String, rows: Int)]] {
        try schema.entities.map { try danglingReferences(of: $0) }
    }

    /// For each reference of an entity, the number of rows in which it leads nowhere.
    func danglingReferences(of entity: Entity) throws -> [(attribute: String, rows: Int)] {
        try entity.attributes.filter { $0.reference != nil }.map { attribute in
            let leads = Condition.exists(relationship: attribute.name, .constant(true))
            let isNil = Condition.compare(.attribute(attribute.name), .equal, .value(.null))
            return (attribute.name, try countRows(of: entity.name, where: !isNil && !leads))
        }
    }
}
