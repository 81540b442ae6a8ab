import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCSV
import TestBackends
import Testing

extension HistoryCSVService {
    func importText(
        _ kind: HistoryCSVKind, _ text: String, _ options: ImportOptions = ImportOptions()
    ) async throws -> ImportReport {
        try await importFile(kind, from: .bytes(Array(text.utf8)), options: options)
    }
}

@Suite("The app's own files")
struct LegacyFileTests {
    @Test(
        "legacy files are written newest first, without a newline at the end, quoted only if needed",
        arguments: TestBackend.available)
    func export(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let babies = try await store.add("Mia", "Noah, \"the\" second", "하나\nwith a line")
            try await store.write { transaction in
                try transaction.insert(contentsOf: [
                    FeedSession(
                        startTime: time("2025-11-06T18:34:39.946Z"), endTime: time("2025-11-06T18:40:00Z"),
                        amountValue: 80, amountUnitSymbol: "mL", feedType: .babyFormula, profile: babies[0].id
                    ),
                    FeedSession(
                        startTime: time("2025-11-06T19:00:00Z"), amountValue: 4.25, amountUnitSymbol: "fl oz",
                        feedType: .solid, memoText: "lost", profile: babies[1].id),
                    FeedSession(startTime: time("2024-02-29T00:00:00.001Z"), profile: babies[2].id),
                    FeedSession(startTime: time("2025-11-06T20:00:00Z"), feedType: .breastFeed),
                ])
                try transaction.insert(contentsOf: [
                    DiaperChange(
                        timestamp: time("2025-11-06T18:34:39.946Z"), type: .pee, profile: babies[0].id),
                    DiaperChange(timestamp: time("2025-11-06T18:34:40Z"), type: .poo),
                ])
            }
            let service = HistoryCSVService(store: store)
            #expect(
                try await service.exportText(.feeds) == """
                    babyName,timestamp,amountValue,amountUnit,feedType
                    ,2025-11-06T20:00:00.000Z,,,breastFeed
                    "Noah, ""the"" second",2025-11-06T19:00:00.000Z,4.25,fl oz,solid
                    Mia,2025-11-06T18:34:39.946Z,80.0,mL,babyFormula
                    "하나
                    with a line",2024-02-29T00:00:00.001Z,,,
                    """)
            #expect(
                try await service.exportText(.diapers) == """
                    babyName,timestamp,diaperType
                    ,2025-11-06T18:34:40.000Z,poo
                    Mia,2025-11-06T18:34:39.946Z,pee
                    """)
        }
    }

    @Test("the legacy file of an empty store is a header", arguments: TestBackend.available)
    func exportEmpty(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let service = HistoryCSVService(store: store)
            let feeds = try await service.exportText(.feeds)
            #expect(feeds == "babyName,timestamp,amountValue,amountUnit,feedType")
            let diapers = try await service.exportText(.diapers)
            #expect(diapers == "babyName,timestamp,diaperType")
        }
    }

    @Test("legacy files become feeds that end when they began", arguments: TestBackend.available)
    func importFeeds(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let mia = try await store.add("Mia")[0]
            let report = try await HistoryCSVService(store: store).importText(
                .feeds,
                """
                babyName,timestamp,amountValue,amountUnit,feedType
                Mia,2025-11-06T18:34:39.946Z,80.0,mL,breastFeed
                 mIA ,2025-11-06T17:00:00.000Z, 4 ,Fluid Ounces,
                Mia,2025-11-06T16:00:00.000Z,,,
                Mia,2025-11-06T15:00:00.000Z,1,
                ,2025-11-06T14:00:00.000Z
                """)
            var expected = ImportReport()
            expected.insertedFeeds = 5
            #expect(report == expected)
            let feeds = try await store.feeds().reversed().map(\.self)
            #expect(feeds.map(\.profile) == [mia.id, mia.id, mia.id, mia.id, nil])
            #expect(
                feeds.map(\.startTime) == [
                    time("2025-11-06T18:34:39.946Z"), time("2025-11-06T17:00:00Z"),
                    time("2025-11-06T16:00:00Z"),
                    time("2025-11-06T15:00:00Z"), time("2025-11-06T14:00:00Z"),
                ])
            #expect(feeds.map(\.endTime) == feeds.map(\.startTime))
            #expect(feeds.map(\.amountValue) == [80, 4, nil, 1, nil])
            #expect(feeds.map(\.amountUnitSymbol) == ["mL", "fl oz", nil, nil, nil])
            #expect(
                feeds.map(\.feedType) == [
                    .breastFeed, .babyFormula, .babyFormula, .babyFormula, .babyFormula,
                ])
            #expect(feeds[3].amount?.unit == .milliliters)
        }
    }

    @Test("legacy files become diaper changes", arguments: TestBackend.available)
    func importDiapers(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let mia = try await store.add("Mia")[0]
            let report = try await HistoryCSVService(store: store).importText(
                .diapers,
                """
                babyName,timestamp,diaperType
                Mia,2025-11-06T18:34:39.946Z,pee
                Mia,2025-11-06T18:34:39.946Z,poo
                Mia,2025-11-06T18:34:39.946Z,PEE
                Leo,2025-11-06T18:34:39.946Z,pee
                """)
            var expected = ImportReport()
            expected.insertedDiapers = 2
            expected.skippedDiapers = 2
            expected.skippedUnknownBabies = ["Leo"]
            #expect(report == expected)
            let changes = try await store.diaperChanges()
            #expect(changes.map(\.profile) == [mia.id, mia.id])
            #expect(Set(changes.map(\.type)) == [.pee, .poo])
            #expect(
                changes.map(\.timestamp) == [
                    time("2025-11-06T18:34:39.946Z"), time("2025-11-06T18:34:39.946Z"),
                ])
        }
    }

    @Test("legacy files need no header, and accept one in any case")
    func header() async throws {
        for (text, count) in [
            ("Mia,2025-11-06T18:34:39.946Z,1,mL", 1),
            (" BABYNAME ,timestamp\nMia,2025-11-06T18:34:39.946Z,1,mL", 1),
            ("babyName,timestamp,amountValue,amountUnit", 0), ("", 0), ("\n\n", 0),
            ("babyName,timestamp\n\nMia,2025-11-06T18:34:39.946Z\n\n", 1),
        ] {
            try await TestBackend.memory.withStore { store in
                _ = try await store.add("Mia")
                let report = try await HistoryCSVService(store: store).importText(.feeds, text)
                #expect(report.insertedFeeds == count, "\(text.debugDescription)")
            }
        }
    }

    @Test("a legacy file of the other kind is refused by its header")
    func otherKind() async throws {
        try await TestBackend.memory.withStore { store in
            _ = try await store.add("Mia")
            let service = HistoryCSVService(store: store)
            for (kind, text) in [
                (HistoryCSVKind.feeds, "babyName,timestamp,diaperType\nMia,2025-11-06T18:34:39.946Z,pee"),
                (.diapers, "babyName,timestamp,amountValue,amountUnit\nMia,2025-11-06T18:34:39.946Z,80.0,mL"),
            ] {
                await #expect {
                    try await service.importText(kind, text)
                } throws: { error in
                    (error as? BabyMonitorError)?.code == .unknownFormat
                }
            }
            #expect(try await store.feeds().isEmpty)
        }
    }

    @Test("legacy files can be in UTF-16 with a byte order mark")
    func utf16() async throws {
        try await TestBackend.memory.withStore { store in
            _ = try await store.add("하나")
            var bytes: [UInt8] = [0xFF, 0xFE]
            for unit in "babyName,timestamp\r\n하나,2025-11-06T18:34:39.946Z\r\n".utf16 {
                bytes += [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            }
            let report = try await HistoryCSVService(store: store).importFile(.feeds, from: .bytes(bytes))
            #expect(report.insertedFeeds == 1)
        }
    }

    @Test("legacy files add a missing amount to a known feed, once", arguments: TestBackend.available)
    func updates(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let mia = try await store.add("Mia")[0]
            try await store.write { transaction in
                try transaction.insert(
                    FeedSession(startTime: time("2025-11-06T18:00:00Z"), memoText: "kept", profile: mia.id))
                try transaction.insert(
                    FeedSession(
                        startTime: time("2025-11-06T19:00:00Z"), amountValue: 90, amountUnitSymbol: "mL",
                        profile: mia.id))
            }
            let text = """
                babyName,timestamp,amountValue,amountUnit,feedType
                Mia,2025-11-06T20:00:00.000Z,,,
                Mia,2025-11-06T19:00:00.000Z,70.0,mL,solid
                Mia,2025-11-06T18:00:00.000Z,60.0,ml,solid
                Mia,2025-11-06T18:00:00.000Z,50.0,ml,solid
                Mia,2025-11-06T20:00:00.000Z,40.0,cups,
                Mia,2025-11-06T20:00:00.000Z,30.0,cups,
                """
            var expected = ImportReport()
            expected.insertedFeeds = 1
            expected.updatedFeeds = 2
            expected.skippedFeeds = 3
            #expect(try await HistoryCSVService(store: store).importText(.feeds, text) == expected)
            let feeds = try await store.feeds()
            #expect(feeds.map(\.amountValue) == [60, 90, 40])
            #expect(feeds.map(\.amountUnitSymbol) == ["mL", "mL", "cup"])
            #expect(feeds.map(\.memoText) == ["kept", nil, nil])
            #expect(feeds.map(\.feedType) == [nil, nil, .babyFormula])
            #expect(feeds[0].endTime == nil)
        }
    }

    @Test("unknown babies in legacy files are skipped and reported once", arguments: TestBackend.available)
    func unknownNames(backend: TestBackend) async throws {
        try await backend.withStore { store in
            _ = try await store.add("Mia")
            let report = try await HistoryCSVService(store: store).importText(
                .feeds,
                """
                Leo,2025-11-06T18:00:00.000Z,1,mL
                Mia,2025-11-06T18:00:00.000Z,1,mL
                Leo,2025-11-06T19:00:00.000Z,1,mL
                Ada,2025-11-06T19:00:00.000Z,1,mL
                """)
            var expected = ImportReport()
            expected.insertedFeeds = 1
            expected.skippedFeeds = 3
            expected.skippedUnknownBabies = ["Leo", "Ada"]
            #expect(report == expected)
            #expect(try await store.babies().count == 1)
        }
    }

    @Test("legacy files create babies on request, one for each name", arguments: TestBackend.available)
    func createsBabies(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let clock = TestClock("2025-12-01T00:00:00Z")
            let report = try await HistoryCSVService(store: store, now: clock.read).importText(
                .feeds,
                """
                 Leo ,2025-11-06T18:00:00.000Z,1,mL
                LEO,2025-11-06T19:00:00.000Z,1,mL
                Ada,2025-11-06T20:00:00.000Z,1,mL
                """, ImportOptions(createsBabies: true))
            var expected = ImportReport()
            expected.createdBabies = 2
            expected.insertedFeeds = 3
            #expect(report == expected)
            let babies = try await store.babies()
            #expect(babies.map(\.name) == ["Ada", "Leo"])
            #expect(babies.map(\.createdAt) == [time("2025-12-01T00:00:00Z"), time("2025-12-01T00:00:00Z")])
            #expect(try await store.feeds().map(\.profile) == [babies[1].id, babies[1].id, babies[0].id])
        }
    }

    @Test(
        "legacy files prefer the baby with exactly the name, then the one that was added first",
        arguments: TestBackend.available)
    func namesakes(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let babies = try await store.add("mia", "Mia", "Mia")
            let service = HistoryCSVService(store: store)
            _ = try await service.importText(
                .feeds,
                """
                Mia,2025-11-06T20:00:00.000Z
                mia,2025-11-06T19:00:00.000Z
                MIA,2025-11-06T18:00:00.000Z
                """)
            let feeds = try await store.feeds()
            #expect(feeds.map(\.profile) == [babies[0].id, babies[0].id, babies[1].id])
        }
    }

    @Test("legacy files match a name in composed and decomposed letters")
    func canonicalNames() async throws {
        try await TestBackend.memory.withStore { store in
            _ = try await store.add("Zo\u{EB}")
            let report = try await HistoryCSVService(store: store).importText(
                .feeds, "zoe\u{308},2025-11-06T20:00:00.000Z")
            #expect(report.insertedFeeds == 1)
        }
    }

    @Test(
        "a dry run of a legacy file writes nothing, and reports everything", arguments: TestBackend.available)
    func dryRun(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let service = HistoryCSVService(store: store)
            let report = try await service.importText(
                .feeds,
                """
                Leo,2025-11-06T18:00:00.000Z,1,mL
                Leo,x,1,mL
                Leo,2025-11-06T18:00:00.000Z,1,mL
                """, ImportOptions(createsBabies: true, isDryRun: true))
            var expected = ImportReport()
            expected.createdBabies = 1
            expected.insertedFeeds = 1
            expected.skippedFeeds = 1
            expected.errors = ["Line 2: invalid timestamp 'x'"]
            expected.errorCount = 1
            expected.advice = [.timestamps]
            #expect(report == expected)
            #expect(try await store.feeds().isEmpty)
            #expect(try await store.babies().isEmpty)
        }
    }

    @Test("the report on a legacy file is JSON with the app's names")
    func json() throws {
        var report = ImportReport()
        report.insertedFeeds = 3
        report.skippedUnknownBabies = ["Leo"]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(
            String(decoding: try encoder.encode(report), as: UTF8.self)
                == #"{"advice":[],"createdBabies":0,"errorCount":0,"errors":[],"insertedDiapers":0,"insertedFeeds":3,"#
                + #""skippedDiapers":0,"skippedFeeds":0,"skippedInvalidRows":0,"skippedUnknownBabies":["Leo"],"#
                + #""unknownFeedTypeRows":0,"unknownFeedTypes":[],"unknownUnitRows":0,"unknownUnits":[],"#
                + #""updatedDiapers":0,"updatedFeeds":0}"#
        )
    }
}
