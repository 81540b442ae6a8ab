import BabyMonitorKit
import Foundation
import GRDB
import Switchyard

extension Measurement {
    /// Small writes: each in a transaction of its own, or one by one in one.
    static let sqliteWrites: [String: Work] = [
        "write-each-switchyard": { place, clock in
            try remove(place, "each.sqlite")
            let store = try await Feeds.store(place, "each.sqlite", filled: false)
            let feeds = Array(Feeds.all(place.rows / 50))
            try await store.write { try $0.insert(contentsOf: Feeds.babies) }
            try await clock.time { for feed in feeds { try await store.write { try $0.insert(feed) } } }
            try require(try await store.read { try $0.count(FeedSession.all) }, feeds.count)
            try await store.close()
        },
        "write-each-grdb": { place, clock in
            try remove(place, "each-grdb.sqlite")
            let pool = try GRDBRecords.database(
                place.file("each-grdb.sqlite"), indexesLike: place.file("feeds.sqlite"))
            let records = Feeds.all(place.rows / 50).map { FeedRecord($0) }
            try await clock.time {
                for record in records { try await pool.write { try record.insert($0) } }
            }
        },
        "write-each-c": { place, clock in
            try await withStoreFile(place, rows: 0) { connection in
                let feeds = Array(Feeds.all(place.rows / 50))
                try clock.timeOnThread { try connection.insert(feeds, each: true) }
            }
        },
        "update-switchyard": { place, clock in
            try await makeStore(place, rows: place.rows / 10)
            let changed = Feeds.changed(place.rows / 10)
            let store = try await Feeds.store(place, "writes.sqlite", filled: false)
            try await clock.time {
                try await store.write { tx in for feed in changed { try tx.update(feed) } }
            }
            try await store.close()
        },
        "update-c": { place, clock in
            try await withStoreFile(place, rows: place.rows / 10) { connection in
                let changed = Feeds.changed(place.rows / 10)
                try clock.timeOnThread { try connection.update(changed) }
            }
        },
        "upsert-switchyard": { place, clock in
            try await makeStore(place, rows: place.rows / 20)
            let changed = Feeds.changed(place.rows / 10)
            let store = try await Feeds.store(place, "writes.sqlite", filled: false)
            let count = try await clock.time {
                try await store.write { try $0.upsert(changed, on: \.id) }
            }.count
            try require(count, place.rows / 10)
            try await store.close()
        },
        "upsert-c": { place, clock in
            try await withStoreFile(place, rows: place.rows / 20) { connection in
                let changed = Feeds.changed(place.rows / 10)
                try clock.timeOnThread { try connection.upsert(changed) }
            }
        },
    ]

    /// Makes a store anew with some of the rows.
    private static func makeStore(_ place: Place, rows: Int) async throws {
        try remove(place, "writes.sqlite")
        let store = try await Feeds.store(place, "writes.sqlite", filled: false)
        try await store.write { tx in
            try tx.insert(contentsOf: Feeds.babies)
            try tx.insert(contentsOf: Feeds.all(rows))
        }
        try await store.close()
    }

    /// Lends a connection of the C API to a store made anew with some of the rows.
    private static func withStoreFile(
        _ place: Place, rows: Int, _ body: (SQLiteC) throws -> Void
    ) async throws {
        try await makeStore(place, rows: rows)
        let connection = try SQLiteC(place.file("writes.sqlite"))
        // As the store does.
        try connection.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
        try body(connection)
    }
}
