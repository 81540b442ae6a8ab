import Foundation
import Switchyard

/// The models that the tests of queries and transactions share.
enum Nursery: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Baby.self, Feed.self, Weight.self]

    enum Kind: String, CaseIterable, Codable, Sendable {
        case formula, breast, solid
    }

    @Model
    struct Baby {
        let id: ID
        @Attribute(.searchable) var name: String = ""
        var isPremature: Bool = false
        var born: CalendarDay?
        @Relationship(deleteRule: .nullify, inverse: \Feed.baby)
        var feeds: ToMany<Feed>
        @Relationship(deleteRule: .cascade, inverse: \Weight.baby)
        var weights: ToMany<Weight>
    }

    @Model
    struct Feed {
        #Unique<Feed>([\.baby, \.startTime])
        let id: ID
        var baby: Baby.ID?
        var startTime: Date
        var endTime: Date?
        var amount: Double?
        var kind: Kind?
        var count: Int = 0
        var spare: Int?
        var cost: Decimal?
        var memo: String?
        var tags: [String] = []
        var isOpen: Bool { endTime == nil }
    }

    @Model
    struct Weight {
        let id: ID
        var baby: Baby.ID
        var grams: Int
    }
}

typealias Baby = Nursery.Baby
typealias Feed = Nursery.Feed
typealias Weight = Nursery.Weight

/// A time in the tests: so many seconds after 2026-01-01 00:00 UTC.
func time(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_767_225_600 + seconds) }

/// A time as a stored value.
func stored(_ seconds: Int64) -> StoredValue { .timestamp((1_767_225_600 + seconds) * 1_000_000) }
