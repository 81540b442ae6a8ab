import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCSV
import TestBackends
import Testing

@Suite("Ids of imported rows")
struct ImportedIDTests {
    private static let feeds = """
        babyName,timestamp,amountValue,amountUnit,feedType
        Mia,2025-11-06T18:34:39.946Z,80,mL,babyFormula
        mia,2025-11-06T18:34:39.946123Z,,,
        Ben,2025-11-06T18:34:39.946Z,90,mL,breastFeed
        ,1969-12-31T23:59:59.999Z,,,
        """
    private static let diapers = """
        babyName,timestamp,diaperType
        Mia,2025-11-06T18:34:39.946Z,pee
        Mia,2025-11-06T18:34:39.946Z,poo
        """
    private static let options = ImportOptions(createsBabies: true)

    private static func ids(_ store: any Store) async throws -> [Set<UUID>] {
        try await store.read { tx in
            [
                Set(try tx.fetch(BabyProfile.all).map(\.id.uuid)),
                Set(try tx.fetch(FeedSession.all).map(\.id.uuid)),
                Set(try tx.fetch(DiaperChange.all).map(\.id.uuid)),
            ]
        }
    }

    @Test(
        "a file makes the same ids in every store, in any order of its rows", arguments: TestBackend.available
    )
    func same(backend: TestBackend) async throws {
        var found: [[Set<UUID>]] = []
        for isReversed in [false, true] {
            try await backend.withStore { store in
                let service = HistoryCSVService(store: store)
                for (kind, text) in [(HistoryCSVKind.feeds, Self.feeds), (.diapers, Self.diapers)] {
                    var lines = text.split(separator: "\n")
                    if isReversed { lines[1...].reverse() }
                    _ = try await service.importText(kind, lines.joined(separator: "\n"), Self.options)
                }
                found.append(try await Self.ids(store))
            }
        }
        // The less precise time matches the other one if that came first.
        #expect(found[0].map(\.count) == [2, 4, 2])
        #expect(found[1].map(\.count) == [2, 3, 2])
        for (first, second) in zip(found[0], found[1]) { #expect(second.isSubset(of: first)) }
    }

    @Test("an id begins with the time, so that events are inserted in order", arguments: [TestBackend.memory])
    func ordered(backend: TestBackend) async throws {
        try await backend.withStore { store in
            _ = try await HistoryCSVService(store: store).importText(.feeds, Self.feeds, Self.options)
            let feed = try #require(
                try await store.read { try $0.fetch(FeedSession.where(#Predicate { $0.amountValue == 80 })) }
                    .first)
            // 1,762,454,079,946 milliseconds since 1970.
            #expect(feed.id.uuid.uuidString.hasPrefix("019A5A73-09CA-8"))
        }
    }

    @Test(
        "a row is added whose id is that of a baby with another name or an event with another time since",
        arguments: TestBackend.available)
    func taken(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let service = HistoryCSVService(store: store)
            for round in 0..<3 {
                let report = try await service.importText(.feeds, Self.feeds, Self.options)
                #expect(report.createdBabies == (round == 1 ? 0 : 2))
                #expect(report.insertedFeeds == 4)
                try await store.write { tx in
                    _ = try tx.update(
                        FeedSession.all, set: [.set(\.startTime, to: Date(timeIntervalSince1970: 0))])
                    // The babies are found by their names in the second round, and not in the third.
                    if round == 1 { _ = try tx.update(BabyProfile.all, set: [.set(\.name, to: "Another")]) }
                }
            }
            #expect(try await Self.ids(store).map(\.count) == [4, 12, 0])
        }
    }
}
