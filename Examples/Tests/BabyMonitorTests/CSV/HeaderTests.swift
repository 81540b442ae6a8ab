import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCSV
import TestBackends
import Testing

@Suite("The header of a CSV file")
struct HeaderTests {
    private func refusal(_ kind: HistoryCSVKind, _ text: String) throws -> String? {
        let error = #expect(throws: BabyMonitorError.self, "\(text.debugDescription)") {
            try HistoryCSVService.format(of: .bytes(Array(text.utf8)), as: kind)
        }
        #expect(error?.code == .unknownFormat)
        return error?.message
    }

    @Test(
        "a legacy header's columns are found by name, in any order",
        arguments: [
            "babyName,timestamp,feedType,amountUnit,amountValue\nMia,2025-11-06T18:00:00Z,solid,fl oz,4.0",
            "timestamp,BABYNAME,amountValue,amountUnit,feedType\n2025-11-06T18:00:00Z,Mia,4.0,fl oz,solid",
            "\n\nbabyName,feedType,amountUnit,timestamp,amountValue\nMia,solid,fl oz,2025-11-06T18:00:00Z,4.0",
            "babyName,timestamp,amountValue\nMia,2025-11-06T18:00:00Z,4.0,fl oz,solid",
        ])
    func order(text: String) async throws {
        try await TestBackend.memory.withStore { (store: any Store) async throws in
            _ = try await store.add("Mia")
            #expect(try await HistoryCSVService(store: store).importText(.feeds, text).insertedFeeds == 1)
            let feeds = try await store.feeds()
            #expect(feeds.map(\.amountValue) == [4])
            #expect(feeds.map(\.amountUnitSymbol) == ["fl oz"])
            #expect(feeds.map(\.feedType) == [.solid])
            #expect(feeds.map(\.startTime) == [time("2025-11-06T18:00:00Z")])
        }
    }

    @Test("an omitted column is empty")
    func missingColumn() async throws {
        try await TestBackend.memory.withStore { (store: any Store) async throws in
            _ = try await store.add("Mia")
            let text = "babyName,timestamp,feedType\nMia,2025-11-06T18:00:00Z,solid"
            #expect(try await HistoryCSVService(store: store).importText(.feeds, text).insertedFeeds == 1)
            let feeds = try await store.feeds()
            #expect(feeds.map(\.amountValue) == [nil])
            #expect(feeds.map(\.feedType) == [.solid])
        }
    }

    @Test("an unknown column, and a missing required one, refuse the file")
    func unknownColumn() throws {
        #expect(
            try refusal(.feeds, "babyName,timestamp,mood\n")
                == "The header has an unknown column 'mood'. The columns are: babyName, timestamp, amountValue, "
                + "amountUnit, feedType. Nothing was imported.")
        #expect(
            try refusal(.feeds, "babyName,amountValue\n")
                == "The header lacks the column timestamp. Nothing was imported.")
    }

    @Test("a cell beyond the header is an error, unless it is empty")
    func surplus() async throws {
        try await TestBackend.memory.withStore { (store: any Store) async throws in
            _ = try await store.add("Mia")
            let service = HistoryCSVService(store: store)
            for header in ["", "babyName,timestamp,amountValue,amountUnit,feedType,,\n"] {
                let row = "Mia,2025-11-06T18:00:00Z,4,mL,solid,, "
                #expect(
                    try await service.importText(.feeds, header + row, ImportOptions(isDryRun: true))
                        .insertedFeeds == 1)
                let error = await #expect(throws: ImportRefusal.self) {
                    try await service.importText(.feeds, header + row + "slept")
                }
                #expect(error?.report.errors == ["Line \(header.isEmpty ? 1 : 2): invalid cell 7 'slept'"])
            }
        }
    }

    @Test(
        "a file of the other kind is recognised before a store is opened",
        arguments: [
            (HistoryCSVKind.feeds, "babyName,timestamp,diaperType\n"),
            (.feeds, "diaperType,timestamp,babyName\n"), (.feeds, "Mia,2025-11-06T18:00:00Z,PEE\n"),
            (
                .feeds,
                "id,timestamp,type,memoText,profile,profile.name,profile.createdAt,profile.feedTerm\n\n"
            ),
        ])
    func otherKind(kind: HistoryCSVKind, text: String) throws {
        #expect(try refusal(.feeds, text) == "The file holds diapers, not feeds. Import it as diapers.")
    }

    @Test(
        "feeds in place of diapers are recognised before a store is opened",
        arguments: [
            "babyName,timestamp,amountValue,amountUnit,feedType\n", "Mia,2025-11-06T18:00:00Z,80.0,mL\n",
            "id,startTime,endTime,amountValue,amountUnitSymbol,feedType,memoText,profile,profile.name,profile.createdAt,"
                + "profile.feedTerm\n\n",
        ])
    func feedsAsDiapers(text: String) throws {
        #expect(try refusal(.diapers, text) == "The file holds feeds, not diapers. Import it as feeds.")
    }

    @Test("a header with semicolons, tabs or a spreadsheet's sep line is refused by name")
    func hints() throws {
        for text in ["babyName;timestamp;amountValue\n", "Mia;2025-11-06T18:00:00Z;80,0;mL\n"] {
            #expect(
                try refusal(.feeds, text)
                    == "The cells of the file seem to be separated by semicolons. Save it with commas between them. Nothing "
                    + "was imported.")
        }
        #expect(
            try refusal(.feeds, "babyName\ttimestamp\n")
                == "The cells of the file seem to be separated by tabs. Save it with commas between them. Nothing was "
                + "imported.")
        for text in ["sep=,\nbabyName,timestamp\n", "sep=;\n"] {
            #expect(
                try refusal(.feeds, text)
                    == "The first line says how cells are separated (sep=), which only some spreadsheets understand. Remove "
                    + "the line; cells are separated by commas. Nothing was imported.")
        }
    }

    @Test("a message quotes little of a file, and only visible characters")
    func boundedMessages() async throws {
        let accents = "e" + String(repeating: "\u{301}", count: 400_000)
        let header = try #require(try refusal(.feeds, "babyName,timestamp,\(accents)\n"))
        #expect(header.utf8.count < 600)
        let full = try #require(try refusal(.feeds, "id,profile,\(accents)\n"))
        #expect(full.utf8.count < 600)
        try await TestBackend.memory.withStore { (store: any Store) async throws in
            let service = HistoryCSVService(store: store)
            let text = "Mia,\(accents)\n\(accents),2025-11-06T18:00:00Z\nLeo,a\u{1B}[2J\u{200B}\n"
            let report = try await service.importText(
                .feeds, text, ImportOptions(skipsInvalidRows: true))
            #expect(report.errors.first?.utf8.count == "Line 1: invalid timestamp ''e…".utf8.count + 59 * 2)
            #expect(report.errors.last == "Line 3: invalid timestamp 'a\\u{1B}[2J\\u{200B}'")
            #expect(report.skippedUnknownBabies.first?.utf8.count == "e…".utf8.count + 59 * 2)
            #expect(report.errorCount == 2)
            #expect(report.skippedInvalidRows == 2)
        }
    }
}

@Suite("White space in names")
struct NameSpaceTests {
    @Test("a zero-width space makes another name, and by itself no name")
    func zeroWidthSpace() async throws {
        try await TestBackend.memory.withStore { (store: any Store) async throws in
            let dashboard = Dashboard(store: store)
            let mia = try await dashboard.addBaby(named: "\u{A0}Mia ")
            let other = try await dashboard.addBaby(named: "\u{200B}Mia")
            #expect(mia.name == "Mia")
            #expect(Array(other.name.utf8) == Array("\u{200B}Mia".utf8))
            let error = await #expect(throws: BabyMonitorError.self) {
                try await dashboard.addBaby(named: "\u{200B} ")
            }
            #expect(error?.code == .invalidName)
            _ = try await HistoryCSVService(store: store).importText(
                .feeds, "\u{3000}mia,2025-11-06T18:00:00Z\n\u{200B}mia ,2025-11-06T19:00:00Z")
            #expect(try await store.feeds().map(\.profile) == [mia.id, other.id])
            #expect(HistoryFilter(search: "\u{200B}").search == "\u{200B}")
        }
    }
}
