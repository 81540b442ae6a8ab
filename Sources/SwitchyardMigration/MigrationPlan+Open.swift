extension MigrationPlan {
    /// The number of attempts at a stage while another process changes the store, each as long as its
    /// settings say.
    private static var mostAttempts: Int { 120 }

    /// The newest version.
    public var schema: Schema { schemas[schemas.count - 1] }

    /// Opens a store in the newest version, after the stages that it lacks.
    ///
    /// Each stage is one transaction: the store has one version or the next, whatever happens in between. Of
    /// several processes one carries the stages out, and the others wait for it.
    ///
    /// - Parameters:
    ///   - options: How the store is opened. One that is opened read-only is not changed.
    ///   - status: Receives the progress of the migration.
    ///   - open: Opens the store with a schema.
    /// - Returns: The store.
    /// - Throws: `schemaMismatch`, with the differences, for a store of a version that is not in the plan;
    ///   what `open` throws; `unique`, `notNull`, `check` or `foreignKey` if the rows do not fit the next
    ///   version; `busy` if another process changes the store for too long. After an error the store has the
    ///   version from before the stage.
    package func open(
        _ options: OpenOptions, status: @Sendable (MigrationStatus) -> Void,
        _ open: @Sendable (Schema, OpenOptions) async throws -> any Store
    ) async throws -> any Store {
        try await Self.open(schema, by: { self }, options, status: status, open)
    }

    /// Opens a store in the newest version of a declared plan, as `open(_:status:_:)` does.
    ///
    /// Working out and checking a plan of many versions takes milliseconds. So a release build does it only for a store
    /// that lacks a stage; a debug build always does, so that a mistake does not wait for an older store.
    ///
    /// - Throws: As `open(_:status:_:)` and `init(_:)`.
    package static func open(
        _ plan: any SchemaMigrationPlan.Type, _ options: OpenOptions,
        status: @Sendable (MigrationStatus) -> Void,
        _ open: @Sendable (Schema, OpenOptions) async throws -> any Store
    ) async throws -> any Store {
        #if DEBUG
            _ = try MigrationPlan(plan)
        #endif
        guard let newest = plan.schemas.last else { throw noVersion }
        return try await Self.open(
            newest.schema, by: { try MigrationPlan(plan) }, options, status: status, open)
    }

    private static func open(
        _ newest: Schema, by plan: () throws -> MigrationPlan, _ options: OpenOptions,
        status: @Sendable (MigrationStatus) -> Void,
        _ open: @Sendable (Schema, OpenOptions) async throws -> any Store
    ) async throws -> any Store {
        do {
            var report = MigrationReport()
            // The number of stages that the store lacked; 0 until it was found to lack any.
            var count = 0
            var standstill = Standstill()
            while true {
                do {
                    let store = try await open(newest, options)
                    status(count == 0 ? .notNeeded : .completed(report))
                    return store
                } catch let error as StoreError {
                    guard options.role == .active,
                        error.underlying is OlderSchema || error.underlying is UnfinishedBackfill,
                        let rest = try plan().stages(lackingIn: error)
                    else { throw error }
                    guard options.access == .readWrite else { throw cannotWrite(error, newest) }
                    let (stage, done) = (rest[0], report)
                    if count == 0 {
                        count = rest.count
                        status(.pending(from: stage.older.version, to: newest.version))
                    }
                    var progress = MigrationProgress(
                        from: stage.older.version, to: stage.newer.version, stage: count - rest.count + 1,
                        count: count)
                    status(.inProgress(progress))
                    if let unfinished = error.underlying as? UnfinishedBackfill {
                        try await stage.fillRows(
                            from: unfinished.record, options, attempts: mostAttempts, open, &report
                        ) { fraction in
                            progress.fraction = fraction
                            status(.inProgress(progress))
                        }
                    } else {
                        try await stage.run(
                            options, followedBy: rest.dropFirst(), attempts: mostAttempts, open, &report)
                    }
                    try standstill.note(error, hasMoved: report != done)
                }
            }
        } catch {
            status(.failed(error))
            throw error
        }
    }

    /// The error for a store that would have to be migrated, and is opened read-only.
    private static func cannotWrite(_ error: StoreError, _ newest: Schema) -> StoreError {
        guard let found = error.underlying as? OlderSchema else { return error }
        return StoreError(
            .schemaMismatch,
            "The store has schema version \(found.schema.version), and is opened read-only, so it cannot be migrated to "
                + "\(newest.version). Open it for writing once; nothing was changed.")
    }

    /// The missing stages of a store that could not be opened in the newest version; the first one may have
    /// got as far as its backfills.
    ///
    /// - Returns: The stages, at least one; nil if the error has another reason.
    /// - Throws: As `stages(from:)`.
    func stages(lackingIn error: StoreError) throws -> [PlannedStage]? {
        switch error.underlying {
        case let older as OlderSchema: return try stages(from: older.schema)
        case let unfinished as UnfinishedBackfill:
            let found = unfinished.schema
            let rest = try stages(from: found)
            guard let last = stages.first(where: { $0.newer.version == found.version }) else { return nil }
            return [last] + rest
        default: return nil
        }
    }

    /// The stages that follow a version; none for the newest.
    ///
    /// - Throws: `schemaMismatch` for a schema that is not in the plan.
    private func stages(from found: Schema) throws -> [PlannedStage] {
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

/// Ends a migration that repeatedly finds the store in the same state, as if another process were changing
/// it.
///
/// A write checks the columns beside the marker. If they contradict the marker, no stage can begin, however
/// often the store is opened.
private struct Standstill {
    /// The number of times that a state may recur without a stage in between, before the migration fails.
    private static let mostRepetitions = 3

    private struct State: Hashable {
        let schema: Schema
        let backfill: BackfillRecord?
    }

    private var last: State?
    private var repetitions = 0

    /// Notes what the store had before a stage.
    ///
    /// - Throws: `corrupted`.
    mutating func note(_ error: StoreError, hasMoved: Bool) throws {
        let state =
            switch error.underlying {
            case let older as OlderSchema: State(schema: older.schema, backfill: nil)
            case let unfinished as UnfinishedBackfill:
                State(schema: unfinished.schema, backfill: unfinished.record)
            default: last
            }
        repetitions = state == last && !hasMoved ? repetitions + 1 : 1
        last = state
        guard repetitions == Self.mostRepetitions, let version = state?.schema.version else { return }
        throw StoreError(
            .corrupted,
            "The store's marker names version \(version), but the columns beside the marker contradict it, "
                + "so no stage of the migration can begin. A diagnosis compares the two, and a repair "
                + "corrects them; no row was changed.")
    }
}
