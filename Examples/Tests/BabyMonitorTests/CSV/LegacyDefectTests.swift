import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCSV
import SwitchyardCore
import TestBackends
import Testing

@Suite("Defects of the original app")
struct LegacyDefectTests {
    @Test("CRLF and CR end a row of a legacy file", arguments: ["\n", "\r\n", "\r"])
    func lineEnds(end: String) async throws {
        try await TestBackend.memory.withStore { store in
            _ = try await store.add("Mia")
            let rows = [
                "babyName,timestamp,amountValue,amountUnit,feedType",
                "Mia,2025-11-06T18:00:00.000Z,80.0,mL,solid",
                "Mia,2025-11-06T19:00:00.000Z,90.0,mL,breastFeed", "",
            ]
            let report = try await HistoryCSVService(store: store).importText(
                .feeds, rows.joined(separator: end))
            #expect(report.insertedFeeds == 2)
            #expect(try await store.feeds().map(\.feedType) == [.solid, .breastFeed])
        }
    }

    @Test(
        "an import of one's own export adds nothing, although stores keep microseconds",
        arguments: TestBackend.available)
    func ownExport(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let babies = try await store.add("Mia", "mia", "", "Noah")
            try await store.write { transaction in
                for (index, profile) in (babies.map { Optional($0.id) } + [nil]).enumerated() {
                    // Two within one millisecond, one at its last microsecond, one before 1970.
                    for microseconds: Int64 in [
                        1_762_454_079_946_001, 1_762_454_079_946_700, 1_762_454_080_000_999, -1_500_001,
                    ] {
                        let date = Timestamp.date(microseconds: microseconds)
                        try transaction.insert(
                            FeedSession(
                                startTime: date, endTime: date, amountValue: index == 0 ? 80 : nil,
                                amountUnitSymbol: "mL", profile: profile))
                        try transaction.insert(DiaperChange(timestamp: date, type: .poo, profile: profile))
                    }
                }
            }
            let service = HistoryCSVService(store: store)
            let feeds = try await service.exportText(.feeds)
            let diapers = try await service.exportText(.diapers)
            var expected = ImportReport()
            expected.skippedFeeds = 20
            #expect(try await service.importText(.feeds, feeds) == expected)
            expected = ImportReport()
            expected.skippedDiapers = 20
            #expect(try await service.importText(.diapers, diapers) == expected)
            #expect(try await service.exportText(.feeds) == feeds)
            #expect(try await service.exportText(.diapers) == diapers)
        }
    }

    @Test("a time finer than milliseconds is not merged with its neighbours")
    func microseconds() async throws {
        try await TestBackend.memory.withStore { store in
            _ = try await store.add("Mia")
            let service = HistoryCSVService(store: store)
            let report = try await service.importText(
                .feeds,
                """
                Mia,2025-11-06T18:00:00.000Z
                Mia,2025-11-06T18:00:00.000001Z
                Mia,2025-11-06T18:00:00.000001Z
                Mia,2025-11-06T18:00:00Z
                """)
            #expect(report.insertedFeeds == 2)
            #expect(report.skippedFeeds == 2)
        }
    }

    @Test(
        "a time needs no fraction, and may have a zone",
        arguments: ["2025-11-06T18:00:00Z", "2025-11-06T18:00:00.0Z", "2025-11-07T03:00:00+09:00"])
    func noFraction(text: String) async throws {
        try await TestBackend.memory.withStore { store in
            _ = try await store.add("Mia")
            let report = try await HistoryCSVService(store: store).importText(.feeds, "Mia,\(text),1,mL")
            #expect(report.insertedFeeds == 1)
            #expect(try await store.feeds().map(\.startTime) == [time("2025-11-06T18:00:00Z")])
        }
    }

    @Test("a row with a fault in a later column creates no baby", arguments: [false, true])
    func noBaby(skips: Bool) async throws {
        try await TestBackend.memory.withStore { store in
            let service = HistoryCSVService(store: store)
            let options = ImportOptions(createsBabies: true, skipsInvalidRows: skips)
            let text = "Leo,2025-11-06T18:00:00.000Z,lots,mL\nAda,never\nMia,2025-11-06T18:00:00.000Z,1,mL"
            if skips {
                let report = try await service.importText(.feeds, text, options)
                #expect(report.createdBabies == 1)
                #expect(report.insertedFeeds == 1)
                #expect(try await store.babies().map(\.name) == ["Mia"])
            } else {
                await #expect(throws: ImportRefusal.self) {
                    try await service.importText(.feeds, text, options)
                }
                #expect(try await store.babies().isEmpty)
            }
        }
    }

    @Test("an import that fails half-way leaves nothing", arguments: TestBackend.available)
    func halfWay(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let service = HistoryCSVService(store: store)
            var text = "babyName,timestamp,amountValue,amountUnit,feedType\n"
            // Three full batches, and a part of one.
            for minute in 0..<12_500 {
                text +=
                    "Leo,\(time("2025-01-01T00:00:00Z").addingTimeInterval(Double(minute) * 60).formatted(.iso8601)),1,mL,\n"
            }
            // The reader is the same for every backend.
            for ending in backend == .memory ? ["Leo,\"unclosed", "Leo,\u{0}", "Leo,x"] : ["Leo,\"unclosed"] {
                await #expect(throws: (any Error).self) {
                    try await service.importText(.feeds, text + ending, ImportOptions(createsBabies: true))
                }
                #expect(try await store.feeds().isEmpty)
                #expect(try await store.babies().isEmpty)
            }
            let report = try await service.importText(.feeds, text, ImportOptions(createsBabies: true))
            #expect(report.insertedFeeds == 12_500)
            #expect(try await service.importText(.feeds, text).skippedFeeds == 12_500)
        }
    }

    @Test(
        "wrong rows are named by line, and refuse the file unless they are to be skipped",
        arguments: TestBackend.available)
    func errors(backend: TestBackend) async throws {
        try await backend.withStore { store in
            _ = try await store.add("Mia")
            let service = HistoryCSVService(store: store)
            let text = """
                babyName,timestamp,amountValue,amountUnit,feedType
                Mia,2025-11-06T18:00:00.000Z,80.0,mL,
                Mia, yesterday ,80.0,mL,
                "Mia",2025-02-30T18:00:00.000Z,80.0,mL,

                Mia,,80.0,mL,
                Mia,2025-11-06T19:00:00.000Z,nan,mL,
                Leo,2025-11-06T19:00:00.000Z,1e999,mL,
                Mia,2025-11-06T20:00:00.000Z,90.0,mL,
                """
            let errors = [
                "Line 3: invalid timestamp 'yesterday'",
                "Line 4: invalid timestamp '2025-02-30T18:00:00.000Z'",
                "Line 6: invalid timestamp ''", "Line 7: invalid amountValue 'nan'",
                "Line 8: invalid amountValue '1e999'",
            ]
            await #expect {
                try await service.importText(.feeds, text)
            } throws: { error in
                guard let refusal = error as? ImportRefusal else { return false }
                var expected = ImportReport()
                expected.errors = errors
                expected.errorCount = 5
                expected.advice = [.timestamps]
                return refusal.report == expected
                    && refusal.description.hasPrefix(
                        "Nothing was imported, because 5 rows are invalid: Line 3: ")
            }
            #expect(try await store.feeds().isEmpty)
            let report = try await service.importText(.feeds, text, ImportOptions(skipsInvalidRows: true))
            #expect(report.errors == errors)
            #expect(report.insertedFeeds == 2)
            #expect(try await store.feeds().map(\.amountValue) == [80, 90])
        }
    }

    @Test("an unknown diaper type is an error, and so is a missing one")
    func diaperTypes() async throws {
        try await TestBackend.memory.withStore { store in
            _ = try await store.add("Mia")
            let report = try await HistoryCSVService(store: store).importText(
                .diapers,
                "Mia,2025-11-06T18:00:00.000Z,puddle\nMia,2025-11-06T18:00:00.000Z\nMia,2025-11-06T18:00:00.000Z,poo",
                ImportOptions(skipsInvalidRows: true))
            #expect(
                report.errors == ["Line 1: invalid diaperType 'puddle'", "Line 2: invalid diaperType ''"])
            #expect(report.insertedDiapers == 1)
        }
    }

    @Test("of a thousand errors some are listed and all are counted")
    func manyErrors() async throws {
        try await TestBackend.memory.withStore { store in
            let text = String(repeating: "Mia,x\n", count: 1500)
            await #expect {
                try await HistoryCSVService(store: store).importText(.feeds, text)
            } throws: { error in
                let report = (error as? ImportRefusal)?.report
                return report?.errors.count == 1000 && report?.errorCount == 1500
            }
        }
    }
}
