import Foundation
import PostgresStore
import PostgresTestServer
import SQLiteStore
import Switchyard
import SwitchyardTransfer
import TableCopy
import TestBackends
import Testing

/// A real database that may lie beside the package; it is not part of it.
private let path = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../shared/data/chinook/Chinook_Sqlite.sqlite").standardizedFileURL.path

private enum Chinook: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [
        Album.self, Artist.self, Customer.self, Employee.self, Genre.self, Invoice.self, InvoiceLine.self,
        MediaType.self, Playlist.self, PlaylistTrack.self, Track.self,
    ]

    @Model
    struct Album {
        let id: ID
        var title: String
        var artist: Artist.ID
    }

    @Model
    struct Artist {
        let id: ID
        var name: String?
    }

    @Model
    struct Customer {
        let id: ID
        var legacyID: Int
        var firstName: String
        var lastName: String
        var company: String?
        var address: String?
        var city: String?
        var state: String?
        var country: String?
        var postalCode: String?
        var phone: String?
        var fax: String?
        var email: String
        var supportRep: Employee.ID?
    }

    @Model
    struct Employee {
        let id: ID
        var lastName: String
        var firstName: String
        var title: String?
        var reportsTo: Employee.ID?
        var birthDate: CalendarDay?
        var hireDate: Date?
        var address: String?
        var city: String?
        var state: String?
        var country: String?
        var postalCode: String?
        var phone: String?
        var fax: String?
        var email: String?
    }

    @Model
    struct Genre {
        let id: ID
        var name: String?
    }

    @Model
    struct Invoice {
        let id: ID
        var customer: Customer.ID
        var invoiceDate: Date
        var billingAddress: String?
        var billingCity: String?
        var billingState: String?
        var billingCountry: String?
        var billingPostalCode: String?
        var total: Decimal
    }

    @Model
    struct InvoiceLine {
        let id: ID
        var invoice: Invoice.ID
        var track: Track.ID
        var unitPrice: Decimal
        var quantity: Int
    }

    @Model
    struct MediaType {
        let id: ID
        var name: String?
    }

    @Model
    struct Playlist {
        let id: ID
        var name: String?
    }

    @Model
    struct PlaylistTrack {
        let id: ID
        var playlist: Playlist.ID
        var track: Track.ID
    }

    @Model
    struct Track {
        let id: ID
        var name: String
        var album: Album.ID?
        var mediaType: MediaType.ID
        var genre: Genre.ID?
        var composer: String?
        var milliseconds: Int
        var bytes: Int?
        var unitPrice: Decimal
    }
}

@Suite(
    "Chinook",
    .enabled(if: FileManager.default.fileExists(atPath: path), "needs ../shared/data/chinook"))
struct ChinookAdoptionTests {
    private static func plan() throws -> AdoptionPlan {
        let utc = AdoptedForm.date(.iso8601(in: .gmt))
        return try AdoptionPlan(
            Chinook.self,
            .table("Customer", as: Chinook.Customer.self, .column("CustomerId", to: \.legacyID)),
            .table(
                "Employee", as: Chinook.Employee.self, .column("BirthDate", to: \.birthDate, utc),
                .column("HireDate", to: \.hireDate, utc)),
            .table("Invoice", as: Chinook.Invoice.self, .column("InvoiceDate", to: \.invoiceDate, utc)))
    }

    @Test("an adoption of Chinook has all of its rows and references", arguments: TestBackend.available)
    func adopted(backend: TestBackend) async throws {
        let before = try Data(contentsOf: URL(filePath: path))
        let database = try PluginRegistry([SQLitePlugin.self]).foreignDatabase(url: "sqlite:" + path)
        let plan = try Self.plan()
        try await backend.withPlace(of: Chinook.schema) { place in
            let report = try await plan.run(from: database, into: place)
            #expect(
                report.tables.map { "\($0.name) \($0.rows)" } == [
                    "Album 347", "Artist 275", "Customer 59", "Employee 8", "Genre 25", "Invoice 412",
                    "InvoiceLine 2240", "MediaType 5", "Playlist 18", "PlaylistTrack 8715", "Track 3503",
                ])
            try await place.with { store in
                try await store.read { tx in
                    let title = "For Those About To Rock (We Salute You)"
                    let track = try #require(
                        try tx.fetch(Chinook.Track.where(#Predicate { $0.name == title })).first)
                    #expect(track.composer == "Angus Young, Malcolm Young, Brian Johnson")
                    #expect(track.milliseconds == 343_719 && track.bytes == 11_170_334)
                    #expect(track.unitPrice == Decimal(string: "0.99"))
                    let album = try #require(
                        try tx.fetch(Chinook.Album.all).first { $0.id == track.album })
                    #expect(album.title == "For Those About To Rock We Salute You")
                    let customer = try #require(
                        try tx.fetch(Chinook.Customer.where(#Predicate { $0.legacyID == 1 })).first)
                    #expect(customer.lastName == "Gonçalves" && customer.city == "São José dos Campos")
                    let staff = try tx.fetch(Chinook.Employee.all)
                    let nancy = try #require(staff.first { $0.firstName == "Nancy" })
                    #expect(nancy.birthDate?.description == "1958-12-08")
                    #expect(nancy.hireDate == Date(timeIntervalSince1970: 1_020_211_200))
                    #expect(staff.first { $0.id == nancy.reportsTo }?.firstName == "Andrew")
                    let lists = try tx.fetch(Chinook.PlaylistTrack.all)
                    #expect(Dictionary(grouping: lists, by: \.playlist).values.map(\.count).max() == 3_290)
                    let lines = try tx.fetch(Chinook.InvoiceLine.all)
                    #expect(
                        lines.reduce(0) { $0 + $1.unitPrice * Decimal($1.quantity) }
                            == Decimal(string: "2328.6"))
                }
                #expect(try await store.check() == [])
            }
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test(
        "an adoption of Chinook from PostgreSQL gives the same rows",
        .enabled(if: PostgresServer.url != nil))
    func sameFromPostgres() async throws {
        let registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self])
        try await PostgresServer.withSchemaName { name in
            let url = try PostgresServer.url(schema: name)
            _ = try await TableCopy(from: path, to: url).run()
            var digests: [[String: RowsDigest]] = []
            for source in ["sqlite:" + path, url] {
                try await TestBackend.memory.withPlace(of: Chinook.schema) { place in
                    let database = try registry.foreignDatabase(url: source)
                    digests.append(try await Self.plan().run(from: database, into: place).digests)
                }
            }
            #expect(digests[0].count == 11)
            #expect(digests[0] == digests[1])
        }
    }
}
