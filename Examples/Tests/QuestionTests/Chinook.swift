import Foundation
import Switchyard

/// A shop for music, in the shape of the Chinook sample database, with a few rows.
enum Chinook: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [
        Artist.self, Album.self, Genre.self, Track.self, Employee.self, Customer.self, Invoice.self,
        InvoiceLine.self, Playlist.self, Placement.self,
    ]

    @Model
    struct Artist {
        let id: ID
        @Attribute(.searchable) var name: String
        @Relationship(deleteRule: .cascade, inverse: \Album.artist)
        var albums: ToMany<Album>
    }

    @Model
    struct Album {
        let id: ID
        var title: String
        var artist: Artist.ID
        @Relationship(deleteRule: .cascade, inverse: \Track.album)
        var tracks: ToMany<Track>
    }

    @Model
    struct Genre {
        let id: ID
        var name: String
        @Relationship(deleteRule: .deny, inverse: \Track.genre)
        var tracks: ToMany<Track>
    }

    @Model
    struct Track {
        let id: ID
        @Attribute(.searchable) var name: String
        var album: Album.ID
        var genre: Genre.ID
        var milliseconds: Int
        var unitPrice: Decimal
        var composer: String?
        @Relationship(deleteRule: .deny, inverse: \InvoiceLine.track)
        var lines: ToMany<InvoiceLine>
        @Relationship(deleteRule: .cascade, inverse: \Placement.track)
        var placements: ToMany<Placement>
    }

    @Model
    struct Employee {
        let id: ID
        var name: String
        var boss: Employee.ID?
        @Relationship(deleteRule: .nullify, inverse: \Employee.boss)
        var reports: ToMany<Employee>
        @Relationship(deleteRule: .nullify, inverse: \Customer.adviser)
        var customers: ToMany<Customer>
    }

    @Model
    struct Customer {
        let id: ID
        var name: String
        var country: String
        var adviser: Employee.ID?
        @Relationship(deleteRule: .cascade, inverse: \Invoice.customer)
        var invoices: ToMany<Invoice>
    }

    @Model
    struct Invoice {
        let id: ID
        var customer: Customer.ID
        var date: Date
        var total: Decimal
        @Relationship(deleteRule: .cascade, inverse: \InvoiceLine.invoice)
        var lines: ToMany<InvoiceLine>
    }

    @Model
    struct InvoiceLine {
        let id: ID
        var invoice: Invoice.ID
        var track: Track.ID
        var unitPrice: Decimal
        var quantity: Decimal = 1
    }

    @Model
    struct Playlist {
        let id: ID
        var name: String
        @Relationship(deleteRule: .cascade, inverse: \Placement.playlist)
        var placements: ToMany<Placement>
    }

    @Model
    struct Placement {
        #Unique<Placement>([\.playlist, \.track])

        let id: ID
        var playlist: Playlist.ID
        var track: Track.ID
    }
}

extension Chinook {
    /// Inserts the sample: 5 artists, 9 tracks, 4 customers and 5 invoices.
    static func fill(_ tx: WriteTransaction) throws {
        let cheap = Decimal(99) / 100
        let dear = Decimal(129) / 100
        let artists = ["AC/DC", "Accept", "Aerosmith", "alanis morissette", "Azymuth"].map {
            Artist(name: $0)
        }
        try tx.insert(contentsOf: artists)
        let titles: [(String, Int)] = [
            ("For Those About To Rock", 0), ("Let There Be Rock", 0), ("Balls to the Wall", 1),
            ("Big Ones", 2),
            ("Jagged Little Pill", 3),
        ]
        let albums = titles.map { Album(title: $0.0, artist: artists[$0.1].id) }
        try tx.insert(contentsOf: albums)
        let genres = ["Jazz", "Metal", "Rock"].map { Genre(name: $0) }
        try tx.insert(contentsOf: genres)
        let songs: [(String, Int, Int, Int, Decimal, String?)] = [
            ("For Those About To Rock", 0, 2, 343_719, cheap, "Young"),
            ("Evil Walks", 0, 2, 263_497, cheap, "Young"), ("Go Down", 1, 2, 331_180, cheap, "AC/DC"),
            ("Overdose", 1, 2, 369_319, cheap, "AC/DC"), ("Dog Eat Dog", 1, 2, 215_196, cheap, "AC/DC"),
            ("Balls to the Wall", 2, 1, 342_562, cheap, nil),
            ("Walk On Water", 3, 2, 295_680, cheap, "Tyler"),
            ("Cryin'", 3, 2, 309_263, dear, "Tyler"), ("Ironic", 4, 2, 229_825, cheap, "Ballard"),
        ]
        let tracks = songs.map { song in
            Track(
                name: song.0, album: albums[song.1].id, genre: genres[song.2].id, milliseconds: song.3,
                unitPrice: song.4, composer: song.5)
        }
        try tx.insert(contentsOf: tracks)
        let adams = try tx.insert(Employee(name: "Adams"))
        let edwards = try tx.insert(Employee(name: "Edwards", boss: adams.id))
        let peacock = try tx.insert(Employee(name: "Peacock", boss: edwards.id))
        let park = try tx.insert(Employee(name: "Park", boss: edwards.id))
        let customers = [
            Customer(name: "Luís", country: "Brazil", adviser: peacock.id),
            Customer(name: "Leonie", country: "Germany", adviser: park.id),
            Customer(name: "François", country: "Canada", adviser: peacock.id),
            Customer(name: "Helena", country: "Czechia", adviser: park.id),
        ]
        try tx.insert(contentsOf: customers)
        let sales: [(Int, String, [Int])] = [
            (0, "2009-01-01", [0, 1]), (1, "2009-02-11", [2, 3, 5, 6]), (2, "2009-03-04", [7]),
            (0, "2010-01-08", [7, 8]), (1, "2010-03-11", [0]),
        ]
        for (customer, date, bought) in sales {
            let lines = bought.map { tracks[$0] }
            let invoice = try tx.insert(
                Invoice(
                    customer: customers[customer].id, date: try Date("\(date)T12:00:00Z", strategy: .iso8601),
                    total: lines.map(\.unitPrice).reduce(0, +)))
            try tx.insert(
                contentsOf: lines.map {
                    InvoiceLine(invoice: invoice.id, track: $0.id, unitPrice: $0.unitPrice)
                })
        }
        let lists: [(String, [Int])] = [
            ("Music", Array(0..<9)), ("Heavy Metal", [5, 0]), ("Audiobooks", []),
        ]
        for (name, placed) in lists {
            let playlist = try tx.insert(Playlist(name: name))
            try tx.insert(contentsOf: placed.map { Placement(playlist: playlist.id, track: tracks[$0].id) })
        }
    }
}
