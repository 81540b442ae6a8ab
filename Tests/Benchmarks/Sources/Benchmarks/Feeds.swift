import BabyMonitorKit
import Foundation
import SQLiteStore
import Switchyard
import SwitchyardCore

/// The rows that everything is measured with: feeds of two babies, one each minute, the same in every run.
enum Feeds {
    static let babies = [
        BabyProfile(id: identifier(1), name: "Mia", createdAt: start, feedTerm: 10_800),
        BabyProfile(id: identifier(2), name: "Leo", createdAt: start, feedTerm: 10_800),
    ]
    static let start = Date(timeIntervalSince1970: 1_500_000_000)

    static func identifier<Entity>(_ number: Int) -> Identifier<Entity> {
        let bytes = withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
        return Identifier(
            UUID(
                uuid: (
                    1, 0x90, 0, 0, 0, 0, 0x70, 0, bytes[0] | 0x80, bytes[1], bytes[2], bytes[3], bytes[4],
                    bytes[5],
                    bytes[6], bytes[7]
                )))
    }

    static func feed(_ number: Int) -> FeedSession {
        let begin = start.addingTimeInterval(Double(number) * 60)
        return FeedSession(
            id: identifier(number + 1_000), startTime: begin,
            endTime: begin.addingTimeInterval(900), amountValue: Double(60 + number % 120),
            amountUnitSymbol: "mL",
            feedType: .babyFormula, memoText: number.isMultiple(of: 8) ? "slept well after #nap" : nil,
            profile: babies[number % 2].id)
    }

    static func all(_ count: Int) -> some Sequence<FeedSession> { (0..<count).lazy.map(feed) }

    /// The first rows with another amount.
    static func changed(_ count: Int) -> [FeedSession] {
        all(count).map { feed in
            var feed = feed
            feed.amountValue = (feed.amountValue ?? 0) + 1
            return feed
        }
    }

    /// The store of a run, filled once.
    static func store(
        _ place: Place, _ name: String = "feeds.sqlite", filled: Bool = true, keepsHistory: Bool = false
    ) async throws -> any Store {
        let path = place.file(name)
        let exists = FileManager.default.fileExists(atPath: path)
        let store = try await SQLitePlugin.open(
            try StoreSettings(["path": path], for: SQLitePlugin.self), schema: BabyMonitorSchema.schema,
            options: OpenOptions(keepsHistory: keepsHistory))
        if !exists, filled {
            let rows = place.rows
            try await store.write { tx in
                try tx.insert(contentsOf: babies)
                try tx.insert(contentsOf: all(rows))
            }
        }
        return store
    }
}
