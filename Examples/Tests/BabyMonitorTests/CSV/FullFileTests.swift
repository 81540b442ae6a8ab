import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCSV
import SwitchyardCore
import TestBackends
import Testing

@Suite("Full files")
struct FullFileTests {
    private let header =
        "id,startTime,endTime,amountValue,amountUnitSymbol,feedType,memoText,profile,profile.name,profile.createdAt,"
        + "profile.feedTerm"

    @Test(
        "full files hold every attribute and the baby, and distinguish empty text from nil",
        arguments: TestBackend.available)
    func bytes(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let baby = try #require(BabyProfile.ID("019a540e-0000-7000-8000-000000000001"))
            let feed = try #require(FeedSession.ID("019a540e-0000-7000-8000-000000000002"))
            let other = try #require(FeedSession.ID("019a540e-0000-7000-8000-000000000003"))
            try await store.write { transaction in
                try transaction.insert(
                    BabyProfile(
                        id: baby, name: "Mia, \"M\"", createdAt: time("2025-10-01T00:00:00Z"), feedTerm: 9000)
                )
                try transaction.insert(
                    FeedSession(
                        id: feed, startTime: Timestamp.date(microseconds: 1_762_454_079_946_001),
                        endTime: time("2025-11-06T18:40:00Z"), amountValue: 80, amountUnitSymbol: "mL",
                        feedType: .solid, memoText: " two\nlines #a ", profile: baby))
                try transaction.insert(
                    FeedSession(id: other, startTime: time("2025-11-06T17:00:00Z"), memoText: ""))
            }
            let text = try await HistoryCSVService(store: store).exportText(.feeds, format: .full)
            #expect(
                text == """
                    \(header)
                    019a540e-0000-7000-8000-000000000002,2025-11-06T18:34:39.946001Z,2025-11-06T18:40:00.000Z,80.0,mL,solid,\
                    " two
                    lines #a ",019a540e-0000-7000-8000-000000000001,"Mia, ""M""\",2025-10-01T00:00:00.000Z,9000.0
                    019a540e-0000-7000-8000-000000000003,2025-11-06T17:00:00.000Z,,,,,"",,,,


                    """)
        }
    }

    @Test(
        "full files come back byte for byte from an empty store, ends, memos and ids included",
        arguments: TestBackend.available)
    func roundTrip(backend: TestBackend) async throws {
        try await backend.withStore { store in
            try await store.seed(SampleData(days: 40, endingAt: time("2025-11-06T12:00:00Z")))
            let service = HistoryCSVService(store: store)
            let feeds = try await service.exportText(.feeds, format: .full)
            let diapers = try await service.exportText(.diapers, format: .full)
            let original = try await store.feeds()
            try await backend.withStore { (empty: any Store) async throws in
                let copy = HistoryCSVService(store: empty)
                var expected = ImportReport()
                expected.createdBabies = 2
                expected.insertedFeeds = 480
                #expect(try await copy.importText(.feeds, feeds) == expected)
                expected = ImportReport()
                expected.insertedDiapers = 800
                #expect(try await copy.importText(.diapers, diapers) == expected)
                #expect(try await copy.exportText(.feeds, format: .full) == feeds)
                #expect(try await copy.exportText(.diapers, format: .full) == diapers)
                #expect(try await empty.feeds() == original)
                #expect(try await empty.babies() == store.babies())
                expected = ImportReport()
                expected.skippedFeeds = 480
                #expect(try await copy.importText(.feeds, feeds) == expected)
            }
        }
    }

    @Test(
        "full files restore a removed baby with its rows, and duplicate nothing",
        arguments: TestBackend.available)
    func removedBaby(backend: TestBackend) async throws {
        try await backend.withStore { store in
            try await store.seed(SampleData(days: 5, endingAt: time("2025-11-06T12:00:00Z")))
            let service = HistoryCSVService(store: store)
            let feeds = try await service.exportText(.feeds, format: .full)
            let diapers = try await service.exportText(.diapers, format: .full)
            let legacy = try await service.exportText(.feeds)
            let babies = try await store.babies()
            try await Dashboard(store: store).removeBaby(babies[0].id)

            var expected = ImportReport()
            expected.createdBabies = 1
            expected.updatedFeeds = 30
            expected.skippedFeeds = 30
            #expect(
                try await service.importText(.feeds, feeds, ImportOptions(isDryRun: true)) == expected)
            #expect(try await service.importText(.feeds, feeds) == expected)
            // The baby is there by now, but these rows have not got it back.
            expected = ImportReport()
            expected.updatedDiapers = 50
            expected.skippedDiapers = 50
            #expect(try await service.importText(.diapers, diapers) == expected)
            #expect(try await service.exportText(.feeds, format: .full) == feeds)
            #expect(try await service.exportText(.diapers, format: .full) == diapers)
            #expect(try await store.babies() == babies)

            expected = ImportReport()
            expected.skippedFeeds = 60
            #expect(try await service.importText(.feeds, legacy) == expected)
        }
    }

    @Test(
        "full files restore no baby for rows that now belong to another one", arguments: TestBackend.available
    )
    func otherBaby(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let babies = try await store.add("Mia", "Leo")
            let feed = FeedSession(startTime: time("2025-11-06T18:34:39Z"), profile: babies[0].id)
            try await store.write { try $0.insert(feed) }
            let service = HistoryCSVService(store: store)
            let text = try await service.exportText(.feeds, format: .full)
            try await store.write { transaction in
                var moved = feed
                moved.profile = babies[1].id
                try transaction.update(moved)
            }
            try await Dashboard(store: store).removeBaby(babies[0].id)
            var expected = ImportReport()
            expected.skippedFeeds = 1
            #expect(try await service.importText(.feeds, text) == expected)
            #expect(try await store.babies().map(\.name) == ["Leo"])
            #expect(try await store.feeds().map(\.profile) == [babies[1].id])
        }
    }

    @Test("a full file with a wrong row leaves nothing, not even its baby", arguments: TestBackend.available)
    func invalid(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let row =
                "019a540e-0000-7000-8000-000000000002,2025-11-06T18:34:39.946Z,,,,,,019a540e-0000-7000-8000-000000000001"
            let service = HistoryCSVService(store: store)
            let text =
                "\(header)\n\(row),Mia,2025-11-06T18:34:39.946Z,soon\n\(row),Mia,2025-11-06T18:34:39.946Z,1\nx\n\n"
            await #expect {
                try await service.importText(.feeds, text)
            } throws: { error in
                (error as? ImportRefusal)?.report.errors == [
                    "Line 2: invalid profile.feedTerm 'soon'", "Line 4: the row has 1 cells, the header 11",
                ]
            }
            let babies = try await store.babies()
            #expect(babies.isEmpty)
            let report = try await service.importText(.feeds, text, ImportOptions(skipsInvalidRows: true))
            #expect(report.createdBabies == 1)
            #expect(report.insertedFeeds == 1)
        }
    }

    @Test(
        "full files are recognised by their header, in any order of columns, and refused with a column too few or too many"
    )
    func headers() async throws {
        try await TestBackend.memory.withStore { (store: any Store) async throws in
            let service = HistoryCSVService(store: store)
            let shuffled =
                "profile,profile.name,profile.createdAt,profile.feedTerm,memoText,type,timestamp,id\n"
                + ",,,,,poo,2025-11-06T18:34:39.946Z,019a540e-0000-7000-8000-000000000002\n\n"
            #expect(try await service.importText(.diapers, shuffled).insertedDiapers == 1)
            for (kind, text) in [
                (HistoryCSVKind.feeds, shuffled), (.diapers, header), (.feeds, header + ",mood"),
                (.feeds, "id,profile"),
            ] {
                await #expect {
                    try await service.importText(kind, text)
                } throws: { error in
                    (error as? BabyMonitorError)?.code == .unknownFormat
                }
            }
        }
    }
}
