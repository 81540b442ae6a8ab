internal import Foundation

extension MigrationPlan {
    /// Finds out what a store really holds, and changes nothing.
    ///
    /// - Parameters:
    ///   - options: How the store is opened; in any case read-only.
    ///   - checksRows: Whether every row of a sound store is read and checked, as by `Store.check()`.
    ///   - open: Opens the store with a schema.
    /// - Returns: What was found.
    /// - Throws: `unsupported` for a backend that keeps no tables; as opening the store, as far as neither its marker nor its
    ///   tables matter.
    package func diagnose(
        _ options: OpenOptions, checksRows: Bool = false,
        _ open: @Sendable (Schema, OpenOptions) async throws -> any Store
    ) async throws -> StoreDiagnosis {
        var options = options
        (options.access, options.createsIfMissing) = (.readOnly, false)
        var asFound = options
        asFound.isAsFound = true
        let diagnosis = try await open(schema, asFound).closing { store in
            try await store.read { tx in try tx.perform { try repairPlan(tx.driver).diagnosis } }
        }
        guard checksRows, diagnosis.isSound,
            let schema = schemas.first(where: { $0.version == diagnosis.version })
        else { return diagnosis }
        let faults = try await open(schema, options).closing { try await $0.check() }
        return diagnosis.adding(faults)
    }

    /// Puts a store right that was left half-way between two versions.
    ///
    /// - Parameters:
    ///   - options: How the store is opened.
    ///   - open: Opens the store with a schema.
    /// - Returns: What was found and done; nothing was done if nothing was wrong.
    /// - Throws: `corrupted`, with the findings, for a store that cannot be repaired; as `diagnose`; as a migration.
    package func repair(
        _ options: OpenOptions, _ open: @Sendable (Schema, OpenOptions) async throws -> any Store
    ) async throws -> RepairReport {
        var options = options
        (options.isAsFound, options.changesSchema, options.createsIfMissing) = (true, true, false)
        let role = options.role
        var writeOptions = WriteOptions.ofMarker
        writeOptions.author = "repair"
        return try await open(schema, options).closing { [options] store in
            try await store.write(writeOptions) { tx in
                try tx.perform {
                    let found = try repairPlan(tx.driver)
                    let diagnosis = found.diagnosis
                    guard !diagnosis.isSound else { return RepairReport(diagnosis: diagnosis, backup: nil) }
                    var isMarkerLost = false
                    let made = found.rebuild { old, schema in
                        isMarkerLost = old == nil
                        return marker(old, of: schema, options)
                    }
                    guard var rebuild = made else { throw StoreError.beyondRepair(diagnosis) }
                    let last = try Self.rebuilding(tx.driver).lastEra()
                    if isMarkerLost || rebuild.changesRows || last > rebuild.marker.history?.era ?? 0 {
                        rebuild.marker.beginHistory(after: last)
                    }
                    try rebuild.marker.requireRepairable(in: role)
                    let backup = try tx.driver.maintenance.backUp(as: Self.backupName)
                    try Self.rebuilding(tx.driver).rebuild(rebuild)
                    let after = try repairPlan(tx.driver).diagnosis
                    try after.requireRows(of: diagnosis, rebuild)
                    return RepairReport(diagnosis: diagnosis, backup: backup)
                }
            }
        }
    }

    /// The name of the copy of a damaged store, which no other one has that was made in another second.
    private static var backupName: String {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt)
        return "damaged-" + Date().formatted(style)
    }

    private func repairPlan(_ driver: any TransactionDriver) throws -> RepairPlan {
        let driver = try Self.rebuilding(driver)
        let examination = try driver.examine(schemas)
        // A store of a newer app is not damaged.
        switch examination.marker {
        case .success(let marker)? where marker.schema.version > schema.version:
            try marker.requireSchema(schema)
        case .failure(let error)? where error.code == .schemaTooNew: throw error
        default: break
        }
        return try RepairPlan(
            RepairSurvey(self, examination), inspect: { try driver.unknownParts(before: $0) },
            strays: { try driver.strayReferences($0, in: $1, to: $2) })
    }

    private static func rebuilding(_ driver: any TransactionDriver) throws -> any TableRebuilding {
        if let driver = driver.capability((any TableRebuilding).self) { return driver }
        throw StoreError(
            .unsupported,
            "The backend keeps no tables beside the store's marker, so that there is nothing to compare or to repair."
        )
    }

    /// The marker of a repaired store: as it was, with the schema, and the stages up to there.
    private func marker(_ old: StoreMarker?, of schema: Schema, _ options: OpenOptions) -> StoreMarker {
        var marker = old ?? StoreMarker(schema: schema, options: options)
        marker.schema = schema
        var stages = (marker.stages ?? []).filter { stage in
            stage.to <= schema.version && schemas.contains { $0.version == stage.to }
        }
        let last = stages.last?.to ?? old.map { min($0.schema.version, schema.version) } ?? schema.version
        stages += self.stages.filter { $0.older.version >= last && $0.newer.version <= schema.version }.map {
            AppliedStage(
                from: $0.older.version, to: $0.newer.version, fingerprint: $0.newer.fingerprint, time: Date())
        }
        marker.stages = stages.isEmpty ? nil : stages
        return marker
    }
}

extension StoreMarker {
    /// Begins a history of what comes after a repair, which records nothing.
    ///
    /// - Parameter last: The era of the last history that has rows, which a lost marker does not tell; 0 without any rows.
    fileprivate mutating func beginHistory(after last: Int64) {
        guard var history = history ?? (last > 0 ? .stopped(last) : nil) else { return }
        let next = max(history.era, last) + 1
        history.isKept = history.isKept && next <= HistorySettings.greatest.era
        history.era = history.isKept ? next : max(history.era, last)
        self.history = history
    }

    /// Throws for a store that is out of service, or from which rows are being copied.
    fileprivate func requireRepairable(in role: StoreRole) throws {
        guard self.role == role else {
            throw StoreError.outOfService(self.role.rawValue, successor: successor)
        }
        try requireNoSwitch()
    }
}

extension HistorySettings {
    /// The settings of a history that is not kept any more.
    fileprivate static func stopped(_ era: Int64) -> HistorySettings {
        HistorySettings(isKept: false, era: era, retention: .unlimited)
    }
}

extension StoreDiagnosis {
    /// The same with what `Store.check()` has found.
    fileprivate func adding(_ faults: [String]) -> StoreDiagnosis {
        StoreDiagnosis(
            markedVersion: markedVersion, version: version, newestVersion: newestVersion, tables: tables,
            findings: findings
                + faults.map { Finding(code: .damage, table: nil, message: $0, canBeRepaired: false) },
            operations: [])
    }

    /// Throws unless the store is sound after a repair, and has all rows.
    fileprivate func requireRows(of before: StoreDiagnosis, _ rebuild: StoreRebuild) throws {
        let counts = Dictionary(uniqueKeysWithValues: before.tables.map { ($0.name, $0.rows) })
        let now = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0.rows) })
        let gone =
            rebuild.changes.compactMap(\.old?.table) + rebuild.merges.map(\.old.table) + rebuild.dropped
        var expected = counts.filter { !gone.contains($0.key) }
        for case .change(let old, let new, _) in rebuild.changes {
            expected[new.table] = counts[old.table] ?? 0
        }
        let merged = Set(rebuild.merges.map(\.new.table))
        let isWhole = expected.allSatisfy { table, rows in
            merged.contains(table) ? now[table, default: 0] >= rows : now[table] == rows
        }
        guard isSound, isWhole else {
            throw StoreError(
                .corrupted,
                "The repair did not lead to a sound store with all rows, so nothing was changed. "
                    + faults.map(\.line).joined(separator: " "))
        }
    }
}

extension StoreDiagnosis.Finding {
    /// The finding in one line.
    public var line: String { (table.map { "\($0): " } ?? "") + message }
}

extension StoreError {
    fileprivate static func beyondRepair(_ diagnosis: StoreDiagnosis) -> StoreError {
        let reasons = diagnosis.faults.filter { !$0.canBeRepaired }.map(\.line).joined(separator: " ")
        return diagnosis.isOnlyObstructed
            ? StoreError(
                .schemaMismatch,
                "The store is not damaged, and a repair does not remove what others have added; nothing was changed. "
                    + reasons)
            : StoreError(.corrupted, "The store cannot be repaired; nothing was changed. \(reasons)")
    }
}
