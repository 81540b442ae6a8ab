import Foundation
import Switchyard

/// Studios and their films, with a rule of each kind to break.
enum Cinema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Studio.self, Film.self, Poster.self]

    enum Rating: String, CaseIterable, Sendable {
        case general = "G"
        case mature = "R"
    }

    @Model
    struct Studio {
        let id: ID
        var name: String = ""
        @Relationship(deleteRule: .deny, inverse: \Film.studio)
        var films: ToMany<Film>
    }

    @Model
    struct Film {
        #Unique<Film>([\.title])
        #Unique<Film>([\.studio, \.year])
        let id: ID
        @Attribute(column: "film_title") var title: String
        @Attribute(column: "studio_id") var studio: Studio.ID?
        var year: Int = 0
        var sequel: Int?
        var rating: Rating = .general
        var stars: Int8 = 0
        var rate: Decimal = 4.99
        var budget: Decimal?
        var length: Double?
        @Attribute(.searchable) var plot: String?
        @Attribute(.searchable) var place: String?
        @Attribute(.searchable) var memo: String?
    }

    /// Its film has no relationship back, and so the rule `noAction`.
    @Model
    struct Poster {
        let id: ID
        var film: Film.ID
    }
}
