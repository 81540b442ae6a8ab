import BabyMonitorKit
import Foundation
import Switchyard

extension Measurement {
    /// Rows with what is related to them, in one read: a hundred feeds and thirty diaper changes of each baby.
    static let related: [String: Work] = [
        "prepare-related": { place, _ in try await relatives(place).close() },
        "cards-switchyard": { place, clock in
            let store = try await relatives(place)
            let count = try await clock.time {
                try await store.read { tx in
                    try tx.fetch(
                        BabyProfile.all,
                        including: .all(\.feedSessions) { $0.sorted(by: \.startTime, .descending).limit(3) },
                        .count(\.feedSessions), .figure(\.feedSessions, .sum(\.amountValue)))
                }
            }.reduce(0) { $0 + $1.1.count + $1.2 }
            try require(count, relativeBabies(place) * 103)
        },
        "cards-c": { place, clock in
            let connection = try SQLiteC(place.file("related.sqlite"))
            try require(try clock.timeOnThread { try connection.cards() }, relativeBabies(place) * 103)
        },
        "children-switchyard": { place, clock in
            let store = try await relatives(place)
            let count = try await clock.time {
                try await store.read { tx in
                    try tx.fetch(
                        BabyProfile.all, including: .all(\.feedSessions) { $0.sorted(by: \.startTime) },
                        .all(\.diaperChanges) { $0.sorted(by: \.timestamp) })
                }
            }.reduce(0) { $0 + $1.1.count + $1.2.count }
            try require(count, relativeBabies(place) * 130)
        },
        "children-c": { place, clock in
            let connection = try SQLiteC(place.file("related.sqlite"))
            try require(try clock.timeOnThread { try connection.children() }, relativeBabies(place) * 130)
        },
        "last-page": { place, clock in try await pages(place, clock, after: place.rows / 2) },
        "first-page": { place, clock in try await pages(place, clock, after: 0) },
    ]

    /// As many babies as there are feeds for.
    private static func relativeBabies(_ place: Place) -> Int { max(1, place.rows / 100) }

    private static func relatives(_ place: Place) async throws -> any Store {
        let exists = FileManager.default.fileExists(atPath: place.file("related.sqlite"))
        let store = try await Feeds.store(place, "related.sqlite", filled: false)
        guard !exists else { return store }
        try await store.write { tx in
            for number in 0..<relativeBabies(place) {
                let baby = BabyProfile(
                    id: Feeds.identifier(number + 1), name: "Baby \(number)", createdAt: Feeds.start,
                    feedTerm: 10_800)
                try tx.insert(baby)
                try tx.insert(
                    contentsOf: (0..<100).map { index in
                        var feed = Feeds.feed(number * 100 + index)
                        feed.profile = baby.id
                        return feed
                    })
                try tx.insert(
                    contentsOf: (0..<30).map { index in
                        DiaperChange(
                            id: Feeds.identifier(number * 30 + index + 1),
                            timestamp: Feeds.start.addingTimeInterval(Double(index) * 600), type: .pee,
                            memoText: nil, profile: baby.id)
                    })
            }
        }
        return store
    }

    /// Reads a hundred pages that begin at one place of the list, each with the babies of its feeds.
    private static func pages(_ place: Place, _ clock: StopWatch, after count: Int) async throws {
        let store = try await relatives(place)
        let query = FeedSession.sorted(by: \.startTime)
        let cursor =
            try count == 0
            ? nil : await store.read { try $0.page(query, size: count) }.next
        let found = try await clock.time {
            var found = 0
            for _ in 0..<100 {
                found += try await store.read { tx in
                    try tx.page(query, size: 20, after: cursor, including: .one(\.profile))
                }.items.count
            }
            return found
        }
        try require(found, 2_000)
    }
}
