import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCSV
import TestBackends
import Testing

@Suite("A real file")
struct RealFileTests {
    static let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "../../shared/data/babymonitor/feeds-148.csv").standardizedFileURL.path

    static var isThere: Bool { FileManager.default.fileExists(atPath: path) }

    @Test(
        "the real file has 148 feeds of two babies, and of a third in its last row",
        .enabled(if: isThere, "the shared data is not there"), arguments: TestBackend.available)
    func knownBabies(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let babies = try await store.add("하나", "두리")
            let service = HistoryCSVService(store: store)
            var expected = ImportReport()
            expected.insertedFeeds = 147
            expected.skippedFeeds = 1
            expected.skippedUnknownBabies = ["세찬"]
            #expect(try await service.importFile(.feeds, from: try .file(Self.path)) == expected)
            let feeds = try await store.feeds()
            #expect(feeds.count { $0.profile == babies[0].id } == 76)
            #expect(feeds.count { $0.profile == babies[1].id } == 71)
            #expect(feeds.allSatisfy { $0.feedType == .babyFormula && $0.endTime == $0.startTime })
        }
    }

    @Test(
        "the real file is exported unchanged, with the column that it lacked",
        .enabled(if: isThere, "the shared data is not there"), arguments: TestBackend.available)
    func roundTrip(backend: TestBackend) async throws {
        let original = try String(contentsOfFile: Self.path, encoding: .utf8)
        #expect(!original.hasSuffix("\n"))
        let lines = original.split(separator: "\n")
        #expect(lines.count == 149)
        try await backend.withStore { store in
            let service = HistoryCSVService(store: store)
            let options = ImportOptions(createsBabies: true)
            let report = try await service.importFile(.feeds, from: try .file(Self.path), options: options)
            #expect(report.createdBabies == 3)
            #expect(report.insertedFeeds == 148)
            let export = try await service.exportText(.feeds)
            let expected = [lines[0] + ",feedType"] + lines.dropFirst().map { $0 + ",babyFormula" }
            #expect(export == expected.joined(separator: "\n"))
            let again = try await service.importText(.feeds, export, options)
            #expect(again.insertedFeeds == 0)
            #expect(again.updatedFeeds == 0)
            #expect(again.skippedFeeds == 148)
        }
    }
}
