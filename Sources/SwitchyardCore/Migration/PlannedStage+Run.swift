internal import Foundation

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
    /// - Throws: As `MigrationPlan.open`.
    func run(
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
                try tx.driver.change(tableChanges, to: newer, filling: filling)
                return backup
            }
        }
        return (applied, backup)
    }
}

extension PlannedStage {
    /// Runs the stage's own code, if it has any, on the tables that it writes.
    private var filling: TableFilling? {
        rewrite.map { rewrite in
            { old, new in
                let reading = ReadTransaction(schema: older, driver: old)
                let writing = WriteTransaction(
                    schema: newer.whileFilling(tableChanges), driver: new, sharing: reading.progress)
                defer { reading.finish() }
                try reading.showingFirstCause {
                    try rewrite(reading, writing)
                    try reading.requireUnbroken()
                }
            }
        }
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
