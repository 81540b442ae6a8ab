internal import Foundation
public import Switchyard

/// The versions of the app's schema, and the stages between them.
///
/// The files of JSON are imported in the first stage. A stage is carried out once in the life of a store, in the same
/// transaction that gives the store its next version: they are imported wholly or not at all, by one of several processes,
/// and never again, even after the user has deleted every entry. So that the stage comes to a phone that has only the files,
/// `KeepTrackStore` makes a new store in version 0.
public enum KeepTrackPlan: SchemaMigrationPlan {
    /// Where the files of JSON are, when a store is opened.
    @TaskLocal static var files: LegacyFiles?
    /// The clock that tells when the settings were made and changed.
    @TaskLocal static var now: @Sendable () -> Date = { Date() }

    /// The versions, the oldest first.
    public static let schemas: [any VersionedSchema.Type] = [
        KeepTrackV0.self, KeepTrackV1.self, KeepTrackV2.self,
    ]

    /// The stages.
    public static var stages: [MigrationStage] {
        // A transaction is run by another task; the files and the clock are those of the task that opens the store.
        let (files, now) = (files, now)
        return [
            .custom(
                fromVersion: KeepTrackV0.self, toVersion: KeepTrackV1.self, .rewrite(KeepTrackV1.Entry.self),
                .rewrite(KeepTrackV1.IntakeType.self), .rewrite(KeepTrackV1.Goal.self)
            ) { old, new in
                let isEmpty = try old.isEmpty
                var counts = LegacyFiles.Counts()
                if isEmpty {
                    counts = try files?.insert(into: new) ?? counts
                } else {
                    try copyRows(from: old, to: new)
                }
                let now = now()
                try new.insert(
                    KeepTrackV1.AppSettings(
                        id: .ofApp, createdAt: now, updatedAt: now, files: isEmpty ? .imported : .skipped,
                        importedEntries: counts.entries, importedTypes: counts.intakeTypes,
                        importedGoals: counts.goals))
            },
            .custom(
                fromVersion: KeepTrackV1.self, toVersion: KeepTrackV2.self,
                .rewrite(KeepTrackV2.AppSettings.self)
            ) { old, new in
                guard let settings = try old.find(KeepTrackV1.AppSettings.ID.ofApp) else {
                    throw StoreError(.corrupted, "The store has no settings. Restore it from a backup.")
                }
                try new.insert(
                    KeepTrackV2.AppSettings(
                        id: .ofApp, createdAt: settings.createdAt, updatedAt: now(), files: settings.files,
                        importedEntries: settings.importedEntries, importedTypes: settings.importedTypes,
                        importedGoals: settings.importedGoals))
            },
        ]
    }

    /// Rows of version 0 are those of version 1; what differs are the constraints.
    private static func copyRows(from old: ReadTransaction, to new: WriteTransaction) throws {
        try forEach(KeepTrackV0.Entry.all, old) {
            try new.insert(
                KeepTrackV1.Entry(
                    id: .init($0.id.uuid), date: $0.date, units: $0.units, amount: $0.amount, name: $0.name,
                    goalMet: $0.goalMet))
        }
        try forEach(KeepTrackV0.IntakeType.all, old) {
            try new.insert(
                KeepTrackV1.IntakeType(
                    id: .init($0.id.uuid), name: $0.name, unit: $0.unit, amount: $0.amount,
                    descrip: $0.descrip,
                    frequency: $0.frequency))
        }
        try forEach(KeepTrackV0.Goal.all, old) {
            try new.insert(
                KeepTrackV1.Goal(
                    id: .init($0.id.uuid), name: $0.name, description: $0.description, dates: $0.dates,
                    isActive: $0.isActive, isCompleted: $0.isCompleted, dosage: $0.dosage, units: $0.units,
                    frequency: $0.frequency))
        }
    }

    private static func forEach<Row: Model>(
        _ query: Query<Row>, _ tx: ReadTransaction, _ body: (Row) throws -> Void
    ) throws {
        var cursor: PageCursor?
        repeat {
            let page = try tx.page(query, size: 500, after: cursor)
            for row in page.items { try body(row) }
            cursor = page.next
        } while cursor != nil
    }
}

extension ReadTransaction {
    /// Whether a store of version 0 has no rows.
    fileprivate var isEmpty: Bool {
        get throws {
            try count(KeepTrackV0.Entry.all) + count(KeepTrackV0.IntakeType.all)
                + count(KeepTrackV0.Goal.all) == 0
        }
    }
}

extension Identifier {
    /// The id of the settings: every store has one row of them.
    static var ofApp: Self {
        Self(UUID(uuid: (0x6B, 0x65, 0x65, 0x70, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)))
    }
}
