import Foundation
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import TestBackends
import Testing

@Suite("Repair of a store between two versions")
struct RepairTests {
    /// The two versions that the stores are made of, and their rows.
    struct Specimen {
        let place: DamagedPlace
        let registry: PluginRegistry
        /// The rows as an ordinary migration has them.
        let newer: SchemaRows

        func diagnose() async throws -> StoreDiagnosis {
            try await registry.diagnose(url: try place.url(), migrating: ClinicPlan.self)
        }

        func repair() async throws -> RepairReport {
            try await registry.repair(url: try place.url(), migrating: ClinicPlan.self)
        }

        func rows(_ plan: MigrationPlan) async throws -> SchemaRows {
            let url = try place.url()
            return try await plan.open(
                OpenOptions(createsIfMissing: false), status: { _ in },
                { try await registry.open(url: url, schema: $0, options: $1) }
            ).closing { store in
                #expect(try await store.check() == [])
                return try await SchemaRows(in: store)
            }
        }
    }

    /// Makes a store of version 10, beside another of version 9 from which it was migrated.
    private func withStores(
        _ backend: TestBackend, _ body: (Specimen) async throws -> Void
    ) async throws {
        try await DamagedPlace.with(backend) { place in
            let registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self])
            let drawn = try await registry.open(url: try place.url(), schema: Clinic9.self).closing { store in
                try await store.write { try ClinicRows.insert($0) }
                return try await SchemaRows(in: store)
            }
            try await registry.open(url: try place.url("other"), schema: Clinic9.self).closing {
                try await drawn.insert(into: $0)
            }
            let url = try place.url()
            let newer = try await MigrationPlan(ClinicPlan.self).upTo(Clinic10.version).open(
                OpenOptions(), status: { _ in },
                { try await registry.open(url: url, schema: $0, options: $1) }
            ).closing { try await SchemaRows(in: $0) }
            try await body(Specimen(place: place, registry: registry, newer: newer))
        }
    }

    /// Expects that a repair leads to version 10 with all rows, and that a second one does nothing.
    private func requireRepaired(_ specimen: Specimen) async throws {
        let report = try await specimen.repair()
        #expect(report.diagnosis.canBeRepaired)
        let after = try await specimen.diagnose()
        #expect(after.isSound, "\(after.findings)")
        #expect(after.version == Clinic10.version)
        #expect(after.markedVersion == Clinic10.version)
        let second = try await specimen.repair()
        #expect(second.diagnosis == after)
        #expect(second.backup == nil)
        let rows = try await specimen.rows(try MigrationPlan(ClinicPlan.self).upTo(Clinic10.version))
        for entity in specimen.newer.schema.entities {
            #expect(rows.rows(of: entity.name) == specimen.newer.rows(of: entity.name), "\(entity.name)")
        }
        let newest = try await specimen.rows(try MigrationPlan(ClinicPlan.self))
        #expect(newest.count == specimen.newer.count)
    }

    @Test("a repair leaves a sound store of any version unchanged", arguments: TestBackend.shared)
    func sound(_ backend: TestBackend) async throws {
        try await withStores(backend) { specimen in
            let diagnosis = try await specimen.diagnose()
            #expect(diagnosis.findings == [])
            #expect(diagnosis.version == Clinic10.version)
            #expect(diagnosis.isOlder)
            #expect(diagnosis.operations == [])
            #expect(diagnosis.tables.first { $0.name == "Meal" }?.rows == ClinicRows.count)
            #expect(try await specimen.repair().backup == nil)
            let other = try await specimen.registry.diagnose(
                url: try specimen.place.url("other"), migrating: ClinicPlan.self)
            #expect(other.findings == [])
            #expect(other.version == Clinic9.version)
        }
    }

    @Test(
        "tables of one version under the next one's marker only need the marker",
        arguments: TestBackend.shared)
    func marker(_ backend: TestBackend) async throws {
        try await withStores(backend) { specimen in
            let (newer, older) = (try Clinic10.schema, try Clinic9.schema)
            try await specimen.place.mix(
                dropping: newer.entities.map(\.table), taking: older.entities.map(\.table), of: older)
            let diagnosis = try await specimen.diagnose()
            #expect(diagnosis.findings.map(\.code) == [.markerOfOtherVersion])
            #expect(diagnosis.markedVersion == Clinic10.version)
            #expect(diagnosis.version == Clinic9.version)
            #expect(diagnosis.operations.map(\.fate) == [.marked])
            _ = try await specimen.repair()
            // The stage with its code runs when the store is opened.
            let rows = try await specimen.rows(try MigrationPlan(ClinicPlan.self).upTo(Clinic10.version))
            for entity in newer.entities {
                #expect(rows.rows(of: entity.name) == specimen.newer.rows(of: entity.name), "\(entity.name)")
            }
        }
    }

    @Test(
        "tables left behind are repaired, with references to a table that is gone",
        arguments: TestBackend.shared)
    func crash(_ backend: TestBackend) async throws {
        try await withStores(backend) { specimen in
            try await specimen.place.mix(
                dropping: ["Meal", "Sleep"], taking: ["Meal", "Sleep"], of: try Clinic9.schema)
            let diagnosis = try await specimen.diagnose()
            #expect(diagnosis.canBeRepaired, "\(diagnosis.findings)")
            #expect(diagnosis.version == Clinic10.version)
            #expect(diagnosis.findings.contains { $0.code == .tableBehind && $0.table == "Meal" })
            #expect(
                diagnosis.findings.contains {
                    $0.code == .referenceAstray || $0.code == .tableBehind && $0.table == "Sleep"
                })
            try await requireRepaired(specimen)
        }
    }

    @Test("tables of the next version under the older marker are repaired", arguments: TestBackend.shared)
    func ahead(_ backend: TestBackend) async throws {
        try await withStores(backend) { specimen in
            try await specimen.place.takeMarker()
            let diagnosis = try await specimen.diagnose()
            #expect(diagnosis.findings.map(\.code) == [.markerOfOtherVersion])
            #expect(diagnosis.markedVersion == Clinic9.version)
            try await requireRepaired(specimen)
        }
    }

    @Test(
        "a table of the older version beside its successor is merged into it", arguments: TestBackend.shared)
    func twice(_ backend: TestBackend) async throws {
        try await withStores(backend) { specimen in
            try await specimen.place.mix(
                dropping: ["Meal"], taking: ["ProfileV9", "Meal"], of: try Clinic9.schema)
            let diagnosis = try await specimen.diagnose()
            #expect(diagnosis.canBeRepaired, "\(diagnosis.findings)")
            #expect(diagnosis.operations.contains { $0.fate == .merged && $0.table == "ProfileV9" })
            try await requireRepaired(specimen)
        }
    }

    @Test(
        "a repair keeps a table whose rows the code of a stage may have to read",
        arguments: TestBackend.shared)
    func source(_ backend: TestBackend) async throws {
        try await withStores(backend) { specimen in
            try await specimen.place.mix(dropping: [], taking: ["Draft"], of: try Clinic9.schema)
            let diagnosis = try await specimen.diagnose()
            #expect(diagnosis.findings.map(\.code) == [.needsCode])
            #expect(diagnosis.findings.map(\.table) == ["Draft"])
            await #expect(throws: StoreError.self) { try await specimen.repair() }
            try await specimen.place.run([#"DELETE FROM $"Draft""#])
            #expect(try await specimen.diagnose().operations.map(\.fate) == [.dropped, .marked])
            try await requireRepaired(specimen)
        }
    }

    @Test("a repair does not guess at a table that a stage calculates", arguments: TestBackend.shared)
    func code(_ backend: TestBackend) async throws {
        try await withStores(backend) { specimen in
            try await specimen.place.mix(dropping: ["Mood"], taking: ["Mood"], of: try Clinic9.schema)
            let diagnosis = try await specimen.diagnose()
            #expect(!diagnosis.canBeRepaired)
            #expect(diagnosis.findings.contains { $0.code == .needsCode && $0.table == "Mood" })
            #expect(diagnosis.operations == [])
            let error = await #expect(throws: StoreError.self) { try await specimen.repair() }
            #expect(error?.code == .corrupted)
            #expect(
                error?.message.contains("Mood: Between version 0.0.9 and 0.1.0 the code of a stage reads")
                    == true)
            #expect(try await specimen.diagnose() == diagnosis)
        }
    }
}
