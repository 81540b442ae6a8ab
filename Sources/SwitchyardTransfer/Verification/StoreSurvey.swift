internal import Foundation
internal import SwitchyardCore

/// The digests of the rows of a snapshot of a store.
struct StoreDigest: Sendable, Hashable {
    /// One for each entity of the schema, in order.
    private(set) var entities: [EntityDigest]

    /// Reads the rows that a transaction sees.
    ///
    /// - Parameters:
    ///   - tx: The transaction.
    ///   - scope: The scope that it sees, if the digest is to be one of a store with all its scopes.
    ///   - condition: Which rows of an entity.
    /// - Throws: `corrupted` for a row that cannot be read; as any read.
    init(
        of tx: ReadTransaction, in scope: StoreScope? = nil,
        where condition: (Entity) -> Condition = { _ in .constant(true) }
    ) throws {
        entities = try tx.schema.entities.map { entity in
            var digest = EntityDigest()
            try tx.forEachDigest(of: entity, in: scope, where: condition(entity)) { digest.add($0, $1) }
            return digest
        }
    }

    /// The digest of no rows.
    init(of schema: Schema) { entities = schema.entities.map { _ in EntityDigest() } }

    /// Reads a store without writers, by two concurrent reads.
    init(of store: any Store) async throws {
        let (lower, upper) = try await store.readHalves { tx, half in
            try StoreDigest(of: tx, where: half.condition)
        }
        self = lower
        add(upper)
    }

    fileprivate init(_ entities: [EntityDigest]) { self.entities = entities }

    /// Adds the rows of another scope, or of another half.
    mutating func add(_ other: StoreDigest) {
        for index in entities.indices { entities[index].add(other.entities[index]) }
    }

    /// The digest of all rows of each entity.
    var totals: [RowsDigest] { entities.map(\.total) }

    /// The number of rows and the digest of each entity, as text, by the entity's name.
    func words(in schema: Schema) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: zip(schema.entities, totals).map { ($0.name, "\($1.count) \($1)") })
    }

    /// Accounts for rows that were changed since.
    ///
    /// - Parameters:
    ///   - old: For each entity, the digests of the rows that were there.
    ///   - new: For each entity, the digests of those that are there now.
    mutating func replace(_ old: [[UUID: UInt128]], by new: [[UUID: UInt128]]) {
        for index in entities.indices { entities[index].replace(old[index], by: new[index]) }
    }
}

/// The result of a pass over a snapshot of a store.
struct StoreSurvey: Sendable {
    /// The most bytes that they take, of all entities together, beyond which fewer are read.
    private static let sampleBytes = 4 << 20

    /// The digests of all rows.
    let digest: StoreDigest
    /// For each entity, rows drawn at random, by their ids.
    let samples: [[UUID: [StoredValue]]]
    /// For each entity, the references, and the number of rows in which they lead nowhere.
    let dangling: [[(attribute: String, rows: Int)]]

    /// Reads the rows that a transaction sees.
    ///
    /// - Parameters:
    ///   - tx: The transaction.
    ///   - scope: As for the digest.
    ///   - half: The half of the rows; the lower one does not check references. Nil for all rows.
    /// - Throws: `corrupted` for a row that cannot be read; as any read.
    init(of tx: ReadTransaction, in scope: StoreScope? = nil, half: StoreHalf? = nil) throws {
        let tallies = try tx.schema.entities.map { entity in
            var tally = EntityTally()
            let condition = half?.condition(of: entity) ?? .constant(true)
            try tx.forEachDigest(of: entity, in: scope, where: condition) { tally.add($0, $1) }
            return tally
        }
        try self.init(tallies, in: tx, half: half)
    }

    /// Reads what is lacking to a pass over the rows that a transaction sees.
    ///
    /// - Parameters:
    ///   - tallies: What was read, of each entity.
    ///   - tx: The transaction.
    ///   - half: As above.
    /// - Throws: As any read.
    init(_ tallies: [EntityTally], in tx: ReadTransaction, half: StoreHalf? = nil) throws {
        var bytes = Self.sampleBytes
        digest = StoreDigest(tallies.map(\.digest))
        samples = try zip(tx.schema.entities, tallies).map { entity, tally in
            try tx.rows(tally.sample.ids, of: entity, within: &bytes)
        }
        dangling = half?.isLower == true ? [] : try tx.danglingReferences()
    }

    /// Joins what was found of the two halves of one snapshot.
    init(lower: StoreSurvey, upper: StoreSurvey) {
        var digest = lower.digest
        digest.add(upper.digest)
        self.digest = digest
        samples = lower.samples.indices.map { index in
            let counts = (lower.digest.totals[index].count, upper.digest.totals[index].count)
            let drawn = RandomSample.drawn(
                EntityTally.sampleRows, from: (Array(lower.samples[index]), of: counts.0),
                (Array(upper.samples[index]), of: counts.1))
            return Dictionary(uniqueKeysWithValues: drawn.map { ($0.key, $0.value) })
        }
        dangling = upper.dangling
    }
}

extension StoredValue {
    /// About how many bytes the value takes.
    fileprivate var byteCount: Int {
        switch self {
        case .text(let text), .json(let text): MemoryLayout<Self>.size + text.utf8.count
        case .blob(let bytes): MemoryLayout<Self>.size + bytes.count
        default: MemoryLayout<Self>.size
        }
    }
}

extension ReadTransaction {
    /// The rows with some ids, in any order, as long as there is room for them; by id.
    ///
    /// - Parameters:
    ///   - ids: The ids.
    ///   - entity: The entity of the rows.
    ///   - room: The number of bytes that they may take, but for the last one; less than that afterwards.
    /// - Returns: The rows.
    /// - Throws: As any read.
    fileprivate func rows(
        _ ids: [UUID], of entity: Entity, within room: inout Int
    ) throws -> [UUID: [StoredValue]] {
        var rows: [UUID: [StoredValue]] = [:]
        var left = ids.shuffled()[...]
        while !left.isEmpty, room > 0 {
            let condition = try Condition.isIn(.attribute("id"), left.prefix(100).map { .uuid($0) })
                .validated(in: entity, schema: schema)
            left = left.dropFirst(100)
            try driver.select(.rows(of: entity, where: condition, order: [])) { row in
                let values = try entity.attributes.map { try row.read($0.type) }
                if case .uuid(let id) = values[0] { rows[id] = values }
                room -= values.reduce(0) { $0 + $1.byteCount }
                return room > 0
            }
        }
        return rows
    }

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
