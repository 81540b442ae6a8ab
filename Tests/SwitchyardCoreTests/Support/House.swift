import Foundation
import Switchyard

/// A house whose rooms hold boxes, which hold things, and lamps.
enum House: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Room.self, Box.self, Thing.self, Lamp.self]

    enum Level: String, CaseIterable, Comparable, Codable, Sendable {
        case low, medium, high

        var name: String { rawValue.capitalized }

        static func < (lhs: Self, rhs: Self) -> Bool {
            allCases.firstIndex(of: lhs).map { $0 < allCases.firstIndex(of: rhs) ?? 0 } ?? false
        }
    }

    @Model
    struct Room {
        let id: ID
        @Relationship(deleteRule: .cascade, inverse: \Box.room)
        var boxes: ToMany<Box>
        @Relationship(deleteRule: .cascade, inverse: \Lamp.room)
        var lamps: ToMany<Lamp>
    }

    @Model
    struct Box {
        let id: ID
        var room: Room.ID
        @Relationship(deleteRule: .cascade, inverse: \Thing.box)
        var things: ToMany<Thing>
    }

    @Model
    struct Thing {
        #Index<Thing>([\.label], [\.label, \.note])
        let id: ID
        var box: Box.ID?
        var label: String = ""
        @Attribute(.searchable) var note: String?
        var small: Int8 = 0
        var ratio: Float?
        var first: Int?
        var second: Int?
        var level: Level = .low
        var bought: Date?
        var tags: [String] = []
    }

    @Model
    struct Lamp {
        let id: ID
        var room: Room.ID
    }
}
