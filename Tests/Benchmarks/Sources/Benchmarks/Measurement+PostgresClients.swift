import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCore

extension Measurement {
    static let columns =
        #""id","profile","startTime","endTime","amountValue","amountUnitSymbol","feedType","memoText","memoText_search""#
    static let clients = 16

    /// Many clients at once, and whole commands, against the server's own tools.
    static let postgresClients: [String: Work] = [
        "find-each-postgres": { place, clock in
            let store = try await postgresStore()
            let count = place.rows / 20 / clients
            try await onEachClient(clock, times: count) { _, number in
                let id: FeedSession.ID = Feeds.identifier(number * 7_919 % place.rows + 1_000)
                try require(try await store.read { try $0.find(id) } == nil ? 0 : 1, 1)
            }
            try await store.close()
        },
        "find-each-pgbench": { place, clock in
            try pgbench(
                place, clock, transactions: place.rows / 20 / clients,
                #"""
                \set row random(1000, \#(place.rows + 999))
                \startpipeline
                BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
                SELECT * FROM "benchmark"."FeedSession"
                    WHERE "id" = ('01900000-0000-7000-8000-' || lpad(to_hex(:row::bigint), 12, '0'))::uuid;
                ROLLBACK;
                \endpipeline
                """#)
        },
        "write-each-postgres": { place, clock in
            let store = try await emptyStore("benchmark_each")
            try await onEachClient(clock, times: place.rows / 50 / clients) { _, number in
                try await store.write { try $0.insert(Feeds.feed(number)) }
            }
            try await store.close()
        },
        "write-each-pgbench": { place, clock in
            try await emptyStore("benchmark_each").close()
            try pgbench(
                place, clock, transactions: place.rows / 50 / clients,
                #"""
                \startpipeline
                BEGIN ISOLATION LEVEL SERIALIZABLE;
                SELECT 1 / CAST("role" = 'active' AND "era" = 0 AS INTEGER) FROM "benchmark_each"."switchyard_store";
                INSERT INTO "benchmark_each"."FeedSession" (\#(columns)) VALUES (gen_random_uuid(),
                    '\#(Feeds.babies[0].id)', now(), now(), 60, 'mL', 'babyFormula', NULL, NULL);
                COMMIT;
                \endpipeline
                """#)
        },
        "upsert-postgres": { place, clock in
            let store = try await emptyStore("benchmark_upsert", rows: place.rows / 20)
            let changed = Feeds.changed(place.rows / 10)
            let count = try await clock.time {
                try await store.write { try $0.upsert(changed, on: \.id) }
            }.count
            try require(count, changed.count)
            try await store.close()
        },
        "upsert-psql": { place, clock in
            try await emptyStore("benchmark_upsert", rows: place.rows / 20).close()
            let file = place.file("upsert.csv")
            if !FileManager.default.fileExists(atPath: file) {
                try writeCopyFile(file, rows: place.rows / 10)
            }
            let changes = columns.split(separator: ",").dropFirst().map { "\($0) = excluded.\($0)" }
            try psql(
                place, clock,
                #"""
                BEGIN;
                CREATE TEMPORARY TABLE feed (LIKE "benchmark_upsert"."FeedSession") ON COMMIT DROP;
                \copy feed (\#(columns)) FROM '\#(file)' CSV
                INSERT INTO "benchmark_upsert"."FeedSession" (\#(columns)) SELECT \#(columns) FROM feed
                    ON CONFLICT ("id") DO UPDATE SET \#(changes.joined(separator: ", "));
                COMMIT;
                """#)
        },
        "import-postgres": { place, clock in
            try await emptyStore("benchmark_import").close()
            try clock.timeOnThread {
                try Tool.run(
                    place.command,
                    ["import", "feeds", place.file("feeds.csv"), "--store", try url("benchmark_import")])
            }
        },
        "import-psql": { place, clock in
            try await emptyStore("benchmark_import").close()
            try psql(
                place, clock,
                #"""
                BEGIN;
                CREATE TEMPORARY TABLE feed (
                    baby text, time timestamptz, amount float8, unit text, type text) ON COMMIT DROP;
                \copy feed FROM '\#(place.file("feeds.csv"))' CSV HEADER
                INSERT INTO "benchmark_import"."FeedSession"
                        ("id", "profile", "startTime", "endTime", "amountValue", "amountUnitSymbol", "feedType")
                    SELECT gen_random_uuid(), baby."id", time, time, amount, unit, nullif(type, '')
                    FROM feed LEFT JOIN "benchmark_import"."BabyProfile" AS baby ON baby."name" = feed.baby;
                COMMIT;
                """#)
        },
        "export-postgres": { place, clock in
            try clock.timeOnThread {
                try Tool.run(
                    place.command,
                    ["export", "feeds", place.file("export-postgres.csv"), "--store", try url("benchmark")])
            }
        },
        "export-psql": { place, clock in
            let query = #"""
                SELECT p."name", to_char(f."startTime" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                f."amountValue", f."amountUnitSymbol", f."feedType" FROM "benchmark"."FeedSession" f
                LEFT JOIN "benchmark"."BabyProfile" p ON p."id" = f."profile" ORDER BY f."startTime" DESC, f."id"
                """#.replacing("\n", with: " ")
            try psql(place, clock, "\\copy (\(query)) TO '\(place.file("export-psql.csv"))' CSV HEADER")
        },
    ]

    /// Does something as many clients at once, each so many times, with the number of the client and a number of its own
    /// for each time.
    static func onEachClient(
        _ clock: StopWatch, times count: Int, _ body: @escaping @Sendable (Int, Int) async throws -> Void
    ) async throws {
        try await clock.time {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in 0..<clients {
                    group.addTask {
                        for number in 0..<count { try await body(client, client * count + number) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// A store with the babies and some of the feeds, made anew.
    static func emptyStore(_ namespace: String, rows: Int = 0) async throws -> any Store {
        let store = try await postgresStore(namespace)
        try LibPQ(try server()).execute(
            #"TRUNCATE "\#(namespace)"."FeedSession", "\#(namespace)"."BabyProfile" CASCADE"#)
        try await store.write { tx in
            try tx.insert(contentsOf: Feeds.babies)
            try tx.insert(contentsOf: Feeds.all(rows))
        }
        try LibPQ(try server()).execute(#"VACUUM ANALYZE "\#(namespace)"."FeedSession""#)
        return store
    }

    private static func url(_ namespace: String) throws -> String {
        let server = try server()
        return "\(server)\(server.contains("?") ? "&" : "?")schema=\(namespace)"
    }

    private static func psql(_ place: Place, _ clock: StopWatch, _ script: String) throws {
        let (file, server) = (place.file("script.sql"), try server())
        try script.write(toFile: file, atomically: true, encoding: .utf8)
        try clock.timeOnThread {
            try Tool.run(
                "psql",
                ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", server, "--file", file])
        }
    }

    /// Runs a script as many clients at once, which prepare its statements.
    static func pgbench(
        _ place: Place, _ clock: StopWatch, transactions: Int, _ script: String
    ) throws {
        let (file, server) = (place.file("script.sql"), try server())
        try script.write(toFile: file, atomically: true, encoding: .utf8)
        try clock.timeOnThread {
            try Tool.run(
                "pgbench",
                [
                    "--no-vacuum", "--protocol", "prepared", "--client", String(clients), "--jobs", "2",
                    "--transactions", String(transactions), "--max-tries", "100", "--file", file, server,
                ])
        }
    }
}
