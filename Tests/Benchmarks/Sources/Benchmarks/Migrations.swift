import Foundation
import Switchyard

/// One model in two versions; the second differs as each comparison needs.
enum Doses1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Dose.self]

    @Model
    struct Dose {
        #Index<Dose>([\.time])

        let id: ID
        var time: Date
        var amount: Double
        var unit: String
        var note: String?
    }
}

/// With one more column.
enum DosesWithColumn: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Dose.self]

    @Model
    struct Dose {
        #Index<Dose>([\.time])

        let id: ID
        var time: Date
        var amount: Double
        var unit: String
        var note: String?
        var count: Int = 1
    }

    enum Plan: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [Doses1.self, DosesWithColumn.self]
        static var stages: [MigrationStage] {
            [.lightweight(fromVersion: Doses1.self, toVersion: DosesWithColumn.self)]
        }
    }
}

/// With a column that is no longer optional, for which SQLite makes the table anew.
enum DosesRebuilt: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Dose.self]

    @Model
    struct Dose {
        #Index<Dose>([\.time])

        let id: ID
        var time: Date
        var amount: Double
        var unit: String
        var note: String
    }

    enum Plan: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [Doses1.self, DosesRebuilt.self]
        static var stages: [MigrationStage] {
            [
                .lightweight(
                    fromVersion: Doses1.self, toVersion: DosesRebuilt.self,
                    .fill(\DosesRebuilt.Dose.note, with: ""))
            ]
        }
    }
}

/// With rows that code writes.
enum DosesConverted: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Dose.self]

    @Model
    struct Dose {
        #Index<Dose>([\.time])

        let id: ID
        var time: Date
        var micrograms: Int
        var note: String?
    }

    enum Plan: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [Doses1.self, DosesConverted.self]
        static var stages: [MigrationStage] {
            [
                .lightweight(
                    fromVersion: Doses1.self, toVersion: DosesConverted.self,
                    .convert(Doses1.Dose.self, to: DosesConverted.Dose.self) { old in
                        DosesConverted.Dose(
                            id: .init(old.id.uuid), time: old.time,
                            micrograms: Int(old.amount * (old.unit == "mg" ? 1_000 : 1)), note: old.note)
                    })
            ]
        }
    }
}
