import Switchyard

/// Crates on pallets; in the second version, crates are boxes, each with a note, and pallets have a height.
enum Depot1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Pallet.self, Crate.self]

    @Model
    struct Pallet {
        let id: ID
        var label: String
    }

    @Model
    struct Crate {
        #Index<Crate>([\.name])

        let id: ID
        var name: String
        var grams: Int
        var note: String?
        var pallet: Pallet.ID?
    }
}

enum Depot2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Pallet.self, Box.self]

    @Model
    struct Pallet {
        let id: ID
        var label: String
        var height: Int = 15
    }

    @Model
    struct Box {
        #Index<Box>([\.title])

        let id: ID
        var title: String
        var grams: Int
        var note: String
        var pallet: Pallet.ID?
    }
}

enum DepotPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Depot1.self, Depot2.self]
    static var stages: [MigrationStage] {
        [
            .lightweight(
                fromVersion: Depot1.self, toVersion: Depot2.self,
                .rename(Depot1.Crate.self, to: Depot2.Box.self),
                .rename(\Depot1.Crate.name, to: \Depot2.Box.title), .fill(\Depot2.Box.note, with: "none"))
        ]
    }
}
