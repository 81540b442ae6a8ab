import Foundation
import MemoryStore
import Switchyard

/// The models that the tests of the store share.
enum Nursery: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Baby.self, Feed.self, Weight.self, Toy.self, Room.self]

    @Model
    struct Baby {
        #Unique<Baby>([\.badge])
        let id: ID
        @Attribute(.searchable) var name: String = ""
        var badge: Int?
        var count: Int = 0
        @Relationship(deleteRule: .nullify, inverse: \Feed.baby)
        var feeds: ToMany<Feed>
        @Relationship(deleteRule: .cascade, inverse: \Weight.baby)
        var weights: ToMany<Weight>
        @Relationship(deleteRule: .deny, inverse: \Toy.owner)
        var toys: ToMany<Toy>
    }

    @Model
    struct Feed {
        #Unique<Feed>([\.baby, \.start])
        #Unique<Feed>([\.baby], where: { $0.end == nil })
        let id: ID
        var baby: Baby.ID?
        var start: Date
        var end: Date?
        var amount: Double?
    }

    @Model
    struct Weight {
        let id: ID
        var baby: Baby.ID
        var grams: Int = 0
    }

    @Model
    struct Toy {
        let id: ID
        var owner: Baby.ID?
    }

    /// Rooms inside rooms: a reference to its own entity, that deletes what is inside.
    @Model
    struct Room {
        let id: ID
        var outer: Room.ID?
        @Relationship(deleteRule: .cascade, inverse: \Room.outer)
        var inner: ToMany<Room>
    }

    static func store() throws -> MemoryStore { MemoryStore(schema: try schema) }
}

typealias Baby = Nursery.Baby
typealias Feed = Nursery.Feed
typealias Weight = Nursery.Weight
typealias Toy = Nursery.Toy
typealias Room = Nursery.Room

/// A time in the tests: so many seconds after 2026-01-01 00:00 UTC.
func time(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_767_225_600 + seconds) }
