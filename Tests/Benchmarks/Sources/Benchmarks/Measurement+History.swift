import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCore

extension Measurement {
    /// What a history costs, and how fast it is read.
    static let history: [String: Work] = [
        "write-each-history": { place, clock in
            try remove(place, "each.sqlite")
            let store = try await Feeds.store(place, "each.sqlite", filled: false, keepsHistory: true)
            let feeds = Array(Feeds.all(place.rows / 50))
            try await store.write { try $0.insert(contentsOf: Feeds.babies) }
            try await clock.time { for feed in feeds { try await store.write { try $0.insert(feed) } } }
            try require(Int(try await store.read { try $0.historyToken().sequence }), feeds.count + 1)
            try await store.close()
        },
        "insert-history": { place, clock in
            try remove(place, "insert.sqlite")
            let store = try await Feeds.store(place, "insert.sqlite", filled: false, keepsHistory: true)
            let feeds = Array(Feeds.all(place.rows))
            try await store.write { try $0.insert(contentsOf: Feeds.babies) }
            let count = try await clock.time { try await store.write { try $0.insert(contentsOf: feeds) } }
            try require(count, place.rows)
            try await store.close()
        },
        "insert-postgres-history": { place, clock in
            let store = try await recordingStore("benchmark_insert_history")
            let feeds = Array(Feeds.all(place.rows))
            let count = try await clock.time { try await store.write { try $0.insert(contentsOf: feeds) } }
            try require(count, place.rows)
            try await store.close()
        },
        "update-all-switchyard": { place, clock in try await updateAll(place, clock, keepsHistory: false) },
        "update-all-history": { place, clock in try await updateAll(place, clock, keepsHistory: true) },
        "update-all-postgres": { place, clock in
            let store = try await emptyStore("benchmark_update", rows: place.rows / 10)
            try await updateAll(in: store, place, clock)
        },
        "update-all-postgres-history": { place, clock in
            let store = try await recordingStore("benchmark_update_history", rows: place.rows / 10)
            try await updateAll(in: store, place, clock)
        },
        "prepare-history": { place, _ in
            guard !FileManager.default.fileExists(atPath: place.file("history.sqlite")) else { return }
            let store = try await Feeds.store(place, "history.sqlite", filled: false, keepsHistory: true)
            try await store.write { try $0.insert(contentsOf: Feeds.babies) }
            // Transactions of ten changes, a half of them inserts and a half updates.
            for first in stride(from: 0, to: place.rows / 2, by: 50) {
                let feeds = (first..<first + 50).map { Feeds.feed($0) }
                for part in stride(from: 0, to: 50, by: 10) {
                    try await store.write { try $0.insert(contentsOf: feeds[part..<part + 10]) }
                }
                for part in stride(from: 0, to: 50, by: 10) {
                    let ids = feeds[part..<part + 10].map(\.id)
                    try await store.write { tx in
                        _ = try tx.update(
                            FeedSession.where(#Predicate { ids.contains($0.id) }),
                            set: [.set(\.amountValue, to: 1)])
                    }
                }
            }
            try await store.close()
        },
        "read-history": { place, clock in
            let store = try await Feeds.store(place, "history.sqlite", filled: false)
            let count = try await clock.time {
                try await store.read { tx in
                    var count = 0
                    try tx.forEachTransaction(after: nil) { transaction in
                        try transaction.changes.forEach { count += $0.kind == .delete ? 0 : 1 }
                    }
                    return count
                }
            }
            try require(count, place.rows + Feeds.babies.count)
            try await store.close()
        },
        "write-each-postgres-history": { place, clock in
            let store = try await recordingStore("benchmark_each_history")
            try await onEachClient(clock, times: place.rows / 50 / clients) { _, number in
                try await store.write { try $0.insert(Feeds.feed(number)) }
            }
            try await store.close()
        },
        "write-each-scopes-history": { place, clock in
            let scopes = (0..<clients).map { Feeds.identifier($0) as StoreScope }
            let store = try await recordingStore("benchmark_each_scopes", scopes: scopes)
            try await onEachClient(clock, times: place.rows / 50 / clients) { client, number in
                try await store.write(WriteOptions(scope: scopes[client])) { tx in
                    try tx.insert(Feeds.feed(number))
                }
            }
            try await store.close()
        },
        "write-each-pgbench-history": { place, clock in
            try await recordingStore("benchmark_each_history").close()
            try writeEachPgbench(place, clock, "benchmark_each_history")
        },
        "write-each-pgbench-scopes": { place, clock in
            let scopes = (0..<clients).map { Feeds.identifier($0) as StoreScope }
            try await recordingStore("benchmark_each_scopes", scopes: scopes).close()
            try writeEachPgbench(place, clock, "benchmark_each_scopes", scopes: scopes)
        },
        "write-each-pgbench-same": { place, clock in
            let scopes = (0..<clients).map { Feeds.identifier($0) as StoreScope }
            let store = try await recordingStore("benchmark_each_scopes", scopes: scopes)
            try await store.close()
            try writeSamePgbench(
                place, clock, "benchmark_each_scopes", scopes: scopes, fingerprint: store.schema.fingerprint)
        },
    ]

    private static func updateAll(_ place: Place, _ clock: StopWatch, keepsHistory: Bool) async throws {
        try remove(place, "update.sqlite")
        let store = try await Feeds.store(place, "update.sqlite", filled: false, keepsHistory: keepsHistory)
        try await store.write { tx in
            try tx.insert(contentsOf: Feeds.babies)
            try tx.insert(contentsOf: Feeds.all(place.rows / 10))
        }
        try await updateAll(in: store, place, clock)
    }

    private static func updateAll(in store: any Store, _ place: Place, _ clock: StopWatch) async throws {
        let count = try await clock.time {
            try await store.write { tx in
                try tx.update(
                    FeedSession.where(#Predicate { $0.amountUnitSymbol == "mL" }),
                    set: [.set(\.amountUnitSymbol, to: "oz")])
            }
        }
        try require(count, place.rows / 10)
        try await store.close()
    }

    /// The statements that an expert would write: the counter first, whose row serializes the writers of a scope, then
    /// the row and the change, all in one round trip.
    ///
    /// Tables with scopes have no foreign keys, so the row that the new one refers to is looked up.
    private static func writeEachPgbench(
        _ place: Place, _ clock: StopWatch, _ namespace: String, scopes: [StoreScope] = []
    ) throws {
        try LibPQ(try server()).execute(
            #"""
            DROP TABLE IF EXISTS "\#(namespace)".counter;
            CREATE TABLE "\#(namespace)".counter (client bigint PRIMARY KEY, last bigint NOT NULL);
            INSERT INTO "\#(namespace)".counter SELECT client, 100 FROM generate_series(0, 15) AS client
            """#)
        let (client, baby) = (scopes.isEmpty ? "0" : ":client_id", Feeds.babies[0].id)
        let first = scopes.first.map { "\($0)".dropLast(12) } ?? ""
        let scope = "('\(first)' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid, "
        func ifScoped(_ text: String) -> String { scopes.isEmpty ? "" : text }
        try pgbench(
            place, clock, transactions: place.rows / 50 / clients,
            #"""
            \startpipeline
            BEGIN ISOLATION LEVEL READ COMMITTED;
            UPDATE "\#(namespace)".counter SET last = last + 1 WHERE client = \#(client);
            INSERT INTO "\#(namespace)"."FeedSession" (\#(ifScoped("switchyard_scope, "))\#(columns))
                VALUES (\#(ifScoped(scope))gen_random_uuid(),
                '\#(baby)', now(), now(), 60, 'mL', 'babyFormula', NULL, NULL);
            INSERT INTO "\#(namespace)"."switchyard_history" (\#(ifScoped("switchyard_scope, "))
                    "id", "transaction", "digest", "time", "fingerprint", "count", "blocks", "changes")
                SELECT \#(ifScoped(scope))((\#(client) + 1)::bigint << 48) + last, gen_random_uuid(),
                '\x00112233445566778899aabbccddeeff', now(), decode(repeat('ff', 16), 'hex'),
                1, 0, '\x00010b4665656453657373696f6e00000190000000007000800000000000040b' FROM "\#(namespace)".counter WHERE client = \#(client);
            \#(ifScoped(#"SELECT 1 / count(*) FROM "\#(namespace)"."BabyProfile" WHERE (switchyard_scope, id) = (\#(scope)'\#(baby)');"#))
            COMMIT;
            \endpipeline
            """#)
    }

    /// The statements that the store itself sends for one row, each client in a scope of its own.
    private static func writeSamePgbench(
        _ place: Place, _ clock: StopWatch, _ namespace: String, scopes: [StoreScope], fingerprint: String
    ) throws {
        let baby = Feeds.babies[0].id
        let first = scopes.first.map { "\($0)".dropLast(12) } ?? ""
        let scope = "('\(first)' || lpad(to_hex(:client_id::bigint), 12, '0'))::uuid"
        let transaction = "('\(first)' || lpad(to_hex(:number::bigint), 12, '0'))::uuid"
        try pgbench(
            place, clock, transactions: place.rows / 50 / clients,
            #"""
            \set number random(1, 1000000000)
            \startpipeline
            BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
            INSERT INTO "\#(namespace)"."switchyard_queue" ("switchyard_scope") VALUES (\#(scope))
                ON CONFLICT ("switchyard_scope") DO UPDATE SET "switchyard_scope" = EXCLUDED."switchyard_scope" WHERE FALSE;
            SELECT 1 / CAST("role" = 'active' AND "fingerprint" = '\#(fingerprint)' AND "era" = 1 AS INTEGER)
                FROM "\#(namespace)"."switchyard_store";
            INSERT INTO "\#(namespace)"."FeedSession" (switchyard_scope, \#(columns))
                VALUES (\#(scope), gen_random_uuid(), '\#(baby)', now(), now(), 60, 'mL', 'babyFormula', NULL, NULL);
            INSERT INTO "\#(namespace)"."switchyard_history" ("switchyard_scope", "id", "transaction", "digest", "time",
                    "author", "device", "operation", "undone", "fingerprint", "count", "blocks", "changes")
                SELECT \#(scope), coalesce("last"."id", 281474976710656) + 1, \#(transaction),
                substring(sha256(coalesce("last"."digest", decode(repeat('00', 16), 'hex'))
                || uuid_send(\#(transaction))) FOR 16), now(), NULL, NULL, NULL, NULL,
                '\x\#(fingerprint.prefix(32))', 1, 0, '\x00010b4665656453657373696f6e00000190000000007000800000000000040b'
                FROM (SELECT 1) AS "one" LEFT JOIN
                (SELECT "id", "digest" FROM "\#(namespace)"."switchyard_history" WHERE "switchyard_scope" = \#(scope)
                AND "id" > 281474976710656 ORDER BY "switchyard_scope" DESC, "id" DESC LIMIT 1)
                AS "last" ON TRUE;
            SELECT 1 / CAST(count(*) AS INTEGER) FROM "\#(namespace)"."BabyProfile"
                WHERE "switchyard_scope" = \#(scope) AND "id" = '\#(baby)';
            COMMIT;
            \endpipeline
            """#)
    }

    /// A store with the babies and some of the feeds that keeps a history, made anew.
    private static func recordingStore(
        _ namespace: String, rows: Int = 0, scopes: [StoreScope] = []
    ) async throws -> any Store {
        try LibPQ(try server()).execute(#"DROP SCHEMA IF EXISTS "\#(namespace)" CASCADE"#)
        let store = try await postgresStore(
            namespace, options: OpenOptions(scope: scopes.first, keepsHistory: true))
        for scope in scopes.isEmpty ? [nil] : scopes.map(Optional.some) {
            try await store.write(WriteOptions(scope: scope)) { tx in
                try tx.insert(contentsOf: Feeds.babies)
                try tx.insert(contentsOf: Feeds.all(rows))
            }
        }
        try LibPQ(try server()).execute(#"VACUUM ANALYZE "\#(namespace)"."FeedSession""#)
        return store
    }
}
