import Foundation
import Switchyard

/// The first versions of a schema: to the second, tables change as a whole; to the third, one gets a column and an index.
enum Larder1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Jar.self, Shelf.self]

    @Model
    struct Jar {
        #Index<Jar>([\.name])

        let id: ID
        var name: String
        var grams: Int
        var size: Int?
        var shelf: Shelf.ID?
    }

    @Model
    struct Shelf {
        let id: ID
        var label: String
        var place: Int
    }
}

enum Larder2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Glass.self, Shelf.self]

    @Model
    struct Glass {
        #Index<Glass>([\.title], [\.grams])

        let id: ID
        @Attribute(.searchable) var title: String
        var grams: Decimal
        var size: Int
        var shelf: Shelf.ID?
    }

    @Model
    struct Shelf {
        let id: ID
        var label: String
        var place: Int
    }
}

enum Larder3: VersionedSchema {
    static let version = SchemaVersion(3)
    static let models: [any Model.Type] = [Glass.self, Shelf.self]

    @Model
    struct Glass {
        #Index<Glass>([\.title], [\.grams], [\.size])

        let id: ID
        @Attribute(.searchable) var title: String
        var grams: Decimal
        var size: Int
        var shelf: Shelf.ID?
        var isFull: Bool = true
    }

    @Model
    struct Shelf {
        let id: ID
        var label: String
        var place: Int
    }
}
