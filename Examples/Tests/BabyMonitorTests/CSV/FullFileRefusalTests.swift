import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCSV
import TestBackends
import Testing

@Suite("Full files that are refused")
struct FullFileRefusalTests {
    @Test("a full file that was cut off at any byte is refused", arguments: HistoryCSVKind.allCases)
    func everyCut(kind: HistoryCSVKind) async throws {
        var bytes: [UInt8] = []
        try await TestBackend.memory.withStore { (store: any Store) async throws in
            let mia = try await store.add("Mia, \"하나\"")[0]
            try await store.write { transaction in
                for (minute, memo) in ["two\n\nlines", "", nil, "\"quoted\""].enumerated() {
                    let date = time("2025-11-06T18:00:00Z").addingTimeInterval(Double(minute) * 60)
                    try transaction.insert(
                        FeedSession(
                            startTime: date, endTime: date, amountValue: 120, amountUnitSymbol: "mL",
                            feedType: .solid, memoText: memo, profile: mia.id))
                    try transaction.insert(DiaperChange(timestamp: date, memoText: memo, profile: mia.id))
                }
            }
            bytes = Array(try await HistoryCSVService(store: store).exportText(kind, format: .full).utf8)
        }
        let file = bytes
        try await TestBackend.memory.withStore { (store: any Store) async throws in
            let service = HistoryCSVService(store: store)
            for count in 1..<file.count {
                await #expect(throws: (any Error).self, "\(count) of \(file.count) bytes") {
                    try await service.importFile(kind, from: .bytes(Array(file[..<count])))
                }
            }
            let rows = try await store.read {
                try $0.countRows(of: "FeedSession") + $0.countRows(of: "DiaperChange")
            }
            #expect(rows == 0)
            let report = try await service.importFile(kind, from: .bytes(file))
            #expect(report.insertedFeeds + report.insertedDiapers == 4)
        }
    }

    private static let header =
        "id,timestamp,type,memoText,profile,profile.name,profile.createdAt,profile.feedTerm"
    private static let feedHeader =
        "id,startTime,endTime,amountValue,amountUnitSymbol,feedType,memoText,profile,profile.name,profile.createdAt,"
        + "profile.feedTerm"
    private static let id = "019a540e-0000-7000-8000-000000000001"
    private static let moment = "2025-11-06T18:00:00.000Z"

    @Test("a full file with a row shorter or longer than its header is refused by line", arguments: [7, 9])
    func rowLength(count: Int) async throws {
        let row = "\(Self.id),\(Self.moment),pee" + String(repeating: ",", count: count - 3)
        try await TestBackend.memory.withStore { (store: any Store) async throws in
            let error = await #expect(throws: ImportRefusal.self) {
                try await HistoryCSVService(store: store).importText(
                    .diapers, "\(Self.header)\n\(row)\n\n")
            }
            #expect(error?.report.errors == ["Line 2: the row has \(count) cells, the header 8"])
        }
    }

    @Test(
        "a full file with infinite or negative numbers is refused by line and column",
        arguments: [
            ("inf,mL,,,\(id),Mia,\(moment),9000.0", "amountValue 'inf'"),
            ("-inf,mL,,,,,,", "amountValue '-inf'"), ("nan,mL,,,,,,", "amountValue 'nan'"),
            ("1,mL,,,\(id),Mia,\(moment),inf", "profile.feedTerm 'inf'"),
            ("1,mL,,,\(id),Mia,\(moment),-1.0", "profile.feedTerm '-1.0'"),
            ("1,mL,,,\(id),Mia,\(moment),nan", "profile.feedTerm 'nan'"),
            ("1,mL,,,,Mia,,", "profile.name 'Mia'"),
        ])
    func numbers(cells: String, fault: String) async throws {
        try await TestBackend.memory.withStore { (store: any Store) async throws in
            let error = await #expect(throws: ImportRefusal.self) {
                try await HistoryCSVService(store: store).importText(
                    .feeds, "\(Self.feedHeader)\n\(Self.id),\(Self.moment),,\(cells)\n\n")
            }
            #expect(error?.report.errors == ["Line 2: invalid \(fault)"])
            #expect(try await store.babies().isEmpty)
        }
    }
}
