import Switchyard
import SwitchyardCore
import SwitchyardMirror
import TestBackends

/// A model in three versions: the first stage needs no code, and the second one has some.
enum Pantry1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Shelf.self, Jar.self, Label.self]

    enum Kind: String, Sendable, CaseIterable { case jam, honey }

    @Model
    struct Shelf: Hashable {
        #Unique<Shelf>([\.name])
        let id: ID
        var name: String
    }

    @Model
    struct Jar: Hashable {
        let id: ID
        var shelf: Shelf.ID?
        var title: String
        var kind: Kind?
        var grade: Kind = Kind.jam
        var note: String?
        var level: Int?
    }

    @Model
    struct Label: Hashable {
        let id: ID
        var kind: Kind
    }
}

enum Pantry2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Rack.self, Jar.self, Label.self, Guest.self]

    enum Kind: String, Sendable, CaseIterable { case jam, honey, syrup }

    @Model
    struct Rack: Hashable {
        #Unique<Rack>([\.name])
        let id: ID
        var name: String
    }

    @Model
    struct Jar: Hashable {
        let id: ID
        var shelf: Rack.ID?
        var kind: Kind?
        var grade: Kind = Kind.jam
        var name: String
        var level: Int
        var isOpen: Bool = false
    }

    @Model
    struct Label: Hashable {
        let id: ID
        var kind: Kind
    }

    @Model
    struct Guest: Hashable {
        let id: ID
        var name: String
    }
}

enum Pantry3: VersionedSchema {
    static let version = SchemaVersion(3)
    static let models: [any Model.Type] = [Rack.self, Jar.self, Label.self, Guest.self]

    @Model
    struct Rack: Hashable {
        #Unique<Rack>([\.name])
        let id: ID
        var name: String
    }

    @Model
    struct Jar: Hashable {
        let id: ID
        var shelf: Rack.ID?
        var kind: Pantry2.Kind?
        var grade: Pantry2.Kind = Pantry2.Kind.jam
        var name: String
        var grams: Int
        var isOpen: Bool = false
    }

    @Model
    struct Label: Hashable {
        let id: ID
        var kind: Pantry2.Kind
    }

    @Model
    struct Guest: Hashable {
        let id: ID
        var name: String
    }
}

enum PantryPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Pantry1.self, Pantry2.self, Pantry3.self]
    static var stages: [MigrationStage] {
        [
            .lightweight(
                fromVersion: Pantry1.self, toVersion: Pantry2.self,
                .rename(Pantry1.Shelf.self, to: Pantry2.Rack.self),
                .rename(\Pantry1.Jar.title, to: \Pantry2.Jar.name), .drop(\Pantry1.Jar.note),
                .fill(\Pantry2.Jar.level, with: 5)),
            .lightweight(
                fromVersion: Pantry2.self, toVersion: Pantry3.self,
                .convert(\Pantry2.Jar.level, to: \Pantry3.Jar.grams) { $0 * 100 }),
        ]
    }
}

extension MirrorSession {
    /// Mirrors a store, and exchanges once with a server that knows its versions.
    static func begin(
        _ store: any Store, _ server: any Store, migratedBy plan: MigrationPlan
    ) async throws -> MirrorSession {
        let session = try await open(store, remote: StoreRemote(server, migratedBy: plan), name: nil)
        try await session.exchange()
        return session
    }
}
