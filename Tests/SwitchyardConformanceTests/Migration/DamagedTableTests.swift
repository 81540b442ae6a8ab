import Foundation
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import TestBackends
import Testing

@Suite("Damage besides the versions of tables")
struct DamagedTableTests {
    private let registry: PluginRegistry

    init() throws { registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self]) }

    /// Makes a store of version 9 beside an empty one.
    private func withStore(
        _ backend: TestBackend, _ body: (DamagedPlace) async throws -> Void
    ) async throws {
        try await DamagedPlace.with(backend) { place in
            try await registry.open(url: try place.url("other"), schema: Clinic9.self).close()
            try await registry.open(url: try place.url(), schema: Clinic9.self).closing { store in
                try await store.write { try ClinicRows.insert($0) }
            }
            try await body(place)
        }
    }

    private func diagnose(_ place: DamagedPlace) async throws -> StoreDiagnosis {
        try await registry.diagnose(url: try place.url(), migrating: ClinicPlan.self)
    }

    private func repair(_ place: DamagedPlace) async throws -> RepairReport {
        try await registry.repair(url: try place.url(), migrating: ClinicPlan.self)
    }

    @Test("a repair creates missing indexes", arguments: TestBackend.shared)
    func indexes(_ backend: TestBackend) async throws {
        try await withStore(backend) { place in
            try await place.run([
                #"DROP INDEX $"index_Meal_loggedAt""#, #"DROP INDEX $"unique_Sleep_profile_night""#,
            ])
            let diagnosis = try await diagnose(place)
            #expect(diagnosis.findings.map(\.code) == [.constraintMissing, .constraintMissing])
            #expect(diagnosis.operations.map(\.fate) == [.indexed, .indexed, .marked])
            _ = try await repair(place)
            #expect(try await diagnose(place).findings == [])
        }
    }

    @Test(
        "a repair restores a check that was altered by hand",
        arguments: TestBackend.shared.filter { $0 == .postgres })
    func checks(_ backend: TestBackend) async throws {
        try await DamagedPlace.with(backend) { place in
            try await registry.open(url: try place.url(), schema: Kitchen2.self).close()
            try await place.run([
                #"ALTER TABLE $"Dish" DROP CONSTRAINT "check_Dish_course""#,
                #"ALTER TABLE $"Dish" ADD CONSTRAINT "check_Dish_course" CHECK ("course" IN ('main', 'soup'))"#,
            ])
            let diagnosis = try await registry.diagnose(url: try place.url(), migrating: KitchenPlan.self)
            #expect(diagnosis.findings.map(\.code) == [.constraintMissing])
            #expect(diagnosis.findings.map(\.table) == ["Dish"])
            _ = try await registry.repair(url: try place.url(), migrating: KitchenPlan.self)
            let after = try await registry.diagnose(url: try place.url(), migrating: KitchenPlan.self)
            #expect(after.findings == [])
        }
    }

    @Test(
        "a repair that a constraint does not allow leaves the store unchanged", arguments: TestBackend.shared)
    func duplicates(_ backend: TestBackend) async throws {
        try await withStore(backend) { place in
            try await place.run([
                #"DROP INDEX $"index_Meal_loggedAt""#, #"DROP INDEX $"unique_Sleep_profile_night""#,
                #"UPDATE $"Sleep" SET "night" = 1"#,
            ])
            let before = try await diagnose(place)
            let error = await #expect(throws: StoreError.self) { try await repair(place) }
            #expect(error?.code == .unique)
            #expect(error?.description.contains("300") == false)
            // The index that could be made is gone again, too.
            #expect(try await diagnose(place) == before)
        }
    }

    @Test(
        "a repair counts dangling references, and does not clear them", arguments: TestBackend.shared)
    func dangling(_ backend: TestBackend) async throws {
        try await withStore(backend) { place in
            if backend == .postgres {
                try await place.run([
                    #"ALTER TABLE $"Meal" DROP CONSTRAINT "reference_Meal_profile""#,
                    #"ALTER TABLE $"Sleep" DROP CONSTRAINT "reference_Sleep_profile""#,
                    #"ALTER TABLE $"Mood" DROP CONSTRAINT "reference_Mood_profile""#,
                ])
            }
            try await place.run([#"DELETE FROM $"ProfileV9" WHERE "name" = 'Ada'"#])
            let diagnosis = try await diagnose(place)
            let dangling = diagnosis.findings.filter { $0.code == .danglingReference }
            #expect(dangling.compactMap(\.table) == ["Meal", "Mood", "Sleep"])
            #expect(dangling[0].message.hasPrefix("By profile 120 of its rows refer to rows of ProfileV9"))
            #expect(!diagnosis.canBeRepaired)
            let error = await #expect(throws: StoreError.self) { try await repair(place) }
            #expect(error?.code == .corrupted)
        }
    }

    @Test("a repair does not create a table that is missing with its rows", arguments: TestBackend.shared)
    func lost(_ backend: TestBackend) async throws {
        try await withStore(backend) { place in
            try await place.mix(dropping: ["Sleep"], taking: [], of: try Clinic9.schema)
            let diagnosis = try await diagnose(place)
            #expect(diagnosis.findings.map(\.code) == [.tableMissing])
            #expect(!diagnosis.canBeRepaired)
            await #expect(throws: StoreError.self) { try await repair(place) }
        }
    }

    @Test(
        "a repair does not create a missing table of an earlier version",
        arguments: TestBackend.shared)
    func lostLater(_ backend: TestBackend) async throws {
        try await DamagedPlace.with(backend) { place in
            for store in ["store", "other"] {
                try await registry.open(url: try place.url(store), schema: Kitchen3.self).closing { store in
                    try await store.write { tx in
                        try tx.insert(Kitchen3.Dish(name: "Soup"))
                        try tx.insert(
                            Kitchen3.Menu(
                                code: "a", title: "b", size: nil, portions: 1, weight: 1, course: .main,
                                note: nil,
                                basis: nil, menu: nil, since: nil, rating: 1))
                    }
                }
            }
            try await place.run([#"DROP TABLE $"Jar""#])
            let diagnosis = try await registry.diagnose(url: try place.url(), migrating: KitchenPlan.self)
            #expect(diagnosis.findings.map(\.code) == [.tableMissing])
            #expect(!diagnosis.canBeRepaired)
        }
    }

    @Test(
        "a repair removes an empty leftover draft table, and reports one with rows",
        arguments: TestBackend.shared)
    func drafts(_ backend: TestBackend) async throws {
        try await withStore(backend) { place in
            try await place.run([#"CREATE TABLE $"switchyard_draft_0" ("id" INTEGER)"#])
            #expect(try await diagnose(place).findings.map(\.code) == [.tableLeftOver])
            _ = try await repair(place)
            #expect(try await diagnose(place).findings == [])
            try await place.run([
                #"CREATE TABLE $"switchyard_draft_0" ("id" INTEGER)"#,
                #"INSERT INTO $"switchyard_draft_0" VALUES (1)"#,
            ])
            let diagnosis = try await diagnose(place)
            #expect(diagnosis.findings.map(\.canBeRepaired) == [false])
            await #expect(throws: StoreError.self) { try await repair(place) }
            #expect(try await diagnose(place) == diagnosis)
        }
    }

    @Test("of two concurrent repairs one does the work", arguments: TestBackend.shared)
    func together(_ backend: TestBackend) async throws {
        try await withStore(backend) { place in
            try await place.run([#"DROP INDEX $"index_Meal_loggedAt""#])
            async let first = repair(place)
            async let second = repair(place)
            let findings = try await [first, second].map { $0.diagnosis.findings.count }
            #expect(findings.sorted() == [0, 1])
        }
    }

    @Test("the copy of a damaged file is the original, readable by this user only")
    func backup() async throws {
        try await withStore(.sqlite) { place in
            try await place.run([#"DROP INDEX $"index_Meal_loggedAt""#])
            let backup = try #require(try await repair(place).backup)
            let attributes = try FileManager.default.attributesOfItem(atPath: backup)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let diagnosis = try await registry.diagnose(url: "sqlite:\(backup)", migrating: ClinicPlan.self)
            #expect(diagnosis.findings.map(\.code) == [.constraintMissing])
        }
    }

    @Test("a partial copy of a killed process is replaced by the next one, under any name")
    func halfBackup() async throws {
        try await withStore(.sqlite) { place in
            try await place.run([#"DROP INDEX $"index_Meal_loggedAt""#])
            let half = place.path() + ".backup.new"
            try Data("half a copy".utf8).write(to: URL(filePath: half))
            let backup = try #require(try await repair(place).backup)
            #expect(FileManager.default.fileExists(atPath: backup))
            #expect(!FileManager.default.fileExists(atPath: half))
        }
    }

    @Test("a store in memory has no tables to compare with its marker")
    func memory() async throws {
        try await TestBackend.memory.withPlace { open in
            try await open(try Clinic9.schema, OpenOptions()).close()
            let error = await #expect(throws: StoreError.self) {
                try await MigrationPlan(ClinicPlan.self).diagnose(OpenOptions(), open)
            }
            #expect(error?.code == .unsupported || error?.code == .schemaMismatch)
        }
    }
}
