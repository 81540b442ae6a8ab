import Foundation
import Switchyard

/// A shop whose rentals lead over several references to what is lent.
enum VideoShop: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Language.self, Film.self, Copy.self, Rental.self]

    @Model
    struct Language {
        let id: ID
        var name: String
        var code: String?
    }

    @Model
    struct Film {
        let id: ID
        var title: String
        var length: Int?
        var isLong: Bool = false
        @Attribute(.searchable) var plot: String?
        var language: Language.ID
        var original: Language.ID?
        @Relationship(deleteRule: .cascade, inverse: \Copy.film) var copies: ToMany<Copy>
    }

    @Model
    struct Copy {
        let id: ID
        var film: Film.ID
        @Relationship(deleteRule: .cascade, inverse: \Rental.copy) var rentals: ToMany<Rental>
    }

    @Model
    struct Rental {
        let id: ID
        var copy: Copy.ID
        var gift: Film.ID?
        var days: Int
    }
}
