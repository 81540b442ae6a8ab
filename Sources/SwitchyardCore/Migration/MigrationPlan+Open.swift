internal import Foundation

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
            var count: Int?
            while true {
                do {
                    let store = try await open(schema, options)
                    status(count == nil ? .notNeeded : .completed(report))
                    return store
                } catch let error as StoreError {
                    guard let found = error.underlying as? OlderSchema,
                        options.access == .readWrite, options.role == .active
                    else { throw error }
                    let rest = try stages(from: found.schema)
                    count = max(count ?? 0, rest.count)
                    let (stage, total) = (rest[0], count ?? rest.count)
                    status(
                        .inProgress(
                            from: stage.older.version, to: stage.newer.version,
                            stage: total - rest.count + 1, of: total))
                    try await stage.run(options, attempts: Self.mostAttempts, open, &report)
                }
            }
        } catch let error as StoreError {
            status(.failed(error))
            throw error
        }
    }

    /// The stages that a store lacks, of which there is at least one.
    ///
    /// - Throws: `schemaMismatch` for a schema that is not in the plan, or is its newest.
    private func stages(from found: Schema) throws -> ArraySlice<PlannedStage> {
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
        let rest = stages.drop { $0.older.version != found.version }
        return ArraySlice(Array(rest))
    }
}

extension PlannedStage {
    /// Carries the stage out on a store of the older version, in one transaction.
    ///
    /// Before the first stage of a report the store is backed up.
    ///
    /// - Parameters:
    ///   - options: How the store is opened.
    ///   - attempts: How often to try while another process is at work.
    ///   - open: Opens the store with a schema.
    ///   - report: Gets what was done: nothing if another process was faster.
    fileprivate func run(
        _ options: OpenOptions, attempts: Int,
        _ open: @Sendable (Schema, OpenOptions) async throws -> any Store, _ report: inout MigrationReport
    ) async throws {
        var options = options
        options.changesSchema = true
        options.createsIfMissing = false
        for attempt in 1... {
            do {
                let store = try await open(older, options)
                do {
                    let (applied, backup) = try await run(on: store, backsUp: report.stages.isEmpty)
                    report.stages.append(applied)
                    report.backup = report.backup ?? backup
                    return try await store.close()
                } catch {
                    try? await store.close()
                    throw error
                }
            } catch let error as StoreError where error.code == .busy && attempt < attempts {
                continue
            } catch let error as StoreError
                where error.code == .schemaTooNew || error.underlying is ChangedSchema
            {
                return
            }
        }
    }

    private func run(on store: any Store, backsUp: Bool) async throws -> (AppliedStage, backup: String?) {
        let applied = AppliedStage(
            from: older.version, to: newer.version, fingerprint: newer.fingerprint, time: Date())
        var options = WriteOptions.ofMarker
        options.author = "migration"
        let backup = try await store.write(options) { tx in
            try tx.perform {
                var marker = try tx.driver.marker()
                try marker.requireNoSwitch()
                let backup = backsUp ? try tx.driver.backUp(as: older.version.description) : nil
                marker.schema = newer
                marker.stages = (marker.stages ?? []) + [applied]
                try tx.driver.setMarker(marker)
                try tx.driver.change(tableChanges, to: newer)
                // What is written to fold texts is no change of rows, so that the history has no word for it.
                let driver = (tx.driver as? RecordingDriver)?.base ?? tx.driver
                let view = try driver.view(of: newer)
                for change in tableChanges { try view.fold(change) }
                return backup
            }
        }
        return (applied, backup)
    }
}

extension StoreMarker {
    /// Throws if rows are being copied to another store, which knows only the schema that they have.
    fileprivate func requireNoSwitch() throws {
        guard let record = switching, [.copying, .rehearsing, .fenced].contains(record.state) else { return }
        throw StoreError(
            .invalidArgument,
            "The store is being switched to \(record.peer). Finish the switch, or give it up, before the schema changes; "
                + "nothing was changed.")
    }
}

extension TransactionDriver {
    /// Writes the folded copies of the attributes of a changed table that could not be searched before, or have got values.
    fileprivate func fold(_ change: TableChange) throws {
        guard case .change(let old, let entity, let sources) = change else { return }
        let attributes = zip(entity.attributes, sources).filter { attribute, source in
            let before = source.attribute.flatMap(old.attribute)
            return attribute.isSearchable && (before?.isSearchable != true || !source.fallback.isNull)
        }.map(\.0.name)
        guard !attributes.isEmpty else { return }
        let check = RowCheck(entity)
        var last: UUID?
        while true {
            let rows = try rows(of: entity, after: last, limit: 256)
            guard let end = rows.last else { return }
            var iterator = rows.makeIterator()
            _ = try insert(into: entity, onConflict: .update(key: ["id"], set: attributes)) { row in
                guard let values = iterator.next() else { return false }
                row.reset()
                for value in values { try row.write(value) }
                try check.complete(&row)
                return true
            }
            last = try entity.id(of: end)
        }
    }

    private func rows(of entity: Entity, after last: UUID?, limit: Int) throws -> [[StoredValue]] {
        let condition: Condition =
            last.map { .compare(.attribute("id"), .greater, .value(.uuid($0))) } ?? .constant(true)
        var rows: [[StoredValue]] = []
        try select(.rows(of: entity, where: condition, limit: limit)) { row in
            rows.append(try entity.attributes.map { try row.read($0.type) })
            return true
        }
        return rows
    }
}
