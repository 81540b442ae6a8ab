public import SwitchyardCore

extension JSONBackup {
    /// What happens to the existing rows of a store.
    public enum RestoreMode: String, Sendable, CaseIterable {
        /// They are deleted: the store then has the rows of the document.
        case replace
        /// They stay. A row of the document takes the place of the row with the same id.
        case merge
    }

    /// The result of a restoration for one entity.
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
    /// The whole document is checked before the transaction, and each row within it. Delete rules do not
    /// apply to replaced rows; references are checked at the end.
    ///
    /// - Parameters:
    ///   - path: The document.
    ///   - store: A store of the same schema.
    ///   - mode: What happens to the existing rows of the store.
    ///   - scope: The scope to write to; nil for the one that the store was opened with.
    /// - Returns: What was done with each entity.
    /// - Throws: `JSONError`, naming the line, the element and the attribute; `wrongVersion` for a document of another
    ///   schema; `unique` if a row has the key of another one; as any write. Nothing was changed then.
    /// - Complexity: The ids of one entity are held in memory, and one row.
    @discardableResult
    public func restore(
        fromPath path: String, into store: any Store, mode: RestoreMode, scope: StoreScope? = nil
    ) async throws -> [String: RestoredRows] {
        try await document(atPath: path, for: store.schema).restore(into: store, mode: mode, scope: scope)
    }

    /// Opens a document and checks everything but its rows, before there is a store to restore it into.
    ///
    /// What can be read only once, such as a pipe, is kept in a temporary file.
    ///
    /// - Parameters:
    ///   - path: The document.
    ///   - schema: The schema of the store.
    /// - Returns: The document.
    /// - Throws: `JSONError`, as `restore`.
    public func document(atPath path: String, for schema: Schema) async throws -> Document {
        let entities = try entities(of: schema)
        return try await Cancellation.run { [optional] _ in
            let reader = DocumentReader(file: try JSONFile(path), entities: entities)
            try reader.check(schema, optional: optional)
            return Document(reader: reader, schema: schema)
        }
    }

    /// A document that is whole, and of a certain schema.
    public struct Document: Sendable {
        fileprivate let reader: DocumentReader
        fileprivate let schema: Schema

        /// Writes the rows to a store.
        ///
        /// - Returns: What was done with each entity.
        /// - Throws: As `JSONBackup.restore`; `schemaMismatch` if the store has another schema than the
        ///   document was opened for.
        @discardableResult
        public func restore(
            into store: any Store, mode: RestoreMode, scope: StoreScope? = nil
        ) async throws -> [String: RestoredRows] {
            guard store.schema == schema else {
                throw StoreError(
                    .schemaMismatch,
                    "The document was opened for another schema than that of the store. Open it for this one."
                )
            }
            do {
                return try await store.write(WriteOptions(scope: scope)) { [reader] tx in
                    var report: [String: RestoredRows] = [:]
                    try reader.forEachEntity { entity, rows in
                        do {
                            report[entity.name] = try JSONBackup.restore(rows, of: entity, tx, mode)
                        } catch { throw rows.placing(error) }
                    }
                    return report
                }
            } catch let error as StoreError where error.code == .foreignKey {
                let placed = try await store.read(ReadOptions(scopes: scope.map { [$0] })) { [reader] tx in
                    try reader.danglingReference(beside: tx, keepsOthers: mode == .merge)
                }
                throw placed ?? error
            }
        }
    }

    fileprivate static func restore(
        _ rows: DocumentRows, of entity: Entity, _ tx: WriteTransaction, _ mode: RestoreMode
    ) throws -> RestoredRows {
        var report = RestoredRows()
        switch mode {
        case .replace:
            // All rows are deleted, so no delete rule applies; references are checked at the end.
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
