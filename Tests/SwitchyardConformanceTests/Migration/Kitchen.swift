import Foundation
import Switchyard
import SwitchyardCore

/// Versions of a schema between which everything changes that a lightweight stage can carry over.
enum Kitchen1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Meal.self, Guest.self, Shelf.self, Menu.self]

    enum Course: String, CaseIterable, Codable, Sendable { case main, dessert }

    @Model
    struct Menu {
        let id: ID
        var name: String
    }

    @Model
    struct Meal {
        #Index<Meal>([\.name], [\.size])
        #Unique<Meal>([\.code])

        let id: ID
        var name: String
        var code: String
        var userID: String
        var size: Int?
        var portions: Int
        var weight: Int32
        var course: Course
        var note: String?
        var parent: Meal.ID?
        var menu: Menu.ID?
    }

    @Model
    struct Guest {
        let id: ID
        var name: String
        var meal: Meal.ID?
    }

    @Model
    struct Shelf {
        let id: ID
        var label: String
    }
}

/// Renamed: `Meal` to `Dish`, `name` to `title`, `parent` to `basis`; `Guest` takes over a reference.
enum Kitchen2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Dish.self, Guest.self, Menu.self, Jar.self]

    enum Course: String, CaseIterable, Codable, Sendable { case starter, main, dessert }

    @Model
    struct Menu {
        let id: ID
        var name: String
    }

    @Model
    struct Dish {
        #Index<Dish>([\.title], [\.menu, \.size])

        let id: ID
        @Attribute(.searchable) var title: String
        var code: String
        var size: Int
        var portions: Decimal
        var weight: Double
        var course: Course
        @Attribute(.searchable) var note: String?
        var basis: Dish.ID?
        var menu: Menu.ID?
        var isHot: Bool = true
        var since: Date?
        var rating: Double
    }

    @Model
    struct Guest {
        let id: ID
        var name: String
        var meal: Dish.ID?
        var seat: Int = 4
        var greeting: String?
    }

    @Model
    struct Jar {
        let id: ID
        var label: String
    }
}

/// Two attributes change names with each other, and so do two entities.
enum Kitchen3: VersionedSchema {
    static let version = SchemaVersion(3)
    static let models: [any Model.Type] = [Dish.self, Menu.self, Guest.self, Jar.self]

    @Model
    struct Dish {
        let id: ID
        var name: String
    }

    @Model
    struct Menu {
        #Index<Menu>([\.code])

        let id: ID
        @Attribute(.searchable) var code: String
        var title: String
        var size: Int?
        var portions: Decimal
        var weight: Double
        var course: Kitchen2.Course
        @Attribute(.searchable) var note: String?
        var basis: Menu.ID?
        var menu: Dish.ID?
        var isHot: Bool = false
        var since: Date?
        var rating: Double
    }

    @Model
    struct Guest {
        let id: ID
        var name: String
        var meal: Menu.ID?
        var seat: Int = 4
        var greeting: String?
    }

    @Model
    struct Jar {
        let id: ID
        var label: String
    }
}

/// A guest may be without a table.
enum Loose: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Guest.self, Table.self]

    @Model
    struct Table {
        let id: ID
    }

    @Model
    struct Guest {
        let id: ID
        var table: Table.ID?
    }
}

/// Each guest needs one.
enum Strict: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Guest.self, Table.self]

    @Model
    struct Table {
        let id: ID
    }

    @Model
    struct Guest {
        let id: ID
        var table: Table.ID
    }
}

/// Long texts, which an index cannot hold.
enum Plain: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Page.self]

    @Model
    struct Page {
        let id: ID
        var text: String
    }
}

/// Has an index over them.
enum Indexed: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Page.self]

    @Model
    struct Page {
        #Index<Page>([\.text])

        let id: ID
        var text: String
    }
}

enum KitchenPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Kitchen1.self, Kitchen2.self, Kitchen3.self]
    static var stages: [MigrationStage] {
        [
            .lightweight(
                fromVersion: Kitchen1.self, toVersion: Kitchen2.self,
                .rename(Kitchen1.Meal.self, to: Kitchen2.Dish.self),
                .rename(\Kitchen1.Meal.name, to: \Kitchen2.Dish.title),
                .rename(\Kitchen1.Meal.parent, to: \Kitchen2.Dish.basis), .drop(\Kitchen1.Meal.userID),
                .drop(Kitchen1.Shelf.self), .fill(\Kitchen2.Dish.size, with: 7),
                .fill(\Kitchen2.Dish.rating, with: 2.5)),
            .lightweight(
                fromVersion: Kitchen2.self, toVersion: Kitchen3.self,
                .rename(Kitchen2.Dish.self, to: Kitchen3.Menu.self),
                .rename(Kitchen2.Menu.self, to: Kitchen3.Dish.self),
                .rename(\Kitchen2.Dish.title, to: \Kitchen3.Menu.code),
                .rename(\Kitchen2.Dish.code, to: \Kitchen3.Menu.title)),
        ]
    }
}

/// The rows with which a store of the first version is filled.
enum KitchenRows {
    static let count = 600
    static let meals: [Kitchen1.Meal.ID] = (0..<count).map { _ in .init() }
    static let menu = Kitchen1.Menu(name: "M")

    static func insert(_ tx: WriteTransaction) throws {
        try tx.insert(menu)
        for (number, id) in meals.enumerated() {
            try tx.insert(
                Kitchen1.Meal(
                    id: id, name: "Crème \(number)", code: "C\(number)", userID: "u",
                    size: number.isMultiple(of: 2) ? number : nil, portions: number, weight: Int32(number),
                    course: number.isMultiple(of: 3) ? .main : .dessert,
                    note: number.isMultiple(of: 5) ? "Süß \(number)" : nil,
                    parent: number == 0 ? nil : meals[number - 1], menu: number == 1 ? nil : menu.id))
        }
        try tx.insert(Kitchen1.Guest(name: "G", meal: meals[3]))
        try tx.insert(Kitchen1.Shelf(label: "S"))
    }
}
