extension MigrationPlan {
    /// How often a stage is tried while another process changes the store, each time for as long as its settings say.
    private static var mostAttempts: Int { 120 }

    /// The newest version.
    public var schema: Schema { schemas[schemas.count - 1] }

    /// Opens a store in the newest version, after the stages that it lacks.
    ///
    /// Each stage is one transaction: the store is of one version or of the next, whatever happens in between. Of several
    /// processes one carries the stages out, and the others wait for it.
    ///
    /// - Parameters:
    ///   - options: How the store is opened. One that is opened read-only is not changed.
    ///   - status: Is told how far the migration has come.
    ///   - open: Opens the store with a schema.
    /// - Returns: The store.
    /// - Throws: `schemaMismatch`, with the differences, for a store of a version that is not in the plan; what `open`
    ///   throws; `unique`, `notNull`, `check` or `foreignKey` if the rows do not fit the next version; `busy` if another
    ///   process changes the store for too long. After an error the store is of the version that it had before the stage.
    package func open(
        _ options: OpenOptions, status: @Sendable (MigrationStatus) -> Void,
        _ open: @Sendable (Schema, OpenOptions) async throws -> any Store
    ) async throws -> any Store {
        do {
            var report = MigrationReport()
            // The number of stages that the store lacked; 0 until it was found to lack any.
            var count = 0
            while true {
                do {
                    let store = try await open(schema, options)
                    status(count == 0 ? .notNeeded : .completed(report))
                    return store
                } catch let error as StoreError {
                    guard let found = error.underlying as? OlderSchema, options.role == .active else {
                        throw error
                    }
                    guard options.access == .readWrite else { throw Self.cannotWrite(found.schema, schema) }
                    let rest = try stages(from: found.schema)
                    count = max(count, rest.count)
                    status(
                        .inProgress(
                            from: rest[0].older.version, to: rest[0].newer.version,
                            stage: count - rest.count + 1, of: count))
                    try await rest[0].run(options, attempts: Self.mostAttempts, open, &report)
                }
            }
        } catch let error as StoreError {
            status(.failed(error))
            throw error
        }
    }

    private static func cannotWrite(_ found: Schema, _ newest: Schema) -> StoreError {
        StoreError(
            .schemaMismatch,
            "The store has schema version \(found.version), and is opened read-only, so it cannot be migrated to "
                + "\(newest.version). Open it for writing once; nothing was changed.")
    }

    /// The stages that a store lacks, of which there is at least one.
    ///
    /// - Throws: `schemaMismatch` for a schema that is not in the plan, or is its newest.
    func stages(from found: Schema) throws -> [PlannedStage] {
        guard let known = schemas.first(where: { $0.version == found.version }) else {
            let versions = schemas.map(\.version.description).joined(separator: ", ")
            throw StoreError(
                .schemaMismatch,
                "The store has schema version \(found.version), and the migration plan knows \(versions). Add the "
                    + "version to the plan; nothing was changed.")
        }
        guard known.fingerprint == found.fingerprint else {
            let differences = found.differences(from: known).joined(separator: "; ")
            throw StoreError(
                .schemaMismatch,
                "The store and the migration plan both have schema version \(found.version), but not the same schema: "
                    + "\(differences). A version must not change once it was released; nothing was changed.")
        }
        return Array(stages.drop { $0.older.version != found.version })
    }
}
