import BabyMonitorKit
import Foundation
import PostgresStore
import SQLiteStore
import SwitchyardConformance
import SwitchyardCore
import TestBackends
import Testing

@testable import SwitchyardConformanceKit
@testable import SwitchyardMigration

@Suite("Mixtures of tables of two versions")
struct RepairRunTests {
    /// Two versions of a plan.
    struct Pair: Sendable, CustomTestStringConvertible {
        let name: String
        let plan: MigrationPlan
        let older: Int

        var testDescription: String { "\(name), version \(older + 1) and the next" }

        static let all: [Pair] = [
            (try? MigrationPlan(KitchenPlan.self)).map { ("Kitchen", $0) },
            (try? MigrationPlan(ClinicPlan.self)).map { ("Clinic", $0) },
            (try? MigrationPlan(BabyMonitorPlan.self)).map { ("BabyMonitor", $0) },
        ].compactMap(\.self).flatMap { name, plan in
            (0..<plan.schemas.count - 1).map { Pair(name: name, plan: plan, older: $0) }
        }
    }

    @Test("all plans are covered by the mixtures of versions")
    func pairs() { #expect(Pair.all.count == 2 + 2 + 7) }

    @Test(
        "a mixture of tables of two versions is repaired, or refused for a reason", arguments: Pair.all,
        TestBackend.shared + TestBackend.distributed)
    func mixtures(_ pair: Pair, _ backend: TestBackend) async throws {
        for seed in UInt64(1)...(backend == .sqlite ? 5 : 2) {
            try await mixture(pair, backend, seed: seed)
        }
    }

    private func mixture(_ pair: Pair, _ backend: TestBackend, seed: UInt64) async throws {
        let plan = pair.plan
        let (older, newer) = (plan.schemas[pair.older], plan.schemas[pair.older + 1])
        let toNewer = try plan.upTo(newer.version)
        var generator = SeededGenerator(seed: seed &* 1_000 &+ UInt64(pair.older))
        let scope = backend == .citus || seed.isMultiple(of: 3) ? StoreScope() : nil
        let registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self])
        try await DamagedPlace.with(backend) { place in
            let (url, other) = (try place.url(), try place.url("other"))
            let options = OpenOptions(scope: scope)
            let open = { @Sendable (schema: Schema, options: OpenOptions) in
                try await registry.open(url: url, schema: schema, options: options)
            }
            let drawn = SchemaRows(of: older, seed: seed, count: { _ in 20 })
            for url in [url, other] {
                try await registry.open(url: url, schema: older, options: options).closing {
                    try await drawn.insert(into: $0)
                }
            }
            let rows = try await toNewer.open(options, status: { _ in }, open).closing {
                try await SchemaRows(in: $0)
            }
            // Which entities stay behind.
            let behind = EntityLineage.all(in: plan).filter { lineage in
                lineage[pair.older] != lineage[pair.older + 1] && Bool.random(using: &generator)
            }
            let dropped = behind.compactMap { $0[pair.older + 1]?.table }
            let taken = behind.compactMap { $0[pair.older]?.table }
            let kept = newer.entities.map(\.table).filter { !dropped.contains($0) }
            guard Set(kept).isDisjoint(with: taken) else { return }
            try await place.mix(dropping: dropped, taking: taken, of: older, isScoped: scope != nil)
            if Bool.random(using: &generator) { try await place.takeMarker() }

            let told = "seed \(seed), behind: \(taken)"
            let diagnosis = try await plan.diagnose(options, open)
            let hasCode = plan.changes[pair.older].hasCode
            if !diagnosis.isSound, !diagnosis.canBeRepaired {
                #expect(hasCode, "\(told): \(diagnosis.findings)")
                #expect(
                    diagnosis.findings.contains { $0.code == .needsCode }, "\(told): \(diagnosis.findings)")
                await #expect(throws: StoreError.self) { try await plan.repair(options, open) }
                #expect(try await plan.diagnose(options, open) == diagnosis, "\(told)")
                return
            }
            _ = try await plan.repair(options, open)
            let after = try await plan.diagnose(options, open)
            #expect(after.findings == [], "\(told)")
            try await toNewer.open(options, status: { _ in }, open).closing { store in
                #expect(try await store.check() == [], "\(told)")
                let found = try await SchemaRows(in: store)
                for entity in newer.entities {
                    #expect(
                        found.rows(of: entity.name) == rows.rows(of: entity.name), "\(told), \(entity.name)")
                }
            }
        }
    }
}
