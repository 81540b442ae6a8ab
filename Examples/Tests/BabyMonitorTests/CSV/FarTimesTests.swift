import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCSV
import TestBackends
import Testing

@Suite("Times that a Date cannot hold to the microsecond")
struct FarTimesTests {
    private static let times = [
        "9999-12-31T23:59:59.999999Z", "5000-06-15T12:00:00.000001Z", "2300-01-01T00:00:00.123457Z",
        "1699-12-31T23:59:59.999001Z", "1582-10-15T00:00:00.000999Z", "0001-01-01T00:00:00.000001Z",
    ]

    private func fill(_ store: any Store) async throws {
        try await store.write { transaction in
            for text in Self.times {
                let time = StoredValue.timestamp(try #require(ISO8601.microseconds(text)))
                try transaction.insertRows(
                    into: "FeedSession",
                    [[.uuid(UUID()), time, time, .double(80), .text("mL"), .text("solid"), .null, .null]])
                try transaction.insertRows(
                    into: "DiaperChange", [[.uuid(UUID()), time, .text("poo"), .null, .null]])
            }
        }
    }

    @Test(
        "times beyond a Date's microseconds are exported unchanged, and the export adds nothing on import",
        arguments: TestBackend.available)
    func exports(backend: TestBackend) async throws {
        try await backend.withStore { (store: any Store) async throws in
            try await fill(store)
            let service = HistoryCSVService(store: store)
            let legacy = try await service.exportText(.diapers)
            #expect(
                legacy == """
                    babyName,timestamp,diaperType
                    ,9999-12-31T23:59:59.999Z,poo
                    ,5000-06-15T12:00:00.000Z,poo
                    ,2300-01-01T00:00:00.123Z,poo
                    ,1699-12-31T23:59:59.999Z,poo
                    ,1582-10-15T00:00:00.000Z,poo
                    ,0001-01-01T00:00:00.000Z,poo
                    """)
            let full = try await service.exportText(.feeds, format: .full)
            for text in Self.times { #expect(full.contains(",\(text),\(text),80.0")) }
            var expected = ImportReport()
            expected.skippedDiapers = 6
            #expect(try await service.importText(.diapers, legacy) == expected)
            expected = ImportReport()
            expected.skippedFeeds = 6
            #expect(try await service.importText(.feeds, try await service.exportText(.feeds)) == expected)
            #expect(try await service.importText(.feeds, full) == expected)
        }
    }

    @Test(
        "times beyond a Date's microseconds are imported to the microsecond", arguments: TestBackend.available
    )
    func imports(backend: TestBackend) async throws {
        try await backend.withStore { (store: any Store) async throws in
            let text = Self.times.map { ",\($0),1,mL,\n" }.joined()
            let service = HistoryCSVService(store: store)
            #expect(try await service.importText(.feeds, text).insertedFeeds == 6)
            let rows = try await store.read {
                try $0.fetchRows(of: "FeedSession", sortedBy: [SortKey("startTime", .descending)])
            }
            let found = rows.map { row -> String? in
                guard case .timestamp(let microseconds) = row[1], row[2] == row[1] else { return nil }
                return ISO8601.text(microseconds, precision: .exact)
            }
            #expect(found == Self.times)
            #expect(try await service.importText(.feeds, text).skippedFeeds == 6)
        }
    }
}
