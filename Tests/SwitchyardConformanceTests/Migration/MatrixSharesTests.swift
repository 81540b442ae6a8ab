import Foundation
import MemoryStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import Synchronization
import TestBackends
import Testing

private enum Tea1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Cup.self]

    @Model
    struct Cup {
        let id: ID
        var name: String
    }
}

private enum Tea2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Cup.self]

    @Model
    struct Cup {
        let id: ID
        var title: String
    }
}

/// A plan whose code forgets every second scope.
private enum ForgetfulPlan: SchemaMigrationPlan {
    private static let scopes = Mutex(0)

    static let schemas: [any VersionedSchema.Type] = [Tea1.self, Tea2.self]
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: Tea1.self, toVersion: Tea2.self, .rewrite(Tea2.Cup.self)
            ) { old, new in
                if !old.scopes.isEmpty,
                    scopes.withLock({
                        $0 += 1; return $0
                    }).isMultiple(of: 2)
                {
                    return
                }
                for cup in try old.fetch(Tea1.Cup.all) {
                    try new.insert(Tea2.Cup(id: .init(cup.id.uuid), title: cup.name))
                }
            }
        ]
    }
}

@Suite("The matrix of a migration plan, in stores with scopes and a history")
struct MatrixSharesTests {
    @Test(
        "the migration matrix finds a stage that does nothing in one of two scopes",
        arguments: TestBackend.shared)
    func scopes(_ backend: TestBackend) async throws {
        let matrix = try MigrationMatrix(
            ForgetfulPlan.self, seed: 1, rows: 40, reference: { MemoryStore.opener() })
        func verify(hasScopes: Bool) async throws {
            let backend = MigrationMatrix.Backend(backend.rawValue, hasScopes: hasScopes) {
                try await backend.withPlace($0)
            }
            try await matrix.verify(from: SchemaVersion(1), on: [backend])
        }
        try await verify(hasScopes: false)
        let failure = await #expect(throws: ConformanceFailure.self) { try await verify(hasScopes: true) }
        let text = failure?.description ?? ""
        #expect(text.hasPrefix("\(backend), with a history in two scopes"), "\(text)")
        #expect(text.contains("ForgetfulPlan from 1.0.0 to 2.0.0 — the number of rows of Cup"), "\(text)")
        #expect(text.hasSuffix("expected 2, found 0"), "\(text)")
    }

    @Test("the migration matrix finds a migration that loses the history, or adds to it")
    func history() async throws {
        func failure(_ meddle: @escaping @Sendable (any Store) async throws -> Void) async -> String {
            let backend = MigrationMatrix.Backend("meddling", hasScopes: false) { lend in
                let open = MemoryStore.opener()
                try await lend { schema, options in
                    let store = try open(schema, options)
                    if options.keepsHistory, schema.version == SchemaVersion(2) { try await meddle(store) }
                    return store
                }
            }
            let failure = await #expect(throws: ConformanceFailure.self) {
                try await MigrationMatrix(
                    KitchenPlan.self, seed: 3, rows: 40, reference: { MemoryStore.opener() }
                ).verify(from: SchemaVersion(1), on: [backend])
            }
            return failure?.description ?? ""
        }
        let lost = await failure { store in
            try await store.stopHistory()
            try await store.keepHistory()
        }
        #expect(lost.contains("meddling, with a history does not meet KitchenPlan"), "\(lost)")
        #expect(lost.contains("the transactions of the history"), "\(lost)")
        let added = await failure { store in
            try await store.write { tx in
                let guest = Kitchen2.Guest(name: "G")
                try tx.insert(guest)
                _ = try tx.delete(guest.id)
                try tx.insert(Kitchen2.Jar(label: "J"))
            }
            try await store.write { _ = try $0.delete(Kitchen2.Jar.all) }
        }
        #expect(added.contains("the transactions of the history"), "\(added)")
    }
}
