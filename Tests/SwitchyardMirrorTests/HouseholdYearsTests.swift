import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService
import SwitchyardTransfer
import TestBackends
import Testing

@Suite("A household whose server and apps are renewed")
struct HouseholdYearsTests {
    /// The first two versions of the pantry, as the app's next release knows them.
    private enum PantryPlan2: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [Pantry1.self, Pantry2.self]
        static var stages: [MigrationStage] { [PantryPlan.stages[0]] }
    }

    /// A store of a household's server or device, to be opened in any version.
    private struct Place {
        let open: TestBackend.Opener

        func opened(_ version: Int, _ options: OpenOptions = OpenOptions()) async throws -> any Store {
            try await MigrationPlan(PantryPlan2.self).upTo(SchemaVersion(version)).open(
                options, status: { _ in }, open)
        }

        /// Serves it in a version, as an app's operator does.
        func served(_ version: Int, _ body: (MirrorService, Wire) async throws -> Void) async throws {
            try await opened(version, OpenOptions(scope: .unused)).closing { store in
                let service = try await MirrorService.serving(
                    store, migratedBy: version == 2 ? PantryPlan2.self : nil, requestsPerMinute: 1_000_000)
                let result: Result<Void, any Error>
                do { result = .success(try await body(service, Wire(service))) } catch {
                    result = .failure(error)
                }
                await service.close()
                try result.get()
            }
        }
    }

    private static func exchange(_ store: any Store, over wire: Wire) async throws {
        let device = try await MirroredStore.open(store, mirroring: .joined(over: wire))
        let result: Result<Void, any Error>
        do { result = .success(_ = try await device.exchange()) } catch { result = .failure(error) }
        await device.end()
        try result.get()
    }

    private static func address() throws -> URL {
        try #require(URL(string: ["https", "mirror.example.org"].joined(separator: "://")))
    }

    private static func rows(_ store: any Store, _ scope: StoreScope? = nil) async throws -> [[StoredValue]] {
        try await store.read(ReadOptions(scopes: scope.map { [$0] })) { tx in
            try ["Rack", "Jar", "Label", "Guest"].flatMap {
                try tx.fetchRows(of: $0, sortedBy: [SortKey("id")])
            }
        }
    }

    @Test(
        "two versions of the app share a household while the server and one after the other are upgraded",
        arguments: TestBackend.shared)
    func upgrade(_ backend: TestBackend) async throws {
        try await backend.withPlace { server in
            try await TestBackend.sqlite.withPlace { first in
                try await TestBackend.sqlite.withPlace { second in
                    try await upgrade(Place(open: server), Place(open: first), Place(open: second))
                }
            }
        }
    }

    private func upgrade(_ server: Place, _ mias: Place, _ bens: Place) async throws {
        let (scope, plum) = (StoreScope(), Pantry1.Jar(title: "Plum", note: "old", level: 3))
        try await server.served(1) { service, wire in
            try await mias.opened(1).closing { mia in
                try await bens.opened(1).closing { ben in
                    for (store, name, role) in [(mia, "Mia", HouseholdRole.owner), (ben, "Ben", .member)] {
                        let link = try await service.invite(
                            InvitationTerms(role: role), into: scope, service: Self.address())
                        _ = try await store.join(link, as: name, device: nil, over: wire)
                    }
                    try await mia.write { _ = try $0.insert(plum) }
                    try await Self.exchange(mia, over: wire)
                    try await Self.exchange(ben, over: wire)
                    #expect(try await ben.read { try $0.fetch(Pantry1.Jar.all, \.title) } == ["Plum"])
                    // Both go offline.
                    try await mia.write {
                        _ = try $0.update(Pantry1.Jar.all, set: [.set(\.title, to: "Prune")])
                    }
                    try await ben.write { _ = try $0.insert(Pantry1.Jar(title: "Pear", level: 7)) }
                }
            }
            // An app that is updated before the server waits for it, and keeps what it was given.
            try await bens.opened(2).closing { ben in
                await #expect {
                    try await Self.exchange(ben, over: wire)
                } throws: {
                    ($0 as? StoreError)?.code == .schemaMismatch
                }
                try await ben.write { _ = try $0.insert(Pantry2.Guest(name: "Ann")) }
                #expect(try await ben.pending() >= 1)
            }
        }
        try await server.served(2) { service, wire in
            try await mias.opened(1).closing { mia in
                try await bens.opened(2).closing { ben in
                    try await Self.exchange(ben, over: wire)
                    try await Self.exchange(mia, over: wire)
                    try await ben.write { tx in
                        _ = try tx.update(
                            Pantry2.Jar.all, set: [.set(\.kind, to: .syrup), .set(\.isOpen, to: true)])
                    }
                    try await Self.exchange(ben, over: wire)
                    try await mia.write {
                        _ = try $0.update(
                            Pantry1.Jar.where(#Predicate { $0.title == "Pear" }), set: [.set(\.level, to: 8)])
                    }
                    try await Self.exchange(mia, over: wire)
                    try await Self.exchange(ben, over: wire)
                    let jars = try await ben.read { try $0.fetch(Pantry2.Jar.sorted(by: \.name)) }
                    #expect(jars.map(\.name) == ["Pear", "Prune"])
                    #expect(jars.map(\.level) == [8, 3])
                    #expect(jars.map(\.kind) == [.syrup, .syrup])
                    #expect(jars.map(\.isOpen) == [true, true])
                    // The older app has its words for them, and what only it knows.
                    let old = try await mia.read { try $0.fetch(Pantry1.Jar.sorted(by: \.title)) }
                    #expect(old.map(\.title) == ["Pear", "Prune"])
                    #expect(old.map(\.note) == [nil, "old"])
                    #expect(old.map(\.kind) == [nil, nil])
                    #expect(try await Self.rows(ben) == Self.rows(service.store, scope))
                    let device = try await MirroredStore.open(mia, mirroring: .joined(over: wire))
                    await #expect {
                        _ = try await device.compare(repairing: true)
                    } throws: {
                        ($0 as? StoreError)?.code == .schemaTooNew
                    }
                    await device.end()
                    try await mia.write { _ = try $0.insert(Pantry1.Label(kind: .honey)) }
                }
            }
            // The last one is updated, with a write that it has not sent.
            try await mias.opened(2).closing { mia in
                try await bens.opened(2).closing { ben in
                    for store in [mia, ben, mia] { try await Self.exchange(store, over: wire) }
                    let rows = try await Self.rows(service.store, scope)
                    #expect(rows.count == 4)
                    for store in [mia, ben] {
                        #expect(try await Self.rows(store) == rows)
                        #expect(try await store.rejectedWrites().isEmpty)
                        #expect(try await store.mirrorConflicts().isEmpty)
                        #expect(try await store.pending() == 0)
                        let device = try await MirroredStore.open(store, mirroring: .joined(over: wire))
                        #expect(try await device.compare().map(\.isEqual) == [true, true, true, true])
                        await device.end()
                    }
                }
            }
        }
    }

    private static let pairs = TestBackend.shared.flatMap { from in TestBackend.shared.map { (from, $0) } }

    @Test(
        "a service's store is switched to another server while devices write and exchange, and nothing is lost",
        arguments: pairs)
    func switching(from: TestBackend, to: TestBackend) async throws {
        let schema = try HouseholdTests.schema.get()
        try await from.withPlace(of: schema) { old in
            try await to.withPlace(of: schema) { new in
                try await HouseholdTests.withDevice { mias in
                    try await HouseholdTests.withDevice { bens in
                        try await switching(old, new, mias, bens)
                    }
                }
            }
        }
    }

    private func switching(
        _ old: StorePlace, _ new: StorePlace, _ mias: any Store, _ bens: any Store
    ) async throws {
        let (scope, options) = (StoreScope(), OpenOptions(scope: .unused))
        var written: [Int64] = []
        let first = try await old.open(options)
        let service = try await MirrorService.serving(first, requestsPerMinute: 1_000_000)
        let wire = Wire(service)
        for (store, name) in [(mias, "Mia"), (bens, "Ben")] {
            let link = try await service.invite(
                InvitationTerms(role: .owner), into: scope, service: Self.address())
            _ = try await store.join(link, as: name, device: nil, over: wire)
            try await Self.exchange(store, over: wire)
        }
        async let report = StoreSwitch(from: old, to: new).run()
        var refusal: StoreError?
        while refusal == nil {
            for store in [mias, bens] {
                let amount = Int64(written.count)
                try await HouseholdTests.add(amount, to: store)
                written.append(amount)
                do { try await Self.exchange(store, over: wire) } catch let error as StoreError {
                    refusal = refusal ?? error
                }
            }
        }
        _ = try await report
        // A device is told to try again, and goes on offline.
        #expect(refusal?.code == .outOfService)
        for store in [mias, bens] {
            try await HouseholdTests.add(Int64(written.count), to: store)
            written.append(Int64(written.count))
            #expect(await HouseholdTests.code { try await Self.exchange(store, over: wire) } == .outOfService)
            #expect(try await HouseholdTests.feeds(store).contains(Int64(written.count - 1)))
        }
        await service.close()
        try await first.close()
        try await new.open(options).closing { second in
            let service = try await MirrorService.serving(second, requestsPerMinute: 1_000_000)
            let wire = Wire(service)
            for store in [mias, bens, mias] { try await Self.exchange(store, over: wire) }
            #expect(try await HouseholdTests.feeds(second, ReadOptions(scopes: [scope])) == written)
            for store in [mias, bens] {
                #expect(try await HouseholdTests.feeds(store) == written)
                #expect(try await store.rejectedWrites().isEmpty)
                #expect(try await store.pending() == 0)
            }
            // Nothing came twice, and nobody had to begin again.
            #expect(!wire.requests.contains { $0.url.path == "/v1/rows" })
            await service.close()
        }
    }
}
