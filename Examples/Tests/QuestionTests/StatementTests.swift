import Foundation
import Switchyard
import SwitchyardCore
import TestBackends
import Testing

/// The statements that the article *Queries* shows.
@Suite("The statements of questions")
struct StatementTests {
    /// What databases are asked for the questions of `statements(_:)`, in their order.
    private static let expected: [TestBackend: [String]] = [
        .sqlite: [
            """
            SELECT "title" FROM "Album" WHERE "artist" IN
            (SELECT "switchyard_1"."id" FROM "Artist" AS "switchyard_1" WHERE "switchyard_1"."name" = ?) ORDER BY "id"
            """,
            """
            SELECT "name" FROM "Track" WHERE NOT EXISTS (SELECT 1 FROM "InvoiceLine" AS "switchyard_1"
            WHERE "switchyard_1"."track" = "Track"."id") ORDER BY "id"
            """,
            """
            SELECT "title" FROM "Album" ORDER BY (SELECT COALESCE(switchyard_sum("switchyard_1"."milliseconds"), 0)
            FROM "Track" AS "switchyard_1" WHERE "switchyard_1"."album" = "Album"."id") DESC, "id"
            """,
            """
            SELECT "composer", COUNT(*) FROM "Track" GROUP BY "composer" ORDER BY "Track"."composer"
            """,
            """
            SELECT "quantity" FROM "InvoiceLine" WHERE "track" IS NOT NULL AND "unitPrice" <
            (SELECT "switchyard_1"."unitPrice" FROM "Track" AS "switchyard_1"
            WHERE "switchyard_1"."id" = "InvoiceLine"."track") ORDER BY "id"
            """,
        ],
        .postgres: [
            """
            SELECT "title" FROM "Album" WHERE EXISTS (SELECT 1 FROM "Artist" AS "switchyard_1"
            WHERE "switchyard_1"."id" = "Album"."artist" AND "switchyard_1"."name" = $1) ORDER BY "id"
            """,
            """
            SELECT "name" FROM "Track" WHERE NOT EXISTS (SELECT 1 FROM "InvoiceLine" AS "switchyard_1"
            WHERE "switchyard_1"."track" = "Track"."id") ORDER BY "id"
            """,
            """
            SELECT "title" FROM "Album" ORDER BY (SELECT COALESCE(SUM("switchyard_1"."milliseconds")::bigint, 0)
            FROM "Track" AS "switchyard_1" WHERE "switchyard_1"."album" = "Album"."id") DESC, "id"
            """,
            """
            SELECT "composer", COUNT(*) FROM "Track" GROUP BY "composer" ORDER BY "Track"."composer" NULLS FIRST
            """,
            """
            SELECT "quantity" FROM "InvoiceLine" WHERE "track" IS NOT NULL AND "unitPrice" <
            (SELECT "switchyard_1"."unitPrice" FROM "Track" AS "switchyard_1"
            WHERE "switchyard_1"."id" = "InvoiceLine"."track") ORDER BY "id"
            """,
        ],
    ]

    @Test("each question is the statement that the article shows", arguments: TestBackend.available)
    func statements(_ backend: TestBackend) async throws {
        try await backend.withStore(Schema(version: Chinook.version, models: Chinook.models)) { store in
            let plans = try await store.read { tx in
                try tx.explain { tx in
                    _ = try tx.fetch(
                        Chinook.Album.where(#Predicate { $0.artist[\.name] == "AC/DC" }), \.title)
                    _ = try tx.fetch(Chinook.Track.where(#Predicate { $0.lines[\.isEmpty] }), \.name)
                    _ = try tx.fetch(
                        Chinook.Album.sorted(by: .figure(\.tracks, .sum(\.milliseconds)), .descending),
                        \.title)
                    _ = try tx.aggregate(Chinook.Track.all, by: .attribute(\.composer), figures: .count)
                    _ = try tx.fetch(
                        Chinook.InvoiceLine.where(#Predicate { $0.unitPrice < $0.track[\.unitPrice] }),
                        \.quantity)
                }
            }
            // A test's tables in PostgreSQL are in a schema of its own.
            let found = plans.compactMap { $0.statement?.replacing(/"test_[0-9a-f]+"\./, with: "") }
            let expected = (Self.expected[backend] ?? []).map { $0.replacing("\n", with: " ") }
            #expect(found == expected)
        }
    }
}
