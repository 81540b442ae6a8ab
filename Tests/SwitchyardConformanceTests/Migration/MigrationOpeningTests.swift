import Foundation
import SQLiteStore
import Switchyard
import SwitchyardCore
import Synchronization
import TestBackends
import Testing

@Suite("Opening a store of an older version")
struct MigrationOpeningTests {
    private func fill(_ open: TestBackend.Opener) async throws {
        try await open(try Kitchen1.schema, OpenOptions()).closing { store in
            try await store.write { try KitchenRows.insert($0) }
        }
    }

    /// Expects that the store is as it was made.
    private func requireFirst(_ open: TestBackend.Opener) async throws {
        try await open(try Kitchen1.schema, OpenOptions(createsIfMissing: false)).closing { store in
            let count = try await store.read { try $0.count(Kitchen1.Meal.all) }
            #expect(count == 600)
            #expect(try await store.marker().stages == nil)
        }
    }

    @Test("opening an older store reports its progress", arguments: TestBackend.available)
    func status(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            try await fill(open)
            let plan = try MigrationPlan(KitchenPlan.self)
            for isNeeded in [true, false] {
                let told = Mutex<[MigrationStatus]>([])
                let store = try await plan.open(
                    OpenOptions(), status: { status in told.withLock { $0.append(status) } }, open)
                try await store.close()
                let lines = told.withLock { $0 }.map { status in
                    switch status {
                    case .notNeeded: "not needed"
                    case .pending(let from, let to): "pending from \(from) to \(to)"
                    case .inProgress(let progress):
                        "\(progress.from) to \(progress.to), \(progress.stage) of \(progress.count)"
                    case .completed(let report): "\(report.stages.count) done"
                    case .failed(let error): "\(error)"
                    }
                }
                #expect(
                    lines
                        == (isNeeded
                            ? [
                                "pending from 1.0.0 to 3.0.0", "1.0.0 to 2.0.0, 1 of 2",
                                "2.0.0 to 3.0.0, 2 of 2", "2 done",
                            ] : ["not needed"])
                )
            }
        }
    }

    @Test("a new store has the newest version, and no stage", arguments: TestBackend.available)
    func new(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            try await MigrationPlan(KitchenPlan.self).open(open).closing { store in
                let marker = try await store.marker()
                #expect(marker.schema == (try Kitchen3.schema))
                #expect(marker.stages == nil)
            }
        }
    }

    @Test("an older store that is read-only or being switched is unchanged", arguments: TestBackend.shared)
    func untouched(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            try await fill(open)
            let plan = try MigrationPlan(KitchenPlan.self)
            let error = await #expect(throws: StoreError.self) {
                try await plan.open(open, OpenOptions(access: .readOnly))
            }
            #expect(error?.code == .schemaMismatch)
            try await requireFirst(open)
            try await open(try Kitchen1.schema, OpenOptions()).closing { store in
                try await store.write(.ofMarker) { tx in
                    var marker = try tx.driver.maintenance.marker()
                    marker.switching = SwitchRecord(
                        id: UUID(), state: .copying, peer: "sqlite:elsewhere.sqlite")
                    try tx.driver.maintenance.setMarker(marker)
                }
            }
            let refusal = await #expect(throws: StoreError.self) { try await plan.open(open) }
            #expect(refusal?.code == .invalidArgument)
            #expect(refusal?.message.contains("sqlite:elsewhere.sqlite") == true)
            try await requireFirst(open)
        }
    }

    @Test(
        "an older store of an unknown version is refused with the differences",
        arguments: TestBackend.available)
    func unknown(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            let note = Entity("Note", attributes: [Attribute("id", type: .uuid)])
            let edited = try Schema(version: SchemaVersion(1), entities: Kitchen1.schema.entities + [note])
            try await open(edited, OpenOptions()).close()
            let error = await #expect(throws: StoreError.self) {
                try await MigrationPlan(KitchenPlan.self).open(open)
            }
            #expect(error?.code == .schemaMismatch)
            #expect(error?.message.contains("Note") == true)
        }
        try await backend.withPlace { open in
            try await open(
                try Schema(version: SchemaVersion(0, 9), entities: Kitchen1.schema.entities), OpenOptions()
            ).close()
            let error = await #expect(throws: StoreError.self) {
                try await MigrationPlan(KitchenPlan.self).open(open)
            }
            #expect(error?.code == .schemaMismatch)
            #expect(error?.message.contains("1.0.0, 2.0.0, 3.0.0") == true)
        }
    }

    @Test("a file is copied before its first stage")
    func backup() async throws {
        try await TestBackend.sqlite.withPlace { open in
            try await fill(open)
            let report = Mutex<MigrationReport?>(nil)
            try await MigrationPlan(KitchenPlan.self).open(
                OpenOptions(),
                status: { status in
                    if case .completed(let done) = status { report.withLock { $0 = done } }
                }, open
            ).close()
            let done = report.withLock { $0 }
            let path = try #require(done?.backup)
            #expect(path.hasSuffix("store.sqlite.1.0.0.backup"))
            let files = try FileManager.default.contentsOfDirectory(
                atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path)
            #expect(files.sorted() == ["store.sqlite", "store.sqlite.1.0.0.backup"])
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try await PluginRegistry([SQLitePlugin.self]).open(
                url: "sqlite:" + path, schema: try Kitchen1.schema,
                options: OpenOptions(createsIfMissing: false)
            ).closing { store in
                let count = try await store.read { try $0.count(Kitchen1.Meal.all) }
                let faults = try await store.check()
                #expect(count == 600)
                #expect(faults == [])
            }
        }
    }

    @Test(
        "a process that has an older store open is told to open it again", arguments: TestBackend.available)
    func openedBefore(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            try await fill(open)
            try await open(try Kitchen1.schema, OpenOptions()).closing { store in
                let count = try await store.read { try $0.count(Kitchen1.Meal.all) }
                #expect(count == 600)
                try await MigrationPlan(KitchenPlan.self).open(open).close()
                let reading = await #expect(throws: StoreError.self) {
                    try await store.read { try $0.fetch(Kitchen1.Meal.all) }
                }
                #expect(reading?.code == .schemaMismatch)
                let writing = await #expect(throws: StoreError.self) {
                    try await store.write { try $0.insert(Kitchen1.Menu(name: "late")) }
                }
                #expect(writing?.code == .schemaMismatch)
            }
        }
    }
}
