import BabyMonitorKit
import Foundation
import PostgresStore
import Switchyard
import SwitchyardCore

extension Measurement {
    static let postgres: [String: Work] = [
        "prepare-postgres": { place, _ in
            let store = try await postgresStore()
            let rows = place.rows
            if try await store.read({ try $0.count(FeedSession.all) }) == 0 {
                try await store.write { tx in
                    try tx.insert(contentsOf: Feeds.babies)
                    try tx.insert(contentsOf: Feeds.all(rows))
                }
                try LibPQ(try server()).execute(#"VACUUM ANALYZE "benchmark"."FeedSession""#)
            }
            try await store.close()
        },
        "fetch-postgres": { place, clock in
            let store = try await postgresStore()
            let count = try await clock.time { try await store.read { try $0.fetch(FeedSession.all) } }.count
            try require(count, place.rows)
        },
        "fetch-libpq": { place, clock in
            let connection = try LibPQ(try server())
            try require(try clock.timeOnThread { try connection.all(in: "benchmark") }.count, place.rows)
        },
        "fetch-libpq-rows": { place, clock in
            let connection = try LibPQ(try server())
            try require(
                try clock.timeOnThread { try connection.allRowByRow(in: "benchmark") }.count, place.rows)
        },
        "fetch-libpq-copy": { place, clock in
            let connection = try LibPQ(try server())
            try require(
                try clock.timeOnThread { try connection.allByCopy(in: "benchmark") }.count, place.rows)
        },
        "insert-postgres": { place, clock in
            let store = try await postgresStore("benchmark_insert")
            try LibPQ(try server()).execute(#"TRUNCATE "benchmark_insert"."FeedSession""#)
            let feeds = Array(Feeds.all(place.rows))
            try await store.write { tx in
                if try tx.count(BabyProfile.all) == 0 { try tx.insert(contentsOf: Feeds.babies) }
            }
            let count = try await clock.time { try await store.write { try $0.insert(contentsOf: feeds) } }
            try require(count, place.rows)
        },
        "insert-psql": { place, clock in
            let file = place.file("copy.csv")
            if !FileManager.default.fileExists(atPath: file) { try writeCopyFile(file, rows: place.rows) }
            try LibPQ(try server()).execute(#"TRUNCATE "benchmark_insert"."FeedSession""#)
            let columns =
                #""id","profile","startTime","endTime","amountValue","amountUnitSymbol","feedType","memoText","memoText_search""#
            let copy = #"\copy "benchmark_insert"."FeedSession" (\#(columns)) FROM '\#(file)' CSV"#
            let url = try server()
            try clock.timeOnThread {
                try Tool.run("psql", ["--no-psqlrc", "--quiet", "--dbname", url, "--command", copy])
            }
        },
    ]

    static func server() throws -> String {
        guard let url = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_POSTGRES_URL"] else {
            throw MeasurementError("SWITCHYARD_TEST_POSTGRES_URL is not set")
        }
        return url
    }

    static func postgresStore(
        _ namespace: String = "benchmark", options: OpenOptions = OpenOptions()
    ) async throws -> any Store {
        try await PostgresPlugin.open(
            try StoreSettings(
                ["url": try server(), "schema": namespace], for: PostgresPlugin.self),
            schema: BabyMonitorSchema.schema, options: options)
    }

    static func writeCopyFile(_ path: String, rows: Int) throws {
        var text = ""
        for feed in Feeds.all(rows) {
            let memo = feed.memoText ?? ""
            let end = feed.endTime.map { $0.ISO8601Format() } ?? ""
            text +=
                "\(feed.id),\(feed.profile.map(\.description) ?? ""),\(feed.startTime.ISO8601Format()),\(end),"
                + "\(feed.amountValue ?? 0),\(feed.amountUnitSymbol ?? ""),\(feed.feedType?.rawValue ?? ""),\(memo),"
                + "\(SearchFolding.fold(memo))\n"
        }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
