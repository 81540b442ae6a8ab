import BabyMonitorKit
import Foundation
import GRDB
import Switchyard

/// One thing that can be measured, by name.
typealias Work = @Sendable (Place, StopWatch) async throws -> Void

enum Measurement {
    static let all: [String: Work] = [
        sqlite, sqliteWrites, related, postgres, postgresClients, history, commands, switching, migrations,
    ]
    .reduce(
        into: [:]
    ) { $0.merge($1) { $1 } }

    static let sqlite: [String: Work] = [
        "prepare-sqlite": { place, _ in try await Feeds.store(place).close() },
        "fetch-switchyard": { place, clock in
            let store = try await Feeds.store(place)
            let count = try await clock.time { try await store.read { try $0.fetch(FeedSession.all) } }.count
            try require(count, place.rows)
        },
        "fetch-c": { place, clock in
            let connection = try SQLiteC(place.file("feeds.sqlite"))
            try require(try clock.timeOnThread { try connection.all() }.count, place.rows)
        },
        "prepare-grdb": { place, _ in
            let pool = try GRDBRecords.database(
                place.file("records.sqlite"), indexesLike: place.file("feeds.sqlite"))
            try await pool.write { db in
                guard try FeedRecord.fetchCount(db) == 0 else { return }
                for feed in Feeds.all(place.rows) { try FeedRecord(feed).insert(db) }
            }
        },
        "fetch-grdb": { place, clock in
            let pool = try GRDBRecords.database(
                place.file("records.sqlite"), indexesLike: place.file("feeds.sqlite"))
            let count = try await clock.time {
                try await pool.read { try FeedRecord.order(Column("id")).fetchAll($0) }
            }.count
            try require(count, place.rows)
        },
        "insert-switchyard": { place, clock in
            try remove(place, "insert.sqlite")
            let store = try await Feeds.store(place, "insert.sqlite", filled: false)
            let feeds = Array(Feeds.all(place.rows))
            try await store.write { try $0.insert(contentsOf: Feeds.babies) }
            let count = try await clock.time { try await store.write { try $0.insert(contentsOf: feeds) } }
            try require(count, place.rows)
            try await store.close()
        },
        "insert-grdb": { place, clock in
            try remove(place, "insert-grdb.sqlite")
            let pool = try GRDBRecords.database(
                place.file("insert-grdb.sqlite"), indexesLike: place.file("feeds.sqlite"))
            let records = Feeds.all(place.rows).map { FeedRecord($0) }
            try await clock.time {
                try await pool.write { db in for record in records { try record.insert(db) } }
            }
        },
        "find-switchyard": { place, clock in
            let ids = wanted(place).map { FeedSession.ID($0) }
            let store = try await Feeds.store(place)
            let found = try await clock.time {
                try await store.read { tx in try ids.compactMap { try tx.find($0) } }
            }
            try require(found.count, ids.count)
        },
        "find-c": { place, clock in
            let ids = wanted(place)
            let connection = try SQLiteC(place.file("feeds.sqlite"))
            try require(try clock.timeOnThread { try connection.find(ids) }.count, ids.count)
        },
        "find-each-switchyard": { place, clock in
            let ids = wanted(place).map { FeedSession.ID($0) }
            let store = try await Feeds.store(place)
            let count = try await clock.time {
                var count = 0
                for id in ids where try await store.read({ try $0.find(id) }) != nil { count += 1 }
                return count
            }
            try require(count, ids.count)
        },
        "find-each-c": { place, clock in
            let ids = wanted(place)
            let connection = try SQLiteC(place.file("feeds.sqlite"))
            try require(try clock.timeOnThread { try connection.findEach(ids) }, ids.count)
        },
        "find-each-grdb": { place, clock in
            let ids = wanted(place)
            let pool = try GRDBRecords.database(
                place.file("records.sqlite"), indexesLike: place.file("feeds.sqlite"))
            let count = try await clock.time {
                var count = 0
                for id in ids where try await pool.read({ try FeedRecord.fetchOne($0, key: id) }) != nil {
                    count += 1
                }
                return count
            }
            try require(count, ids.count)
        },
        "day-switchyard": { place, clock in
            let questions = questions(place)
            let store = try await Feeds.store(place)
            let count = try await clock.time {
                try await store.read { tx in
                    try questions.reduce(0) { count, question in
                        let baby: BabyProfile.ID? = Identifier(question.baby)
                        let (from, until) = (question.from, question.until)
                        let feeds = try tx.fetch(
                            FeedSession.where(
                                #Predicate {
                                    $0.profile == baby && $0.startTime >= from && $0.startTime < until
                                }
                            ).sorted(by: \.startTime))
                        return count + feeds.count
                    }
                }
            }
            try require(count, questions.count * 720)
        },
        "day-c": { place, clock in
            let questions = questions(place)
            let connection = try SQLiteC(place.file("feeds.sqlite"))
            try require(try clock.timeOnThread { try connection.days(questions) }, questions.count * 720)
        },
    ]

    /// One id in ten, in an order that is not the table's.
    private static func wanted(_ place: Place) -> [UUID] {
        let count = max(1, place.rows / 10)
        return (0..<count).map { number in
            (Feeds.identifier(number * 7_919 % place.rows + 1_000) as FeedSession.ID).uuid
        }
    }

    /// Whole days of one baby, spread over the table.
    private static func questions(_ place: Place) -> [(baby: UUID, from: Date, until: Date)] {
        let days = place.rows / 1_440
        return (0..<min(500, days)).map { number in
            let day = number * 37 % days
            let from = Feeds.start.addingTimeInterval(Double(day) * 86_400)
            return (Feeds.babies[number % 2].id.uuid, from, from.addingTimeInterval(86_400))
        }
    }

    static func require(_ found: Int, _ expected: Int) throws {
        guard found == expected else { throw MeasurementError("\(found) rows instead of \(expected)") }
    }

    static func remove(_ place: Place, _ name: String) throws {
        for suffix in ["", "-wal", "-shm"]
        where FileManager.default.fileExists(atPath: place.file(name) + suffix) {
            try FileManager.default.removeItem(atPath: place.file(name) + suffix)
        }
    }
}
