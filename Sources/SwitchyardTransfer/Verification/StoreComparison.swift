internal import Foundation
internal import SwitchyardCore

/// A comparison of what passes over two stores have found.
struct StoreComparison {
    /// The most rows of an entity that are named.
    private static let mostDifferences = 20
    /// The most rows whose digests are kept to find those that differ, unless one part has more.
    private static let mostRows = 100_000

    private let first: StoreSurvey
    private let second: StoreDigest
    private let stores: (first: any Store, second: any Store)
    private let options: ReadOptions

    /// Prepares a comparison.
    ///
    /// - Parameters:
    ///   - first: What a pass over the first store has found.
    ///   - second: What a pass over the second one has.
    ///   - firstStore: The first store, to find rows that differ.
    ///   - secondStore: The second store.
    ///   - options: How both are read: as in those passes.
    init(
        first: StoreSurvey, second: StoreDigest, _ firstStore: any Store, _ secondStore: any Store,
        _ options: ReadOptions = ReadOptions()
    ) {
        self.first = first
        self.second = second
        stores = (firstStore, secondStore)
        self.options = options
    }

    func report() async throws -> VerificationReport {
        var (entities, sampled): ([EntityComparison], Int) = ([], 0)
        // Of two stores with the same rows, the same references lead nowhere.
        let dangling =
            first.digest == second
            ? first.dangling : try await stores.second.read(options) { try $0.danglingReferences() }
        for (index, entity) in stores.first.schema.entities.enumerated() {
            let (one, two) = (first.digest.entities[index], second.entities[index])
            let sample = first.samples[index]
            sampled += sample.count
            entities.append(
                EntityComparison(
                    entity: entity.name, first: one.total, second: two.total,
                    differences: one == two
                        ? differences(
                            sample,
                            try await stores.second.rows(Array(sample.keys), of: entity, options), entity)
                        : try await differences(one, two, of: entity),
                    danglingReferences: zip(first.dangling[index], dangling[index]).compactMap { one, two in
                        one.rows + two.rows == 0
                            ? nil
                            : DanglingReferences(attribute: one.attribute, first: one.rows, second: two.rows)
                    }))
        }
        return VerificationReport(entities: entities, sampledRows: sampled)
    }

    /// How rows differ from those with the same ids, in the order of the ids.
    private func differences(
        _ mine: [UUID: [StoredValue]], _ theirs: [UUID: [StoredValue]], _ entity: Entity
    ) -> [RowDifference] {
        Set(mine.keys).union(theirs.keys).sorted().compactMap { id in
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
        _ first: EntityDigest, _ second: EntityDigest, of entity: Entity
    ) async throws -> [RowDifference] {
        let parts = Self.partsToRead(first, second)
        let mine = try await digests(of: entity, in: parts, stores.first)
        let theirs = try await digests(of: entity, in: parts, stores.second)
        let differing = Set(mine.keys).union(theirs.keys).filter { mine[$0] != theirs[$0] }.sorted()
        let ids = Array(differing.prefix(Self.mostDifferences))
        return differences(
            try await stores.first.rows(ids, of: entity, options),
            try await stores.second.rows(ids, of: entity, options), entity)
    }

    /// Parts that differ: one, or several that together have few rows.
    private static func partsToRead(_ first: EntityDigest, _ second: EntityDigest) -> Set<Int> {
        var (parts, rows): (Set<Int>, Int) = ([], 0)
        for (part, (one, two)) in zip(first.parts, second.parts).enumerated() where one != two {
            rows += one.count + two.count
            guard parts.isEmpty || rows <= mostRows else { break }
            parts.insert(part)
        }
        return parts
    }

    private func digests(
        of entity: Entity, in parts: Set<Int>, _ store: any Store
    ) async throws -> [UUID: UInt128] {
        try await store.read(options) { tx in
            var digests: [UUID: UInt128] = [:]
            try tx.forEachDigest(of: entity) { id, digest in
                if parts.contains(id.part) { digests[id] = digest }
            }
            return digests
        }
    }
}
