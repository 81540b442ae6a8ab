import Foundation
import Switchyard

/// A schema with a value of each type, and three entities in a row.
enum Nursery: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [House.self, Baby.self, Feed.self]

    enum Kind: String, CaseIterable, Codable { case breast, bottle }

    struct Label: Codable, Hashable { var a: Int }

    @Model
    struct House {
        let id: ID
        var name: String
        @Relationship(deleteRule: .nullify, inverse: \Baby.house)
        var babies: ToMany<Baby>
    }

    @Model
    struct Baby {
        let id: ID
        @Attribute(.searchable)
        var name: String
        var nick: String?
        var house: House.ID?
        @Relationship(deleteRule: .nullify, inverse: \Feed.baby)
        var feeds: ToMany<Feed>
    }

    @Model
    struct Feed {
        let id: ID
        var baby: Baby.ID?
        var start: Date
        var end: Date?
        var amount: Double?
        var price: Decimal?
        var portion: Float?
        var count: Int
        var limit: Int8?
        var kind: Kind?
        var memo: String?
        var isNight: Bool
        var data: Data?
        var label: Label?
        var code: UUID?
        var day: CalendarDay?
    }
}
