internal import Dispatch
public import SwitchyardCore

extension JSONBackup {
    /// What becomes of the rows that a store has.
    public enum RestoreMode: String, Sendable, CaseIterable {
        /// They are deleted: the store then has the rows of the document.
        case replace
        /// They stay. A row of the document takes the place of the row with the same id.
        case merge
    }

    /// What a restoration has done with one entity.
    public struct RestoredRows: Sendable, Hashable, Codable {
        /// The number of rows in the document.
        public var read = 0
        /// The number of those that the store did not have.
        public var inserted = 0
        /// The number of those that took the place of a row with the same id.
        public var updated = 0
        /// The number of rows that were deleted to be replaced.
        public var deleted = 0
    }

    /// Writes the rows of a document to a store, in one transaction: all of them, or none.
    ///
    /// The document is checked as a whole before the transaction, and each row in it. Delete rules do not apply to what is
    /// replaced; references are checked at the end.
    ///
    /// - Parameters:
    ///   - path: The document.
    ///   - store: A store of the same schema.
    ///   - mode: What becomes of the rows that the store has.
    ///   - scope: The scope to write to; nil for the one that the store was opened with.
    /// - Returns: What was done with each entity.
    /// - Throws: `JSONError`, naming the line, the element and the attribute; `wrongVersion` for a document of another
    ///   schema; `unique` if a row has the key of another one; as any write. Nothing was changed then.
    /// - Complexity: The ids of one entity are held in memory, and one row.
    @discardableResult
    public func restore(
        fromPath path: String, into store: any Store, mode: RestoreMode, scope: StoreScope? = nil
    ) async throws -> [String: RestoredRows] {
        let schema = store.schema
        let entities = try entities(of: schema)
        let document = try await Cancellation.run(on: .global()) { [optional] _ in
            let document = DocumentReader(file: try JSONFile(path), entities: entities)
            try document.check(schema, optional: optional)
            return document
        }
        do {
            return try await store.write(WriteOptions(scope: scope)) { tx in
                var report: [String: RestoredRows] = [:]
                try document.forEachEntity { entity, rows in
                    do {
                        report[entity.name] = try Self.restore(rows, of: entity, tx, mode)
                    } catch { throw rows.placing(error) }
                }
                return report
            }
        } catch let error as StoreError where error.code == .foreignKey {
            let placed = try await store.read(ReadOptions(scopes: scope.map { [$0] })) { tx in
                try document.danglingReference(beside: tx, keepsOthers: mode == .merge)
            }
            throw placed ?? error
        }
    }

    private static func restore(
        _ rows: DocumentRows, of entity: Entity, _ tx: WriteTransaction, _ mode: RestoreMode
    ) throws -> RestoredRows {
        var report = RestoredRows()
        switch mode {
        case .replace:
            // All rows go, so that no delete rule has anything left to do; references are checked at the end.
            report.deleted = try tx.driver.delete(from: entity, where: .constant(true))
            report.inserted = try tx.insertRows(into: entity.name, rows)
        case .merge:
            let before = try tx.countRows(of: entity.name)
            let written = try tx.upsertRows(into: entity.name, rows)
            report.inserted = try tx.countRows(of: entity.name) - before
            report.updated = written - report.inserted
        }
        try rows.requireSound()
        report.read = rows.count
        return report
    }
}
