import BabyMonitorKit
import Foundation
import TestBackends
import Testing

@Suite("Unknown words in the app's own files")
struct UnknownWordTests {
    private static let text = """
        babyName,timestamp,amountValue,amountUnit,feedType
        Mia,2025-11-06T18:00:00Z,4,spoon,solid
        Mia,2025-11-06T17:00:00Z,4,mL,cake
        Mia,2025-11-06T16:00:00Z,,spoon,cake
        Mia,2025-11-06T15:00:00Z,4,oz,
        Leo,2025-11-06T14:00:00Z,4,bucket,solid
        """

    @Test("the app's own files take the units of intents, and never silent millilitres")
    func units() async throws {
        try await TestBackend.memory.withStore { store in
            _ = try await store.add("Mia")
            let report = try await HistoryCSVService(store: store).importText(
                .feeds,
                """
                Mia,2025-11-06T15:00:00Z,4,oz
                Mia,2025-11-06T16:00:00Z,4,Fl. Oz.
                Mia,2025-11-06T17:00:00Z,4,litre
                Mia,2025-11-06T18:00:00Z,4,Millilitres
                Mia,2025-11-06T19:00:00Z,4,ounces
                """)
            #expect(report.insertedFeeds == 5)
            #expect(
                try await store.feeds().map(\.amount) == [
                    Measurement(value: 4, unit: .fluidOunces), Measurement(value: 4, unit: .fluidOunces),
                    Measurement(value: 4, unit: .liters), Measurement(value: 4, unit: .milliliters),
                    Measurement(value: 4, unit: .fluidOunces),
                ])
        }
    }

    @Test("unknown words make their rows invalid, and the report lists the known ones")
    func refused() async throws {
        try await TestBackend.memory.withStore { store in
            _ = try await store.add("Mia")
            await #expect {
                try await HistoryCSVService(store: store).importText(.feeds, Self.text)
            } throws: { error in
                guard let refusal = error as? ImportRefusal else { return false }
                return refusal.report.errors == [
                    "Line 2: invalid amountUnit 'spoon'", "Line 3: invalid feedType 'cake'",
                    "Line 4: invalid amountUnit 'spoon'", "Line 6: invalid amountUnit 'bucket'",
                ]
                    && refusal.report.advice == [.units, .feedTypes]
                    && refusal.description.hasSuffix(
                        "The units are mL, fl oz, L and cup, or their names. The feed types are babyFormula, breastFeed "
                            + "and solid. Correct the file, or choose to skip invalid rows.")
            }
            #expect(try await store.feeds().isEmpty)
        }
    }

    @Test("unknown words count as millilitres and formula on request, and are counted and named")
    func accepted() async throws {
        try await TestBackend.memory.withStore { store in
            _ = try await store.add("Mia")
            let report = try await HistoryCSVService(store: store).importText(
                .feeds, Self.text, ImportOptions(acceptsUnknownWords: true))
            var expected = ImportReport()
            expected.insertedFeeds = 4
            expected.skippedFeeds = 1
            expected.skippedUnknownBabies = ["Leo"]
            (expected.unknownUnitRows, expected.unknownUnits) = (2, ["spoon"])
            (expected.unknownFeedTypeRows, expected.unknownFeedTypes) = (2, ["cake"])
            #expect(report == expected)
            let feeds = try await store.feeds()
            #expect(feeds.map(\.amountUnitSymbol) == ["fl oz", "spoon", "mL", "spoon"])
            #expect(feeds.map(\.feedType) == [.babyFormula, .babyFormula, .babyFormula, .solid])
        }
    }

    @Test(
        "a byte order mark in the middle of joined files creates no second baby",
        arguments: ["", "\u{FEFF} "])
    func joined(more: String) async throws {
        try await TestBackend.memory.withStore { store in
            let mia = try await store.add("Mia")[0]
            let text =
                "\u{FEFF}Mia,2025-11-06T18:00:00Z,1,mL\n\u{FEFF}\(more)Mia,2025-11-06T19:00:00Z,1,mL\n"
                + "\"\u{FEFF}\(more)Mia\",2025-11-06T20:00:00Z,1,mL\n\u{FEFF}\(more)Leo,2025-11-06T20:00:00Z,1,mL\n"
            let report = try await HistoryCSVService(store: store).importText(
                .feeds, text, ImportOptions(createsBabies: true))
            #expect(report.insertedFeeds == 4)
            #expect(report.createdBabies == 1)
            #expect(try await store.babies().map(\.name).sorted() == ["Leo", "Mia"])
            #expect(try await store.feeds().filter { $0.profile == mia.id }.count == 3)
        }
    }

    @Test("a baby whose name an older import began with a byte order mark keeps its rows")
    func markedBaby() async throws {
        try await TestBackend.memory.withStore { store in
            let baby = try await store.add("\u{FEFF}Mia")[0]
            let service = HistoryCSVService(store: store)
            let text = "Mia,2025-11-06T18:00:00Z,1,mL"
            #expect(
                try await service.importText(.feeds, text, ImportOptions(createsBabies: true)).insertedFeeds
                    == 1)
            #expect(try await store.feeds().map(\.profile) == [baby.id])
            let exported = try await service.exportText(.feeds)
            #expect(try await service.importText(.feeds, exported).skippedFeeds == 1)
        }
    }
}
