import Foundation
import MemoryStore
import Switchyard
import SwitchyardCSV
import SwitchyardCore
import Testing

@testable import BabyMonitorKit

@Suite("A history in one file and in two, in batches of any size")
struct SplitHistoryTests {
    private static let seeds: Range<UInt64> = 1..<41
    private static let batchSizes = [1, 2, 3, 5]

    /// What an import has led to: all rows but for their ids, which are made anew, and what was reported.
    private struct Outcome: Equatable {
        var rows: [String] = []
        var babies: [String] = []
        var inserted = 0
        var updated = 0
        var skipped = 0
        var createdBabies = 0
    }

    private func outcome(
        _ files: [String], _ kind: HistoryCSVKind, batchRows: Int? = nil, keepingIDs: Bool,
        _ prepare: (any Store) async throws -> Void
    ) async throws -> Outcome {
        let store = MemoryStore(schema: try BabyMonitorSchema.schema)
        try await prepare(store)
        let clock = TestClock("2025-12-01T00:00:00Z")
        let service = HistoryCSVService(store: store, now: clock.read)
        var options = ImportOptions(createsBabies: true)
        options.batchRows = batchRows
        var outcome = Outcome()
        for file in files {
            let report = try await service.importText(kind, file, options)
            outcome.inserted += report.insertedFeeds + report.insertedDiapers
            outcome.updated += report.updatedFeeds + report.updatedDiapers
            outcome.skipped += report.skippedFeeds + report.skippedDiapers
            outcome.createdBabies += report.createdBabies
        }
        let babies = try await store.read { try $0.fetchRows(of: "BabyProfile") }
        let names = Dictionary(
            babies.map { ($0[0], "\($0[1])" + (keepingIDs ? "" : " \($0[2])") + "\($0[3])") },
            uniquingKeysWith: { $1 })
        let entity = kind == .feeds ? "FeedSession" : "DiaperChange"
        let rows = try await store.read { try $0.fetchRows(of: entity) }
        outcome.rows = rows.map { row in
            "\(keepingIDs ? row[...] : row.dropFirst()[...].dropLast()) \(names[row[row.count - 1]] ?? "nobody")"
        }.sorted()
        outcome.babies = names.values.sorted()
        return outcome
    }

    /// Compares the import of all rows with that of every pair of files, and with batches of some sizes.
    private func requireSame(
        _ rows: [String], header: String, end: String, _ kind: HistoryCSVKind, keepingIDs: Bool = false,
        seed: UInt64, _ prepare: (any Store) async throws -> Void
    ) async throws {
        func file(_ rows: some Sequence<String>) -> String {
            ([header] + rows).map { $0 + "\n" }.joined() + end
        }
        let whole = try await outcome([file(rows)], kind, keepingIDs: keepingIDs, prepare)
        for cut in 0...rows.count {
            let files = [file(rows[..<cut]), file(rows[cut...])]
            let split = try await outcome(files, kind, keepingIDs: keepingIDs, prepare)
            #expect(split == whole, "seed \(seed), cut before row \(cut) of \(rows)")
        }
        for size in Self.batchSizes {
            let batched = try await outcome(
                [file(rows)], kind, batchRows: size, keepingIDs: keepingIDs, prepare)
            #expect(batched == whole, "seed \(seed), batches of \(size), \(rows)")
        }
    }

    @Test(
        "the unit of a feed without an amount applies to the amount that it gains",
        arguments: [false, true])
    func loneUnit(split: Bool) async throws {
        let rows = ["Mia,2025-11-06T18:00:00Z,,fl oz,", "Mia,2025-11-06T18:00:00Z,4,,"]
        let store = MemoryStore(schema: try BabyMonitorSchema.schema)
        _ = try await store.add("Mia")
        let service = HistoryCSVService(store: store)
        for file in split ? rows : [rows.joined(separator: "\n")] {
            _ = try await service.importText(.feeds, file)
        }
        let feeds = try await store.feeds()
        #expect(feeds.map(\.amountValue) == [4])
        #expect(feeds.map(\.amountUnitSymbol) == ["fl oz"])
    }

    @Test("feeds of namesakes, microseconds apart, import alike from one file and from two", arguments: seeds)
    func feeds(seed: UInt64) async throws {
        var generator = SeededGenerator(seed)
        func one(of choices: String...) -> String { choices.randomElement(using: &generator) ?? "" }
        let rows = (0..<12).map { _ in
            let name = one(of: "Mia", "mia", "MIA", "Leo", "", "Zoe")
            let time = "2025-11-06T18:00:00." + one(of: "000", "001") + one(of: "", "", "001", "700") + "Z"
            let amount = [one(of: "", "4", "80.5"), one(of: "", "fl oz", "ml", "Oz")]
            return ([name, time] + amount + [one(of: "", "solid")]).joined(separator: ",")
        }
        try await requireSame(
            rows, header: "babyName,timestamp,amountValue,amountUnit,feedType", end: "", .feeds, seed: seed
        ) { store in
            let babies = try await store.add("Mia", "mia", "Mia", "Leo")
            try await store.write { transaction in
                for (microseconds, baby) in [(1, 0), (700, 2), (1000, 1), (0, 3)] {
                    let start = Timestamp.date(microseconds: 1_762_452_000_000_000 + Int64(microseconds))
                    try transaction.insert(
                        FeedSession(startTime: start, amountUnitSymbol: "cup", profile: babies[baby].id))
                }
            }
        }
    }

    @Test("diaper changes import alike from one file and from two", arguments: seeds)
    func diapers(seed: UInt64) async throws {
        var generator = SeededGenerator(seed)
        func one(of choices: String...) -> String { choices.randomElement(using: &generator) ?? "" }
        let rows = (0..<12).map { _ in
            let time = "2025-11-06T18:00:00." + one(of: "000", "001", "000001") + "Z"
            return [one(of: "Mia", "mia", "MIA", "", "Zoe"), time, one(of: "pee", "poo")].joined(
                separator: ",")
        }
        try await requireSame(
            rows, header: "babyName,timestamp,diaperType", end: "", .diapers, seed: seed
        ) { store in _ = try await store.add("Mia", "mia") }
    }

    @Test(
        "full files with repeated ids and changing babies import alike in one file and in two",
        arguments: seeds)
    func full(seed: UInt64) async throws {
        var generator = SeededGenerator(seed)
        func id(_ number: Int) -> String { "019a540e-0000-7000-8000-00000000000\(number)" }
        let rows = (0..<10).map { index in
            let baby = ["", id(7), id(8)].randomElement(using: &generator) ?? ""
            return [
                id(Int.random(in: 1...4, using: &generator)), "2025-11-06T18:00:00.000Z", "pee", "", baby,
                baby.isEmpty ? "" : "Baby \(index)", baby.isEmpty ? "" : "2025-10-01T00:00:00.000Z",
                baby.isEmpty ? "" : "9000.0",
            ].joined(separator: ",")
        }
        let header =
            "id,timestamp,type,memoText,profile,profile.name,profile.createdAt,profile.feedTerm"
        try await requireSame(
            rows, header: header, end: "\n", .diapers, keepingIDs: true, seed: seed
        ) { store in
            let lost = try #require(DiaperChange.ID(id(1)))
            let kept = try #require(DiaperChange.ID(id(2)))
            let owner = try #require(BabyProfile.ID(id(9)))
            try await store.write { transaction in
                try transaction.insert(
                    BabyProfile(id: owner, name: "Owner", createdAt: time("2025-10-01T00:00:00Z")))
                try transaction.insert(DiaperChange(id: lost, timestamp: time("2025-11-06T18:00:00Z")))
                try transaction.insert(
                    DiaperChange(id: kept, timestamp: time("2025-11-06T18:00:00Z"), profile: owner))
            }
        }
    }
}

@Suite("The work of an import")
struct ImportWorkTests {
    /// Imports rows of a text, and tells how many stored events and slots of the table were looked at.
    private func work(
        of text: String, batchRows: Int, in store: MemoryStore
    ) async throws -> (report: ImportReport, events: Int, probes: Int) {
        try await store.write { transaction in
            var options = ImportOptions()
            options.batchRows = batchRows
            var reader = CSVReader(MemoryByteSource(Array(text.utf8)))
            var rows = try LegacyImport<LegacyFeedRow>(
                columns: LegacyColumns(.feeds), options: options, now: Date(), transaction: transaction)
            while let row = try reader.next() { try rows.take(row, in: transaction) }
            let report = try rows.finish(in: transaction)
            return (report, rows.recalled.events, rows.probes)
        }
    }

    @Test("the work of an import is linear in the rows of an unsorted file")
    func shuffled() async throws {
        let store = MemoryStore(schema: try BabyMonitorSchema.schema)
        _ = try await store.add("Mia")
        var generator = SeededGenerator(9)
        let count = 6000
        let text = (0..<count).shuffled(using: &generator).map { minute in
            let date = Timestamp.date(microseconds: 1_700_000_000_000_000 + Int64(minute) * 60_000_000)
            return
                "Mia,\(ISO8601.text(Timestamp.microseconds(date) ?? 0, precision: .milliseconds) ?? ""),1,mL\n"
        }.joined()
        // 120 batches: as they come, each would span all that is stored, 360,000 events in all.
        let first = try await work(of: text, batchRows: 50, in: store)
        #expect(first.report.insertedFeeds == count)
        #expect(first.events <= 4 * count)
        let second = try await work(of: text, batchRows: 50, in: store)
        #expect(second.report.skippedFeeds == count)
        #expect(second.events <= 8 * count)
    }

    @Test("the work of an import is linear in the rows at one instant")
    func oneInstant() async throws {
        let store = MemoryStore(schema: try BabyMonitorSchema.schema)
        _ = try await store.add("Mia")
        let count = 20_000
        let text = (0..<count).map { number in
            let digits = String(number % 1000)
            let padding = String(repeating: "0", count: 3 - digits.count)
            return "Mia,2025-11-06T18:00:00.000\(padding)\(digits)Z\n"
        }.joined()
        let work = try await work(of: text, batchRows: 1 << 15, in: store)
        #expect(work.report.insertedFeeds == 1000)
        #expect(work.report.skippedFeeds == count - 1000)
        // A look to expect a key, one to ask for it, two for each event that is added, and some collisions.
        #expect(work.probes <= 8 * count)
    }
}
