import BabyMonitorKit
import Foundation
import MemoryStore
import SwitchyardCore
import Testing

@Suite("Times without a zone in the app's own files")
struct ZonelessTimeTests {
    private func times(
        _ texts: [String], _ zone: String? = nil, _ repeated: RepeatedTime = .refused
    ) async throws -> (times: [Date], report: ImportReport) {
        let store = MemoryStore(schema: try BabyMonitorSchema.schema)
        _ = try await store.add("Mia")
        let report = try await HistoryCSVService(store: store).importText(
            .feeds, texts.map { "Mia,\($0),1,mL" }.joined(separator: "\n"),
            ImportOptions(
                skipsInvalidRows: true, timeZone: zone.flatMap { TimeZone(identifier: $0) },
                repeatedTime: repeated))
        return (try await store.feeds().map(\.startTime), report)
    }

    @Test("times without a zone are invalid, and the report lists the accepted forms")
    func refused() async throws {
        let (times, report) = try await times([
            "2025-11-06T18:34:39", "2025-11-06 18:34", "6.11.2025 18:34", "2025-11-06", "2025-11-06T18:00Z",
        ])
        #expect(times == [])
        #expect(
            report.errors == [
                "Line 1: invalid timestamp '2025-11-06T18:34:39' (without a zone)",
                "Line 2: invalid timestamp '2025-11-06 18:34' (without a zone)",
                "Line 3: invalid timestamp '6.11.2025 18:34'", "Line 4: invalid timestamp '2025-11-06'",
                "Line 5: invalid timestamp '2025-11-06T18:00Z'",
            ])
        #expect(report.advice == [.timestamps, .timeZone])
        #expect(
            report.advice.map(\.description) == [
                "Write timestamps as 2025-11-06T18:34:39Z, 2025-11-06T18:34:39.946Z or 2025-11-06 18:34:39+09:00.",
                "Timestamps without a zone, such as 2025-11-06T18:34:39 or 2025-11-06 18:34, need the zone of their clocks.",
            ])
    }

    @Test("times without a zone are local times of the given zone, beside times with a zone")
    func zone() async throws {
        let (times, report) = try await times(
            ["2025-11-06T18:34:39.946", "2025-11-06 18:35", "2025-07-06 18:34:39", "2025-11-06T18:34:39Z"],
            "Europe/Berlin")
        #expect(report.errors == [])
        #expect(
            times == [
                time("2025-07-06T16:34:39Z"), time("2025-11-06T17:34:39.946Z"), time("2025-11-06T17:35:00Z"),
                time("2025-11-06T18:34:39Z"),
            ])
    }

    @Test("local times that clocks show twice are invalid, or the first or the second by choice")
    func repeated() async throws {
        let text = "2026-11-01 01:30:00"
        let refused = try await times([text], "America/New_York")
        #expect(refused.times == [])
        #expect(
            refused.report.errors == [
                "Line 1: invalid timestamp '2026-11-01 01:30:00' (clocks showed it twice)"
            ])
        #expect(refused.report.advice == [.repeatedTime])
        #expect(
            try await times([text], "America/New_York", .first).times == [time("2026-11-01T05:30:00Z")])
        #expect(
            try await times([text], "America/New_York", .second).times == [time("2026-11-01T06:30:00Z")])
    }

    @Test("local times that clocks skip are invalid", arguments: RepeatedTime.allCases)
    func skipped(repeated: RepeatedTime) async throws {
        let (times, report) = try await times(["2026-03-08 02:30"], "America/New_York", repeated)
        #expect(times == [])
        #expect(report.errors == ["Line 1: invalid timestamp '2026-03-08 02:30' (clocks skipped it)"])
    }
}
