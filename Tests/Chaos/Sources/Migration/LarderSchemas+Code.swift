import Foundation
import Switchyard

/// The versions to which code leads: a glass is split in two, then a value and a whole entity are converted, then one shelf
/// stays of those with one label, and at last a number is calculated for each glass, some thousand at a time.
enum Larder4: VersionedSchema {
    static let version = SchemaVersion(4)
    static let models: [any Model.Type] = [Glass.self, Lid.self, Shelf.self]

    @Model
    struct Glass {
        #Index<Glass>([\.title])
        #Unique<Glass>([\.grams])

        let id: ID
        @Attribute(.searchable) var title: String
        var grams: Decimal
        var shelf: Shelf.ID?
        var isFull: Bool = true
    }

    @Model
    struct Lid {
        let id: ID
        var size: Int
        var glass: Glass.ID?
    }

    @Model
    struct Shelf {
        let id: ID
        var label: String
        var place: Int
    }
}

enum Larder5: VersionedSchema {
    static let version = SchemaVersion(5)
    static let models: [any Model.Type] = [Glass.self, Cap.self, Shelf.self]

    @Model
    struct Glass {
        #Index<Glass>([\.title])

        let id: ID
        @Attribute(.searchable) var title: String
        /// As in `12 g`.
        var weight: String
        var shelf: Shelf.ID?
        var isFull: Bool = true
    }

    @Model
    struct Cap {
        let id: ID
        var radius: Double
        var glass: Glass.ID?
    }

    @Model
    struct Shelf {
        let id: ID
        var label: String
        var place: Int
    }
}

enum Larder6: VersionedSchema {
    static let version = SchemaVersion(6)
    static let models: [any Model.Type] = [Glass.self, Cap.self, Shelf.self]

    @Model
    struct Glass {
        #Index<Glass>([\.title])

        let id: ID
        @Attribute(.searchable) var title: String
        /// As in `12 g`.
        var weight: String
        var shelf: Shelf.ID?
        var isFull: Bool = true
    }

    @Model
    struct Cap {
        let id: ID
        var radius: Double
        var glass: Glass.ID?
    }

    @Model
    struct Shelf {
        #Unique<Shelf>([\.label])

        let id: ID
        var label: String
        var place: Int
    }
}

enum Larder7: VersionedSchema {
    static let version = SchemaVersion(7)
    static let models: [any Model.Type] = [Glass.self, Cap.self, Shelf.self]

    @Model
    struct Glass {
        #Index<Glass>([\.title])

        let id: ID
        @Attribute(.searchable) var title: String
        /// As in `12 g`.
        var weight: String
        var shelf: Shelf.ID?
        var isFull: Bool = true
        /// The number of the weight; −1 while it has not been calculated.
        var number: Int = -1
    }

    @Model
    struct Cap {
        let id: ID
        var radius: Double
        var glass: Glass.ID?
    }

    @Model
    struct Shelf {
        #Unique<Shelf>([\.label])

        let id: ID
        var label: String
        var place: Int
    }
}

enum LarderPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [
        Larder1.self, Larder2.self, Larder3.self, Larder4.self, Larder5.self, Larder6.self, Larder7.self,
    ]
    static let newest = SchemaVersion(7)
    static var stages: [MigrationStage] {
        [
            .lightweight(
                fromVersion: Larder1.self, toVersion: Larder2.self,
                .rename(Larder1.Jar.self, to: Larder2.Glass.self),
                .rename(\Larder1.Jar.name, to: \Larder2.Glass.title), .fill(\Larder2.Glass.size, with: 5)),
            .lightweight(fromVersion: Larder2.self, toVersion: Larder3.self),
            .custom(
                fromVersion: Larder3.self, toVersion: Larder4.self, .rewrite(Larder4.Glass.self)
            ) { old, new in try split(old, new) },
            .lightweight(
                fromVersion: Larder4.self, toVersion: Larder5.self,
                .convert(\Larder4.Glass.grams, to: \Larder5.Glass.weight) { "\($0) g" },
                .convert(Larder4.Lid.self, to: Larder5.Cap.self) { lid in
                    Larder5.Cap(
                        id: .init(lid.id.uuid), radius: Double(lid.size) / 2,
                        glass: lid.glass.map { .init($0.uuid) })
                }),
            .lightweight(
                fromVersion: Larder5.self, toVersion: Larder6.self,
                .deduplicate(Larder6.Shelf.self, keepingLeast: \Larder6.Shelf.place)),
            .lightweight(
                fromVersion: Larder6.self, toVersion: Larder7.self,
                .backfill(\Larder7.Glass.number) { Int($0.weight.dropLast(2)) ?? -2 }),
        ]
    }

    /// Makes a glass and its lid of each glass that had its size itself.
    private static func split(_ old: ReadTransaction, _ new: WriteTransaction) throws {
        var last: PageCursor?
        repeat {
            let page = try old.page(Larder3.Glass.all, size: 1_000, after: last)
            try new.insert(
                contentsOf: page.items.map { glass in
                    Larder4.Glass(
                        id: .init(glass.id.uuid), title: glass.title, grams: glass.grams,
                        shelf: glass.shelf.map { .init($0.uuid) }, isFull: glass.isFull)
                })
            try new.insert(
                contentsOf: page.items.map { Larder4.Lid(size: $0.size, glass: .init($0.id.uuid)) })
            last = page.next
        } while last != nil
    }
}
