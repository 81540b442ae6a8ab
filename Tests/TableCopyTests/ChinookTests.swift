import Foundation
import PostgresTestServer
import TableCopy
import Testing

/// A real database that may lie beside the package; it is not part of it.
private enum Chinook {
    static let path = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../shared/data/chinook/Chinook_Sqlite.sqlite").standardizedFileURL.path
}

@Suite(
    "A copy of Chinook", .enabled(if: PostgresServer.url != nil, Comment(rawValue: PostgresServer.need)),
    .enabled(if: FileManager.default.fileExists(atPath: Chinook.path), "needs ../shared/data/chinook"))
struct ChinookTests {
    @Test("a copy of Chinook has its types, keys, foreign keys and indexes")
    func whole() async throws {
        try await Bench.with { bench in
            let report = try await TableCopy(from: Chinook.path, to: bench.url).run()
            #expect(report.findings == [])
            #expect(
                report.tables.map { "\($0.name) \($0.rows)" } == [
                    "Album 347", "Artist 275", "Customer 59", "Employee 8", "Genre 25", "Invoice 412",
                    "InvoiceLine 2240", "MediaType 5", "Playlist 18", "PlaylistTrack 8715", "Track 3503",
                ])
            for table in report.tables {
                #expect(
                    try await bench.column("SELECT count(*)::text FROM \"\(table.name)\"")
                        == ["\(table.rows)"])
            }
            let constraints = try await bench.server(
                """
                SELECT c.relname::text, pg_get_constraintdef(k.oid)::text FROM pg_constraint AS k
                JOIN pg_class AS c ON c.oid = k.conrelid
                WHERE c.relnamespace = current_schema()::regnamespace AND k.contype <> 'n' ORDER BY 1, k.contype DESC, 2
                """
            ).map { $0.joined(separator: " ").replacing("\(bench.schema).", with: "") }
            #expect(
                constraints == [
                    #"Album PRIMARY KEY ("AlbumId")"#,
                    #"Album FOREIGN KEY ("ArtistId") REFERENCES "Artist"("ArtistId")"#,
                    #"Artist PRIMARY KEY ("ArtistId")"#, #"Customer PRIMARY KEY ("CustomerId")"#,
                    #"Customer FOREIGN KEY ("SupportRepId") REFERENCES "Employee"("EmployeeId")"#,
                    #"Employee PRIMARY KEY ("EmployeeId")"#,
                    #"Employee FOREIGN KEY ("ReportsTo") REFERENCES "Employee"("EmployeeId")"#,
                    #"Genre PRIMARY KEY ("GenreId")"#, #"Invoice PRIMARY KEY ("InvoiceId")"#,
                    #"Invoice FOREIGN KEY ("CustomerId") REFERENCES "Customer"("CustomerId")"#,
                    #"InvoiceLine PRIMARY KEY ("InvoiceLineId")"#,
                    #"InvoiceLine FOREIGN KEY ("InvoiceId") REFERENCES "Invoice"("InvoiceId")"#,
                    #"InvoiceLine FOREIGN KEY ("TrackId") REFERENCES "Track"("TrackId")"#,
                    #"MediaType PRIMARY KEY ("MediaTypeId")"#, #"Playlist PRIMARY KEY ("PlaylistId")"#,
                    #"PlaylistTrack PRIMARY KEY ("PlaylistId", "TrackId")"#,
                    #"PlaylistTrack FOREIGN KEY ("PlaylistId") REFERENCES "Playlist"("PlaylistId")"#,
                    #"PlaylistTrack FOREIGN KEY ("TrackId") REFERENCES "Track"("TrackId")"#,
                    #"Track PRIMARY KEY ("TrackId")"#,
                    #"Track FOREIGN KEY ("AlbumId") REFERENCES "Album"("AlbumId")"#,
                    #"Track FOREIGN KEY ("GenreId") REFERENCES "Genre"("GenreId")"#,
                    #"Track FOREIGN KEY ("MediaTypeId") REFERENCES "MediaType"("MediaTypeId")"#,
                ])
            #expect(
                try await bench.column(
                    "SELECT indexname::text FROM pg_indexes WHERE schemaname = current_schema() "
                        + "AND indexname LIKE 'IFK%' ORDER BY 1") == [
                        "IFK_AlbumArtistId", "IFK_CustomerSupportRepId", "IFK_EmployeeReportsTo",
                        "IFK_InvoiceCustomerId", "IFK_InvoiceLineInvoiceId", "IFK_InvoiceLineTrackId",
                        "IFK_PlaylistTrackPlaylistId", "IFK_PlaylistTrackTrackId", "IFK_TrackAlbumId",
                        "IFK_TrackGenreId", "IFK_TrackMediaTypeId",
                    ])
        }
    }

    @Test("a copy of Chinook has the values of the file")
    func values() async throws {
        try await Bench.with { bench in
            _ = try await TableCopy(from: Chinook.path, to: bench.url).run()
            #expect(
                try await bench.column(
                    #"SELECT "Track"::text FROM "Track" WHERE "TrackId" IN (1, 3503) ORDER BY 1"#)
                    == [
                        #"(1,"For Those About To Rock (We Salute You)",1,1,1,"Angus Young, Malcolm Young, Brian Johnson",343719,11170334,0.99)"#,
                        #"(3503,Koyaanisqatsi,347,2,10,"Philip Glass",206005,3305164,0.99)"#,
                    ])
            #expect(
                try await bench.column(
                    #"SELECT "BirthDate"::text || ' ' || "Email" FROM "Employee" WHERE "EmployeeId" = 8"#)
                    == ["1968-01-09 00:00:00 laura@chinookcorp.com"])
            // The sum of binary fractions in SQLite is 3680.9699999997.
            #expect(
                try await bench.column(
                    #"SELECT sum("UnitPrice")::text || ' ' || sum("Milliseconds")::text FROM "Track""#)
                    == ["3680.97 1378778040"])
            // New rows follow on those that are there.
            #expect(
                try await bench.column(
                    #"INSERT INTO "Artist" ("Name") VALUES ('Néw') RETURNING "ArtistId"::text"#) == ["276"])
            #expect(
                try await bench.server(
                    """
                    SELECT column_name::text, data_type::text, is_nullable::text, coalesce(numeric_precision::text, ''),
                    coalesce(numeric_scale::text, ''), is_identity::text FROM information_schema.columns
                    WHERE table_schema = current_schema() AND table_name = 'Invoice' ORDER BY ordinal_position
                    """
                ).map { $0.joined(separator: " ") } == [
                    "InvoiceId bigint NO 64 0 YES", "CustomerId bigint NO 64 0 NO",
                    "InvoiceDate timestamp without time zone NO   NO", "BillingAddress text YES   NO",
                    "BillingCity text YES   NO", "BillingState text YES   NO", "BillingCountry text YES   NO",
                    "BillingPostalCode text YES   NO", "Total numeric NO 10 2 NO",
                ])
        }
    }
}
