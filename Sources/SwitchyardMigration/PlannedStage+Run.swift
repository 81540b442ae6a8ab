internal import Foundation
internal import SwitchyardHistory

extension PlannedStage {
    /// Carries the stage out on a store of the older version, in one transaction.
    ///
    /// Before the first stage of a report the store is backed up.
    ///
    /// - Parameters:
    ///   - options: How the store is opened.
    ///   - following: The stages that the store lacks beside this one: none is carried out if a later one cannot be.
    ///   - attempts: How often to try while another process is at work.
    ///   - open: Opens the store with a schema.
    ///   - report: Gets what was done: nothing if another process was faster.
    /// - Throws: As `MigrationPlan.open`.
    func run(
        _ options: OpenOptions, followedBy following: ArraySlice<PlannedStage>, attempts: Int,
        _ open: @Sendable (Schema, OpenOptions) async throws -> any Store, _ report: inout MigrationReport
    ) async throws {
        var options = options
        options.changesSchema = true
        options.createsIfMissing = false
        for attempt in 1... {
            do {
                let isFirst = report.stages.isEmpty
                let (applied, backup, removed) = try await open(older, options).closing {
                    try await run(on: $0, followedBy: following, backsUp: isFirst)
                }
                report.stages.append(applied)
                report.backup = report.backup ?? backup
                report.removedDuplicates.merge(removed, uniquingKeysWith: +)
                return
            } catch let error as StoreError where error.code == .busy && attempt < attempts {
                continue
            } catch let error as StoreError
                where error.code == .schemaTooNew || error.code.refusesService
                || error.underlying is ChangedSchema
            {
                return
            }
        }
    }

    private func run(
        on store: any Store, followedBy following: ArraySlice<PlannedStage>, backsUp: Bool
    ) async throws -> (AppliedStage, backup: String?, removed: [String: Int]) {
        let applied = AppliedStage(
            from: older.version, to: newer.version, fingerprint: newer.fingerprint, time: Date())
        var options = WriteOptions.ofMarker
        options.author = WriteOptions.migration
        let (backup, removed) = try await store.write(options) { tx in
            try tx.keepUnsentRows(before: projection)
            return try tx.perform {
                var marker = try tx.driver.maintenance.marker()
                try marker.requireNoSwitch()
                try requireWay(by: tx.driver, followedBy: following)
                let backup = backsUp ? try tx.driver.maintenance.backUp(as: older.version.description) : nil
                marker.stages = (marker.stages ?? []) + [applied]
                return (backup, try change(tx.driver, marker))
            }
        }
        return (applied, backup, removed)
    }

    /// Throws if the store's tables have what this stage or a later one would lose, or whose name it takes.
    private func requireWay(
        by driver: any TransactionDriver, followedBy following: ArraySlice<PlannedStage>
    ) throws {
        let stages = [self] + following
        let parts = try driver.unknownParts(before: stages.map(\.step)).filter { $0.obstacle != nil }
        guard parts.isEmpty else {
            throw StoreError.partsInTheWay(
                parts, from: older.version, to: stages[stages.count - 1].newer.version)
        }
    }

    /// Changes the tables; and then adds the unique constraints that some rows must make way for first.
    ///
    /// - Returns: The number of rows that made way, by the name of their entity.
    private func change(_ driver: any TransactionDriver, _ marker: StoreMarker) throws -> [String: Int] {
        let before = newer.without(
            Dictionary(grouping: awaited, by: \.entity.name).mapValues { $0.map(\.constraint) })
        let record = try backfillRecord(driver, marker)
        func setSchema(_ schema: Schema) throws {
            var marker = marker
            marker.schema = schema
            if schema == newer, record != nil { (marker.role, marker.backfill) = (.migrating, record) }
            try driver.maintenance.setMarker(marker)
        }
        try setSchema(before)
        // Without the constraints that are awaited, as the schema says.
        let changes = tableChanges.map { $0.fitted(to: before) }
        try driver.maintenance.change(changes, to: before, filling: filling)
        guard !awaited.isEmpty else { return [:] }
        try setSchema(newer)
        var removed: [String: Int] = [:]
        let additions = before.entities.compactMap { entity in
            newer.entity(entity.name).flatMap { $0 == entity ? nil : TableChange.keep(entity, as: $0) }
        }
        try driver.view(of: before).maintenance.change(additions, to: newer) { rows, _ in
            removed.merge(try rows.makeWay(for: awaited, in: before), uniquingKeysWith: +)
        }
        return removed
    }
}

extension PlannedStage {
    /// Runs the code of the stage and of its steps, if there is any, on the tables that it writes.
    private var filling: TableFilling? {
        guard !rewrites.isEmpty || !steps.conversions.isEmpty else { return nil }
        return { old, new in
            let drafts = newer.whileFilling(tableChanges)
            let reading = ReadTransaction(schema: older, driver: old, readsInPages: true)
            let writing = WriteTransaction(schema: drafts, driver: new, sharing: reading.progress)
            defer { reading.finish() }
            try reading.showingFirstCause {
                try convertRows(from: old, to: new, drafts)
                for rewrite in rewrites { try rewrite(reading, writing) }
                try reading.requireUnbroken()
            }
        }
    }
}

extension StoreMarker {
    /// Throws if rows are being copied to another store, which knows only the schema that they have.
    func requireNoSwitch() throws {
        guard let record = switching, [.copying, .rehearsing, .fenced].contains(record.state) else { return }
        throw StoreError(
            .invalidArgument,
            "The store is being switched to \(record.peer). Finish the switch, or give it up, before the schema changes; "
                + "nothing was changed.")
    }
}
