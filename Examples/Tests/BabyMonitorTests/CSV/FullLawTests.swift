import BabyMonitorKit
import Foundation
import MemoryStore
import Switchyard
import SwitchyardCSV
import SwitchyardCore
import TestBackends
import Testing

/// One store that a history comes from, and one that it goes to.
struct StorePair: CustomTestStringConvertible {
    let source: TestBackend
    let target: TestBackend

    static let all = TestBackend.available.flatMap { source in
        TestBackend.available.map { StorePair(source: source, target: $0) }
    }

    var testDescription: String { "\(source.rawValue) to \(target.rawValue)" }
}

/// All four exports of a history.
struct HistoryExports: Equatable {
    let feeds: String
    let diapers: String
    let legacyFeeds: String
    let legacyDiapers: String

    init(of store: any Store) async throws {
        let service = HistoryCSVService(store: store)
        feeds = try await service.exportText(.feeds, format: .full)
        diapers = try await service.exportText(.diapers, format: .full)
        legacyFeeds = try await service.exportText(.feeds)
        legacyDiapers = try await service.exportText(.diapers)
    }

    /// Imports the full files.
    func restore(into store: any Store) async throws -> (feeds: ImportReport, diapers: ImportReport) {
        let service = HistoryCSVService(store: store)
        return (
            try await service.importText(.feeds, feeds), try await service.importText(.diapers, diapers)
        )
    }
}

@Suite("Full files after export, import into an empty store and export")
struct FullLawTests {
    /// What is hard to keep: every attribute absent, empty or odd, and events of nobody.
    private func addOddRows(to store: any Store) async throws {
        let start = Timestamp.date(microseconds: 1_762_454_079_946_001)
        try await store.write { transaction in
            let odd = try transaction.insert(
                BabyProfile(name: " \"Åsa\",\r\n#1 ", createdAt: start, feedTerm: 0.1))
            // A name that another baby has, and one that is empty.
            let twin = try transaction.insert(BabyProfile(name: odd.name, createdAt: start, feedTerm: 1e300))
            let nameless = try transaction.insert(BabyProfile(name: "", createdAt: start))
            for (index, baby) in [odd.id, twin.id, nameless.id, nil].enumerated() {
                let time = start.addingTimeInterval(Double(index))
                try transaction.insert(
                    FeedSession(
                        startTime: time, endTime: time.addingTimeInterval(-1), amountValue: 0.1 + 0.2,
                        amountUnitSymbol: "", feedType: nil, memoText: "", profile: baby))
                try transaction.insert(
                    FeedSession(
                        startTime: time, amountValue: -1e-300, amountUnitSymbol: "schoppen", feedType: .solid,
                        memoText: "a,b\n\"c\"\r\td\u{301}é 🍼\n", profile: baby))
                try transaction.insert(
                    DiaperChange(timestamp: time, type: .poo, memoText: " ", profile: baby))
            }
        }
    }

    @Test(
        "full files survive a round trip with more babies, longer memos and wider times than the app makes",
        arguments: TestBackend.available)
    func wide(backend: TestBackend) async throws {
        let source = MemoryStore(schema: try BabyMonitorSchema.schema)
        try await source.write { transaction in
            let end = Timestamp.date(microseconds: Timestamp.range.upperBound)
            let babies = try (1...1100).map { number in
                try transaction.insert(
                    BabyProfile(name: "Baby \(number)", createdAt: end, feedTerm: 1e308))
            }
            let memo = String(repeating: "slept, \"well\"\n", count: 100_000)
            for baby in babies {
                try transaction.insert(
                    FeedSession(
                        startTime: end, memoText: baby.id == babies[0].id ? memo : nil, profile: baby.id))
            }
        }
        let exports = try await HistoryExports(of: source)
        #expect(exports.legacyFeeds.contains("Baby 1,9999-12-31T23:59:59.999Z,"))
        try await backend.withStore { (target: any Store) async throws in
            let (feeds, _) = try await exports.restore(into: target)
            #expect(feeds.createdBabies == 1100)
            #expect(feeds.insertedFeeds == 1100)
            #expect(try await HistoryExports(of: target) == exports)
        }
    }

    @Test("full files survive a round trip from any store to any other", arguments: StorePair.all)
    func law(pair: StorePair) async throws {
        try await pair.source.withStore { source in
            try await source.seed(
                SampleData(babies: 3, days: 7, endingAt: time("2025-11-06T12:00:00Z"), seed: 5))
            try await addOddRows(to: source)
            let exports = try await HistoryExports(of: source)
            #expect(exports.feeds.hasPrefix("id,startTime,"))
            try await pair.target.withStore { (target: any Store) async throws in
                let (feeds, diapers) = try await exports.restore(into: target)
                #expect(feeds.insertedFeeds == 3 * 7 * 6 + 8)
                #expect(feeds.createdBabies == 6)
                #expect(diapers.insertedDiapers == 3 * 7 * 10 + 4)
                #expect(diapers.createdBabies == 0)
                #expect(try await HistoryExports(of: target) == exports)
                #expect(try await target.check() == [])
                // A second time nothing is added.
                #expect(try await exports.restore(into: target).feeds.insertedFeeds == 0)
                #expect(try await HistoryExports(of: target) == exports)
            }
        }
    }

    @Test(
        "a real file is the same on every store, in both formats",
        .enabled(if: RealFileTests.isThere, "the shared data is not there"))
    func realFile() async throws {
        let options = ImportOptions(createsBabies: true)
        var exports: HistoryExports?
        try await TestBackend.memory.withStore { store in
            let report = try await HistoryCSVService(store: store).importFile(
                .feeds, from: try .file(RealFileTests.path), options: options)
            #expect(report.insertedFeeds == 148)
            #expect(report.createdBabies == 3)
            exports = try await HistoryExports(of: store)
        }
        let expected = try #require(exports)
        for backend in TestBackend.available {
            try await backend.withStore { (store: any Store) async throws in
                _ = try await expected.restore(into: store)
                #expect(try await HistoryExports(of: store) == expected, "\(backend)")
            }
            // Ids are made anew where a legacy file is imported, so the legacy export is what is equal.
            try await backend.withStore { (store: any Store) async throws in
                let service = HistoryCSVService(store: store)
                _ = try await service.importFile(
                    .feeds, from: try .file(RealFileTests.path), options: options)
                #expect(try await service.exportText(.feeds) == expected.legacyFeeds, "\(backend)")
            }
        }
    }
}
