import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import TestBackends
import Testing

/// A model in three versions, whose stages change rows and make some.
enum Nursery1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Baby.self, Feed.self]

    @Model
    struct Baby: Hashable {
        let id: ID
        var name: String
        var weight: Int
    }

    @Model
    struct Feed: Hashable {
        let id: ID
        var baby: Baby.ID?
        var amount: Int
        var memo: String?
    }
}

enum Nursery2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Baby.self, Feed.self, Note.self]

    @Model
    struct Baby: Hashable {
        let id: ID
        var name: String
        var weight: Int
        var nickname: String?
    }

    @Model
    struct Feed: Hashable {
        let id: ID
        var baby: Baby.ID?
        var amount: Int
        var memo: String?
    }

    @Model
    struct Note: Hashable {
        let id: ID
        var text: String
    }
}

enum Nursery3: VersionedSchema {
    static let version = SchemaVersion(3)
    static let models: [any Model.Type] = [Baby.self, Feed.self, Note.self]

    @Model
    struct Baby: Hashable {
        let id: ID
        var name: String
        var weight: Int
        var nickname: String?
        var eyes: String = "blue"
    }

    @Model
    struct Feed: Hashable {
        let id: ID
        var baby: Baby.ID?
        var amount: Int
        var memo: String?
    }

    @Model
    struct Note: Hashable {
        let id: ID
        var text: String
    }
}

enum NurseryPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Nursery1.self, Nursery2.self, Nursery3.self]
    static var stages: [MigrationStage] {
        [
            // Another unit, and a note for each baby: every device does this for itself.
            .custom(
                fromVersion: Nursery1.self, toVersion: Nursery2.self,
                .convert(\Nursery1.Baby.weight, to: \Nursery2.Baby.weight) { $0 * 10 }
            ) { old, new in
                try old.forEach(Nursery1.Baby.all) { baby in
                    try new.insert(Nursery2.Note(id: .init(derivedFrom: baby.id), text: "made by the stage"))
                }
            },
            .lightweight(fromVersion: Nursery2.self, toVersion: Nursery3.self),
        ]
    }
}

extension MirrorSession {
    /// Mirrors a store, and exchanges once.
    static func begin(_ store: any Store, _ server: any Store, name: String? = nil) async throws
        -> MirrorSession
    {
        let session = try await open(store, remote: StoreRemote(server), name: name)
        try await session.exchange()
        return session
    }
}

extension TestBackend {
    /// Lends a server that keeps a history, and two devices' stores, all with the first version.
    static func withNursery(
        _ backend: TestBackend,
        _ body: (_ server: any Store, _ first: any Store, _ second: any Store) async throws -> Void
    ) async throws {
        let schema = try Nursery1.schema
        try await backend.withStore(schema, options: OpenOptions(keepsHistory: true)) { server in
            try await TestBackend.sqlite.withStore(schema) { first in
                try await TestBackend.sqlite.withStore(schema) { second in
                    try await body(server, first, second)
                }
            }
        }
    }
}

/// Exchanges until all agree.
func settle(_ sessions: MirrorSession...) async throws {
    for session in sessions + sessions { try await session.exchange() }
}

extension Store {
    /// All rows of an entity, by their ids.
    func rows(of entity: String) async throws -> [[StoredValue]] {
        try await read { try $0.fetchRows(of: entity, sortedBy: [SortKey("id")]) }
    }

    /// The transactions of the history that come from another store.
    func transactions(from origin: UUID) async throws -> [HistoryTransaction] {
        try await read { tx in try tx.history().filter { $0.origin == origin } }
    }

    /// The records of the mirror: the kind and the number of each.
    func mirrorRecords() async throws -> [[StoredValue]] {
        try await read { tx in
            var records: [[StoredValue]] = []
            try tx.driver.select(.rows(of: .mirrorRecord)) { row in
                records.append(try Entity.mirrorRecord.attributes.map { try row.read($0.type) })
                return true
            }
            return records
        }
    }

    /// The number of mutations that wait for a verdict.
    func pending() async throws -> Int {
        let server = try await marker().mirror?.server ?? UUID()
        return try await write { try LocalMirror($0, server: server).pending().count }
    }

    /// Seals the local writes, as a device that loses its network in an exchange has done.
    func seal() async throws {
        let server = try await marker().mirror?.server ?? UUID()
        try await write { try LocalMirror($0, server: server).seal() }
    }
}

/// Checks that all stores have the same rows.
func expectEqual(_ entities: [String], _ stores: any Store..., at location: SourceLocation = #_sourceLocation)
    async throws
{
    for entity in entities {
        let expected = try await stores[0].rows(of: entity)
        for store in stores.dropFirst() {
            #expect(try await store.rows(of: entity) == expected, sourceLocation: location)
        }
    }
}
