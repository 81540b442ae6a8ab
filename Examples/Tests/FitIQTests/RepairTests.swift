import Foundation
import SQLiteStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import TestBackends
import Testing

@testable import FitIQ

@Suite("The file that the crash left")
struct RepairTests {
    @Test(
        "a file that a crash left half-way is diagnosed, repaired in place and migrated like an ordinary upgrade"
    )
    func halfWay() async throws {
        let registry = try PluginRegistry([SQLitePlugin.self])
        let drawn = SchemaRows(
            of: try SchemaV9.schema, seed: 7, count: { _ in 60 }, values: SampleValues.value)
        try await TestBackend.sqlite.withURL { url in
            for place in [url, url + ".sound"] {
                let store = try await registry.open(url: place, schema: SchemaV9.self)
                try await drawn.insert(into: store)
                try await store.close()
            }
            let other = try await registry.open(url: url + ".sound", migrating: FitIQPlan.self)
            let sound = try await SchemaRows(in: other)
            try await other.close()
            try await HalfWayFile.leave(at: String(url.dropFirst("sqlite:".count)), registry)

            let error = await #expect(throws: StoreError.self) {
                try await registry.open(url: url, migrating: FitIQPlan.self)
            }
            #expect(error != nil)
            let diagnosis = try await registry.diagnose(url: url, migrating: FitIQPlan.self)
            #expect(diagnosis.markedVersion == SchemaV10.version)
            #expect(diagnosis.version == SchemaV10.version)
            #expect(diagnosis.canBeRepaired, "\(diagnosis.findings)")
            let behind = diagnosis.findings.filter { $0.code == .tableBehind }.compactMap(\.table)
            #expect(behind.sorted() == HalfWayFile.leftBehind)
            let astray = diagnosis.findings.filter { $0.code == .referenceAstray }
            #expect(Set(astray.compactMap(\.table)) == Set(HalfWayFile.leftBehind))
            #expect(astray.allSatisfy { $0.message.contains("SDUserProfileV9 and not to SDUserProfileV10") })

            _ = try await registry.repair(url: url, migrating: FitIQPlan.self)
            let store = try await registry.open(url: url, migrating: FitIQPlan.self)
            #expect(try await store.check() == [])
            let after = try await SchemaRows(in: store)
            try await store.close()
            for entity in sound.schema.entities {
                #expect(after.rows(of: entity.name) == sound.rows(of: entity.name), "\(entity.name)")
            }
            #expect(after.count > 0)
        }
    }
}
