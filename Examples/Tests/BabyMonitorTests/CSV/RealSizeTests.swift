import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCSV
import TestBackends
import Testing

/// The history of two babies over a year, 4,380 feeds and 7,300 diaper changes, as it is really kept; by night over three.
@Suite("A history of real size")
struct RealSizeTests {
    private static let days = Nightly.isOn ? 1095 : 365
    private static let seed: UInt64 = 20_261_121

    private func sample() async throws -> HistoryExports {
        var exports: HistoryExports?
        try await TestBackend.memory.withStore { store in
            try await store.seed(
                SampleData(
                    babies: 2, days: Self.days, endingAt: time("2025-11-06T12:00:00Z"), seed: Self.seed))
            exports = try await HistoryExports(of: store)
        }
        return try #require(exports)
    }

    @Test("a history of real size is the same on every store, from legacy files and from full ones")
    func everyStore() async throws {
        let exports = try await sample()
        let (feeds, diapers) = Nightly.isOn ? (13_140, 21_900) : (4_380, 7_300)
        #expect(exports.legacyFeeds.split(separator: "\n").count == feeds + 1, "seed \(Self.seed)")
        #expect(exports.legacyDiapers.split(separator: "\n").count == diapers + 1, "seed \(Self.seed)")
        for backend in TestBackend.available {
            try await backend.withStore { (store: any Store) async throws in
                let reports = try await exports.restore(into: store)
                #expect(reports.feeds.insertedFeeds == feeds, "\(backend), seed \(Self.seed)")
                #expect(reports.diapers.insertedDiapers == diapers, "\(backend), seed \(Self.seed)")
                #expect(try await HistoryExports(of: store) == exports, "\(backend), seed \(Self.seed)")
            }
            try await backend.withStore { (store: any Store) async throws in
                let service = HistoryCSVService(store: store)
                let options = ImportOptions(createsBabies: true)
                let fed = try await service.importText(.feeds, exports.legacyFeeds, options)
                #expect(fed.insertedFeeds == feeds, "\(backend), seed \(Self.seed)")
                let changed = try await service.importText(.diapers, exports.legacyDiapers, options)
                #expect(changed.insertedDiapers == diapers, "\(backend), seed \(Self.seed)")
                #expect(
                    try await service.exportText(.feeds) == exports.legacyFeeds,
                    "\(backend), seed \(Self.seed)")
                #expect(
                    try await service.exportText(.diapers) == exports.legacyDiapers,
                    "\(backend), seed \(Self.seed)")
                // The store's own export adds nothing to it.
                let again = try await service.importText(.feeds, exports.legacyFeeds, options)
                #expect(again.insertedFeeds == 0, "\(backend), seed \(Self.seed)")
                #expect(again.skippedFeeds == feeds, "\(backend), seed \(Self.seed)")
            }
        }
    }
}
