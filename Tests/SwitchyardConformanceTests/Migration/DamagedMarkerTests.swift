import Foundation
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import TestBackends
import Testing

@testable import SwitchyardMigration
@testable import SwitchyardStore

@Suite("Damaged markers")
struct DamagedMarkerTests {
    typealias Code = StoreDiagnosis.Code

    private let plan: MigrationPlan
    private let registry: PluginRegistry

    init() throws {
        plan = try MigrationPlan(ClinicPlan.self)
        registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self])
    }

    /// Makes a store of version 10 beside an empty one of the newest version.
    private func withStore(
        _ backend: TestBackend, _ body: (DamagedPlace, SchemaRows) async throws -> Void
    ) async throws {
        try await DamagedPlace.with(backend) { place in
            let (url, registry) = (try place.url(), registry)
            try await registry.open(url: try place.url("other"), schema: Clinic11.self).close()
            try await registry.open(url: url, schema: Clinic9.self).closing { store in
                try await store.write { try ClinicRows.insert($0) }
            }
            let rows = try await plan.upTo(Clinic10.version).open(
                OpenOptions(), status: { _ in },
                { try await registry.open(url: url, schema: $0, options: $1) }
            ).closing { try await SchemaRows(in: $0) }
            try await body(place, rows)
        }
    }

    private func diagnose(_ place: DamagedPlace) async throws -> StoreDiagnosis {
        try await registry.diagnose(url: try place.url(), migrating: ClinicPlan.self)
    }

    /// Expects that the store takes writes as version 10, with all rows.
    private func requireSound(_ place: DamagedPlace, _ rows: SchemaRows) async throws {
        let diagnosis = try await diagnose(place)
        #expect(diagnosis.findings == [])
        #expect(diagnosis.markedVersion == Clinic10.version)
        try await registry.open(url: try place.url(), schema: Clinic10.self).closing { store in
            #expect(try await store.check() == [])
            let found = try await SchemaRows(in: store)
            for entity in rows.schema.entities {
                #expect(found.rows(of: entity.name) == rows.rows(of: entity.name), "\(entity.name)")
            }
            try await store.write { _ = try $0.insert(Clinic10.Event(kind: "after")) }
        }
    }

    static let repairable: [(String, Code)] = [
        (#"DELETE FROM $"switchyard_store""#, .markerMissing),
        (#"DROP TABLE $"switchyard_store""#, .markerMissing),
        (#"UPDATE $"switchyard_store" SET "marker" = substr("marker", 1, 40)"#, .markerDamaged),
        (#"UPDATE $"switchyard_store" SET "marker" = ''"#, .markerDamaged),
        (#"UPDATE $"switchyard_store" SET "marker" = '{"format":1}'"#, .markerDamaged),
        (#"UPDATE $"switchyard_store" SET "fingerprint" = 'edited'"#, .markerDamaged),
        (#"UPDATE $"switchyard_store" SET "role" = 'nobody'"#, .markerDamaged),
        (#"UPDATE $"switchyard_store" SET "format" = 2"#, .markerDamaged),
        (
            #"UPDATE $"switchyard_store" SET "marker" = replace("marker", '"stages":[', '"stages":[{"to":1},')"#,
            .markerDamaged
        ),
        (
            #"UPDATE $"switchyard_store" SET "marker" = replace("marker", '"stages":[{', '"stages":[{"note":7,')"#,
            .markerDamaged
        ),
        (
            #"UPDATE $"switchyard_store" SET "marker" = replace("marker", '"foodName"', '"fooName"')"#,
            .markerUnknown
        ),
        (
            #"UPDATE $"switchyard_store" SET "marker" = replace("marker", '"minor":1', '"minor":0')"#,
            .markerUnknown
        ),
    ]

    @Test(
        "a missing, truncated or edited marker is rewritten by a repair", arguments: repairable,
        TestBackend.shared)
    func marker(_ damage: (String, Code), _ backend: TestBackend) async throws {
        try await withStore(backend) { place, rows in
            try await place.run([damage.0])
            let diagnosis = try await diagnose(place)
            #expect(diagnosis.findings.map(\.code) == [damage.1])
            #expect(diagnosis.operations.map(\.fate) == [.marked])
            let report = try await registry.repair(url: try place.url(), migrating: ClinicPlan.self)
            #expect(report.diagnosis == diagnosis)
            try await requireSound(place, rows)
        }
    }

    @Test("a repair keeps the marker's identity, history and stages", arguments: TestBackend.shared)
    func identity(_ backend: TestBackend) async throws {
        try await withStore(backend) { place, rows in
            let url = try place.url()
            let before = try await registry.open(url: url, schema: Clinic10.self).closing {
                try await $0.keepHistory()
                return try await $0.marker()
            }
            try await place.run([#"UPDATE $"switchyard_store" SET "fingerprint" = 'edited'"#])
            _ = try await registry.repair(url: url, migrating: ClinicPlan.self)
            let after = try await registry.open(url: url, schema: Clinic10.self).closing {
                try await $0.marker()
            }
            #expect(after == before)
            try await requireSound(place, rows)
        }
    }

    @Test("a repair of a lost marker begins a new history beyond all eras", arguments: TestBackend.shared)
    func history(_ backend: TestBackend) async throws {
        try await withStore(backend) { place, _ in
            let url = try place.url()
            let token = try await registry.open(url: url, schema: Clinic10.self).closing { store in
                try await store.keepHistory()
                try await store.stopHistory()
                try await store.keepHistory()
                try await store.write { _ = try $0.insert(Clinic10.Event(kind: "before")) }
                return try await store.read { try $0.historyToken() }
            }
            try await place.run([#"DELETE FROM $"switchyard_store""#])
            let options = OpenOptions(keepsHistory: true)
            _ = try await registry.repair(url: url, migrating: ClinicPlan.self, options: options)
            for kind in ["first", "second"] {
                try await registry.open(url: url, schema: Clinic10.self).closing { store in
                    try await store.write { _ = try $0.insert(Clinic10.Event(kind: kind)) }
                }
            }
            let (counts, faults, error) = try await registry.open(url: url, schema: Clinic10.self).closing {
                store in
                let counts = try await store.read { try $0.history().map(\.changes.count) }
                let error = await #expect(throws: StoreError.self) {
                    _ = try await store.read { try $0.history(after: token) }
                }
                return (counts, try await store.checkHistory(), error)
            }
            #expect(counts == [1, 1])
            #expect(faults == [])
            #expect(error?.code == .historyForeign)
        }
    }

    @Test(
        "a store of a newer app or format is not damaged, and not touched",
        arguments: TestBackend.shared)
    func newer(_ backend: TestBackend) async throws {
        for (old, new) in [(#""minor":1"#, #""minor":7"#), (#""format":1"#, #""format":2,"schema":1"#)] {
            try await withStore(backend) { place, rows in
                try await place.run([
                    #"UPDATE $"switchyard_store" SET "marker" = replace("marker", '\#(old)', '\#(new)')"#
                ])
                let errors = [
                    await #expect(throws: StoreError.self) { try await diagnose(place) },
                    await #expect(throws: StoreError.self) {
                        try await registry.repair(url: try place.url(), migrating: ClinicPlan.self)
                    },
                ]
                #expect(errors.map { $0?.code } == [.schemaTooNew, .schemaTooNew])
            }
        }
    }

    @Test("a store that is out of service is not repaired", arguments: TestBackend.shared)
    func superseded(_ backend: TestBackend) async throws {
        try await withStore(backend) { place, _ in
            let url = try place.url()
            try await registry.open(url: url, schema: Clinic10.self).closing { store in
                try await store.write(.ofMarker) { tx in
                    var marker = try tx.driver.maintenance.marker()
                    marker.role = .superseded
                    try tx.driver.maintenance.setMarker(marker)
                }
            }
            try await place.run([#"DROP INDEX $"index_Meal_loggedAt""#])
            let error = await #expect(throws: StoreError.self) {
                try await registry.repair(url: url, migrating: ClinicPlan.self)
            }
            #expect(error?.code == .outOfService)
        }
    }

    enum Doubled: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [Clinic10.self, Clinic11.self, Clinic10.self]
        static var stages: [MigrationStage] { Array(ClinicPlan.stages.suffix(1)) }
    }

    enum Circle: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [Clinic10.self, Clinic11.self]
        static var stages: [MigrationStage] {
            ClinicPlan.stages.suffix(1) + [
                .lightweight(
                    fromVersion: Clinic11.self, toVersion: Clinic10.self,
                    .rename(Clinic11.ProfileV11.self, to: Clinic10.ProfileV10.self))
            ]
        }
    }

    @Test("a plan that is circular, or names a version twice, is refused", arguments: TestBackend.shared)
    func plans(_ backend: TestBackend) async throws {
        try await withStore(backend) { place, rows in
            for plan in [Doubled.self, Circle.self] as [any SchemaMigrationPlan.Type] {
                for dryRun in [true, false] {
                    let error = await #expect(throws: StoreError.self) {
                        if dryRun {
                            return _ = try await registry.diagnose(url: try place.url(), migrating: plan)
                        }
                        _ = try await registry.repair(url: try place.url(), migrating: plan)
                    }
                    #expect(error?.code == .schemaInvalid)
                }
            }
            try await requireSound(place, rows)
        }
    }

    @Test(
        "a plan that does not know the tables is refused with what it compared", arguments: TestBackend.shared
    )
    func strangers(_ backend: TestBackend) async throws {
        try await withStore(backend) { place, rows in
            let url = try place.url()
            let diagnosis = try await registry.diagnose(url: url, migrating: KitchenPlan.self)
            #expect(diagnosis.version == nil)
            #expect(diagnosis.findings.map(\.code) == [.markerUnknown, .tableUnknown])
            await #expect(throws: StoreError.self) {
                try await registry.repair(url: url, migrating: KitchenPlan.self)
            }
            try await place.run([
                #"ALTER TABLE $"Meal" DROP COLUMN "calories""#,
                #"ALTER TABLE $"Meal" ADD COLUMN "mood" TEXT"#,
            ])
            let other = try await self.diagnose(place)
            let finding = try #require(other.findings.first { $0.code == .tableUnknown })
            #expect(finding.table == "Meal")
            for version in ["0.0.9", "0.1.0", "0.1.1"] {
                #expect(finding.message.contains("Compared with version \(version), "), "\(finding.message)")
            }
            #expect(finding.message.contains("there is a column mood"))
            // The table was told of once.
            #expect(other.findings.filter { $0.table == "Meal" }.map(\.code) == [.tableUnknown])
        }
    }

    @Test(
        "an older store that contradicts its marker is refused, and repaired",
        arguments: [#""fingerprint" = 'edited'"#, #""role" = 'nobody'"#, #""role" = 'migrating'"#],
        TestBackend.shared)
    func older(_ change: String, _ backend: TestBackend) async throws {
        try await withStore(backend) { place, rows in
            let url = try place.url()
            try await place.run([#"UPDATE $"switchyard_store" SET \#(change)"#])
            let error = await #expect(throws: StoreError.self) {
                try await registry.open(url: url, migrating: ClinicPlan.self)
            }
            #expect(error?.code == .corrupted)
            #expect(
                error?.message.contains(
                    "The store's marker names version 0.1.0, but the columns beside the marker contradict it"
                ) == true, "\(error?.message ?? "")")
            #expect(try await diagnose(place).findings.map(\.code) == [.markerDamaged])
            _ = try await registry.repair(url: url, migrating: ClinicPlan.self)
            try await requireSound(place, rows)
            try await registry.open(url: url, migrating: ClinicPlan.self).close()
        }
    }

    @Test(
        "check compares everything kept beside the marker with it",
        arguments: [#""era" = 7"#, #""generation" = 9"#, #""successor" = 'sqlite:elsewhere'"#],
        TestBackend.shared)
    func beside(_ change: String, _ backend: TestBackend) async throws {
        try await withStore(backend) { place, rows in
            let url = try place.url()
            try await registry.open(url: url, schema: Clinic10.self).closing { try await $0.keepHistory() }
            try await place.run([#"UPDATE $"switchyard_store" SET \#(change)"#])
            try await registry.open(url: url, schema: Clinic10.self).closing { store in
                let faults = try await store.check()
                #expect(faults.count == 1)
                #expect(
                    faults.first?.hasSuffix(
                        "what the store keeps beside its marker says something else than the marker.") == true
                )
            }
            #expect(try await diagnose(place).findings.map(\.code) == [.markerDamaged])
            _ = try await registry.repair(url: url, migrating: ClinicPlan.self)
            try await requireSound(place, rows)
        }
    }

    @Test(
        "a history of an unknown era is reported, and a repair begins a new one",
        arguments: TestBackend.shared)
    func era(_ backend: TestBackend) async throws {
        try await withStore(backend) { place, rows in
            let url = try place.url()
            try await registry.open(url: url, schema: Clinic10.self).closing { store in
                for _ in 0..<2 {
                    try await store.keepHistory()
                    try await store.write { _ = try $0.insert(Clinic10.Event(kind: "before")) }
                    try await store.stopHistory()
                }
                try await store.write {
                    _ = try $0.delete(Clinic10.Event.where(#Predicate { $0.kind == "before" }))
                }
                try await store.write(.ofMarker) { tx in
                    var marker = try tx.driver.maintenance.marker()
                    marker.history?.isKept = true
                    marker.history?.era = 1
                    try tx.driver.maintenance.setMarker(marker)
                }
            }
            try await registry.open(url: url, schema: Clinic10.self).closing { store in
                let faults = try await store.check()
                #expect(faults.count == 1)
                #expect(faults.first?.contains("the history of era 2") == true, "\(faults)")
            }
            let diagnosis = try await diagnose(place)
            #expect(diagnosis.findings.map(\.code) == [.markerDamaged])
            #expect(diagnosis.findings.first?.message.contains("era 2") == true)
            _ = try await registry.repair(url: url, migrating: ClinicPlan.self)
            try await requireSound(place, rows)
            try await registry.open(url: url, schema: Clinic10.self).closing { store in
                let era = try await store.marker().history?.era
                #expect(era == 3)
                let counts = try await store.read { try $0.history().map(\.changes.count) }
                #expect(counts == [1])
            }
        }
    }

    @Test(
        "a missing index of the history is reported, and created by a repair",
        arguments: TestBackend.shared)
    func index(_ backend: TestBackend) async throws {
        try await withStore(backend) { place, rows in
            let url = try place.url()
            try await place.run([#"DROP INDEX $"unique_switchyard_history_consumer_name_486766309e""#])
            try await registry.open(url: url, schema: Clinic10.self).closing { store in
                let faults = try await store.check()
                #expect(faults.count == 1)
                #expect(
                    faults.first?.hasSuffix(
                        "the unique index unique_switchyard_history_consumer_name_486766309e is missing.")
                        == true)
            }
            let diagnosis = try await diagnose(place)
            #expect(diagnosis.findings.map(\.code) == [.bookkeeping])
            #expect(diagnosis.operations.map(\.fate) == [.indexed, .marked])
            _ = try await registry.repair(url: url, migrating: ClinicPlan.self)
            try await requireSound(place, rows)
        }
    }
}
