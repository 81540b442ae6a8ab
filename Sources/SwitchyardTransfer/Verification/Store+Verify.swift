internal import Foundation
public import SwitchyardCore

extension Store {
    /// Compares the rows of two stores, which can be of any two backends.
    ///
    /// Each store is read once, in one snapshot: the digests of its rows are calculated from the values that
    /// the database returns, references are followed, and 1,000 random rows are fetched from both and
    /// compared value by value. If the digests differ, a second pass finds some of the rows. Neither store
    /// should be written to during the comparison.
    ///
    /// In stores with scopes, the comparison covers the rows of the scope that each was opened with.
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
        async let ours = read { try StoreSurvey(of: $0) }
        async let others = other.read { try StoreDigest(of: $0) }
        return try await StoreComparison(first: ours, second: others, self, other).report()
    }

    /// The rows with these ids, by id.
    func rows(
        _ ids: [UUID], of entity: Entity, _ options: ReadOptions
    ) async throws -> [UUID: [StoredValue]] {
        if ids.isEmpty { return [:] }
        return try await read(options) { try $0.rows(ids, of: entity) }
    }
}

extension ReadTransaction {
    /// The rows with these ids, by id.
    func rows(_ ids: [UUID], of entity: Entity) throws -> [UUID: [StoredValue]] {
        var rows: [UUID: [StoredValue]] = [:]
        try forEachRow(of: entity.name, where: .isIn(.attribute("id"), ids.map { .uuid($0) })) { row in
            if case .uuid(let id) = row[0] { rows[id] = row }
        }
        return rows
    }
}
