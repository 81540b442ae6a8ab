internal import Foundation
public import SwitchyardCore

extension Store {
    /// Compares the rows of two stores, which can be of any two backends.
    ///
    /// Each store is read once, in one snapshot: the digests of its rows are calculated from the values that the database
    /// returns, references are followed, and 1,000 rows drawn at random are fetched from both and compared value by
    /// value. Where the digests differ, a second pass finds some of the rows. Nobody should write in the meantime.
    ///
    /// In stores with scopes, the rows of the scope with which each was opened are compared.
    ///
    /// ```swift
    /// let report = try await old.verify(against: new)
    /// guard report.isEqual else { … }
    /// ```
    ///
    /// - Parameter other: The second store.
    /// - Returns: The digests, and up to 20 of the rows of each entity that differ.
    /// - Throws: `schemaMismatch` if the two hold different schemas; `corrupted` for a row that cannot be read; as
    ///   `read(_:_:)`.
    /// - Complexity: O(rows) time; the memory does not depend on the number of rows if they are equal.
    public func verify(against other: any Store) async throws -> VerificationReport {
        let (mine, theirs) = (try await marker().schema, try await other.marker().schema)
        guard mine.fingerprint == theirs.fingerprint else {
            let differences = mine.differences(
                from: theirs, here: "the first store", there: "the second store")
            throw StoreError(
                .schemaMismatch,
                "The two stores do not have the same schema: \(differences.joined(separator: "; ")). Compare stores of "
                    + "one schema.")
        }
        async let ours = StoreSurvey(of: self)
        async let others = StoreSurvey(of: other)
        let (first, second) = (try await ours, try await others)
        var (entities, sampled): ([EntityComparison], Int) = ([], 0)
        for (index, entity) in schema.entities.enumerated() {
            let (one, two) = (first.entities[index], second.entities[index])
            sampled += one.sample.count
            let differences =
                one.digest == two.digest
                ? try await differences(in: one.sample, of: entity, other)
                : try await differences(one.digest, two.digest, of: entity, other)
            entities.append(
                EntityComparison(
                    entity: entity.name, first: one.digest.total, second: two.digest.total,
                    differences: differences,
                    danglingReferences: zip(one.dangling, two.dangling).compactMap { one, two in
                        one.rows + two.rows == 0
                            ? nil
                            : DanglingReferences(
                                attribute: one.attribute, first: one.rows, second: two.rows)
                    }))
        }
        return VerificationReport(entities: entities, sampledRows: sampled)
    }

    /// The rows among these ids that differ.
    private func differences(
        in ids: [UUID], of entity: Entity, _ other: any Store
    ) async throws -> [RowDifference] {
        if ids.isEmpty { return [] }
        let (mine, theirs) = (try await rows(ids, of: entity), try await other.rows(ids, of: entity))
        return ids.sorted().compactMap { id in
            switch (mine[id], theirs[id]) {
            case (let mine?, let theirs?):
                let names = zip(entity.attributes, zip(mine, theirs)).filter { $1.0 != $1.1 }.map(\.0.name)
                return names.isEmpty ? nil : RowDifference(id: id, kind: .attributes(names))
            case (_?, nil): return RowDifference(id: id, kind: .onlyInFirst)
            case (nil, _?): return RowDifference(id: id, kind: .onlyInSecond)
            case (nil, nil): return nil
            }
        }
    }

    /// Some of the rows in the parts that differ.
    private func differences(
        _ first: EntityDigest, _ second: EntityDigest, of entity: Entity, _ other: any Store
    ) async throws -> [RowDifference] {
        let limit = 20
        let parts = Self.partsToRead(first, second)
        let mine = try await digests(of: entity, in: parts)
        let theirs = try await other.digests(of: entity, in: parts)
        let ids = Set(mine.keys).union(theirs.keys).filter { mine[$0] != theirs[$0] }
        return try await differences(in: Array(ids.sorted().prefix(limit)), of: entity, other)
    }

    /// Parts that differ: one, or as many as have no more than 100,000 rows together.
    private static func partsToRead(_ first: EntityDigest, _ second: EntityDigest) -> Set<Int> {
        var (parts, rows): (Set<Int>, Int) = ([], 0)
        for (part, (one, two)) in zip(first.parts, second.parts).enumerated() where one != two {
            rows += one.count + two.count
            guard parts.isEmpty || rows <= 100_000 else { break }
            parts.insert(part)
        }
        return parts
    }

    private func digests(of entity: Entity, in parts: Set<Int>) async throws -> [UUID: UInt128] {
        try await read { tx in
            var digests: [UUID: UInt128] = [:]
            try tx.forEachDigest(of: entity) { id, digest in
                if parts.contains(id.part) { digests[id] = digest }
            }
            return digests
        }
    }

    private func rows(_ ids: [UUID], of entity: Entity) async throws -> [UUID: [StoredValue]] {
        try await read { tx in
            var rows: [UUID: [StoredValue]] = [:]
            try tx.forEachRow(
                of: entity.name, where: .isIn(.attribute("id"), ids.map { .uuid($0) })
            ) { row in if case .uuid(let id) = row[0] { rows[id] = row } }
            return rows
        }
    }
}

/// What one pass over a store finds of its rows.
private struct StoreSurvey: Sendable {
    /// One for each entity of the schema, in order.
    let entities: [EntitySurvey]

    init(of store: any Store) async throws {
        entities = try await store.read { tx in try tx.schema.entities.map { try EntitySurvey(of: $0, tx) } }
    }
}

private struct EntitySurvey: Sendable {
    /// The number of rows that are drawn, over all entities about as many.
    private static let sampleRows = 1_000

    let digest: EntityDigest
    /// The ids of rows drawn at random, each with the same chance.
    let sample: [UUID]
    /// For each reference, the number of rows in which it leads nowhere.
    let dangling: [(attribute: String, rows: Int)]

    init(of entity: Entity, _ tx: ReadTransaction) throws {
        var (digest, sample, seen) = (EntityDigest(), [UUID](), 0)
        var random = SystemRandomNumberGenerator()
        try tx.forEachDigest(of: entity) { id, row in
            digest.add(id, row)
            seen += 1
            if sample.count < Self.sampleRows {
                sample.append(id)
            } else {
                let place = Int.random(in: 0..<seen, using: &random)
                if place < Self.sampleRows { sample[place] = id }
            }
        }
        (self.digest, self.sample) = (digest, sample)
        dangling = try entity.attributes.filter { $0.reference != nil }.map { attribute in
            let leads = Condition.exists(relationship: attribute.name, .constant(true))
            let isNil = Condition.compare(.attribute(attribute.name), .equal, .value(.null))
            return (attribute.name, try tx.countRows(of: entity.name, where: !isNil && !leads))
        }
    }
}
