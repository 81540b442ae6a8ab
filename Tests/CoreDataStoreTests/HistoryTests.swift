import Foundation
import GRDB
import SwitchyardCore
import TestBackends
import Testing

@testable import CoreDataStore
@testable import SwitchyardTransfer

@Suite("The history of a Core Data store")
struct HistoryTests {
    /// A transaction, another with three changes, a third without any, and a change that belongs to no transaction.
    private static let tables = """
        CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZTIMESTAMP FLOAT,
            ZAUTHOR VARCHAR, ZPROCESSID VARCHAR);
        CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER,
            ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, ZTOMBSTONE1 BLOB);
        CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
        INSERT INTO ATRANSACTIONSTRING VALUES (5, 16003, 1, 'widget');
        INSERT INTO ATRANSACTION VALUES (1, 16002, 1, NULL, 0.5, 'app', 'Nursery'), (2, 16002, 1, 5, 1, NULL, NULL),
            (3, 16002, 1, 77, NULL, NULL, NULL);
        INSERT INTO ACHANGE VALUES (1, 16001, 1, 0, 1, 1, 1, NULL, NULL, NULL), (2, 16001, 1, 1, 1, 1, 2, x'10', NULL, NULL),
            (3, 16001, 1, 2, 1, 9, 2, NULL, NULL, x'AB'), (4, 16001, 1, 2, 99, 4, 2, NULL, 'say "x"', 3),
            (5, 16001, 1, 0, 1, 2, 44, NULL, NULL, NULL);
        """
    private static let changes: [[String: ForeignValue]] = [
        [
            "Z_PK": .integer(1), "timestamp": .timestamp(978_307_200_500_000), "author": .text("app"),
            "process": .text("Nursery"),
            "changes": .text(#"[{"change":"insert","entity":"Feed","key":1}]"#),
        ],
        [
            "Z_PK": .integer(2), "timestamp": .timestamp(978_307_201_000_000), "author": .text("widget"),
            "changes": .text(
                #"[{"change":"update","entity":"Feed","key":1,"columns":"10"},"#
                    + #"{"change":"delete","entity":"Feed","key":9,"tombstone":[null,"AB"]},"#
                    + #"{"change":"delete","entity":"99","key":4,"tombstone":["say \"x\"",3]}]"#),
        ],
        ["Z_PK": .integer(3), "changes": .text("[]")],
    ]

    private static func with(
        settings: String, _ body: (any ForeignDatabase) async throws -> Void
    ) async throws {
        var shape = Shape(entities: [.init(name: "Feed", attributes: [.init(name: "memo", type: 700)])])
        shape.rows = [.init(entity: "Feed", key: 1, values: ["memo": .text("one")])]
        try await withFile(of: shape, settings: settings) { database, file in
            let queue = try DatabaseQueue(path: file.path)
            try await queue.write { try $0.execute(sql: tables) }
            try queue.close()
            try await body(database)
        }
    }

    private static func message(_ database: any ForeignDatabase) async throws -> String? {
        try await read(database) { try $0.findings().first { $0.code == .history }?.message }
    }

    @Test("it is counted, and left out")
    func counted() async throws {
        try await Self.with(settings: "") { database in
            let (found, message) = (try await rows(database), try await Self.message(database))
            #expect(found.keys.sorted() == ["Feed"])
            #expect(
                message
                    == "The store has a history of 3 transactions, with 2 inserts, 1 updates and 2 deletes, which is left out. "
                    + "The setting keepsHistory offers it as a table.")
        }
    }

    @Test("if asked, it is a table of transactions, with their changes in order as JSON")
    func kept() async throws {
        try await Self.with(settings: "keepsHistory=true") { database in
            let (found, message) = (try await rows(database), try await Self.message(database))
            #expect(found["$history"] == Self.changes)
            #expect(
                message?.hasSuffix(
                    "which the table $history has as JSON, but for 1 changes that belong to no transaction.")
                    == true)
        }
    }

    @Test("a scaffold takes it over, alike on every backend")
    func adopted() async throws {
        try await Self.with(settings: "keepsHistory=true") { database in
            let scaffold = try await AdoptionScaffold(of: database, named: "old")
            #expect(scaffold.preview.faults == [])
            for backend in TestBackend.available {
                try await backend.withPlace(of: scaffold.schema) { place in
                    let report = try await scaffold.plan.run(from: database, into: place)
                    #expect(report.digests.mapValues(\.count) == ["Feed": 1, "History": 3])
                }
            }
        }
    }

    @Test(
        "each change of a real store is kept",
        .enabled(if: RealFiles.areThere, Comment(rawValue: RealFiles.need)))
    func real() async throws {
        let file = URL(filePath: RealFiles.path("RMAdminStore-Local"))
        let kept = try await rows(database(file, "keepsHistory=true"))["$history"] ?? []
        let queue = try DatabaseQueue(path: "file:\(file.path)?immutable=1")
        let counts = try await queue.read { try Int.fetchAll($0, sql: Self.counts) }
        #expect(counts.reduce(0, +) == 19_929)
        #expect(
            kept.map { row in
                guard case .text(let text)? = row["changes"] else { return -1 }
                return (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])?.count
                    ?? -1
            } == counts)
    }

    private static let counts = """
        SELECT count(c.Z_PK) FROM ATRANSACTION AS t LEFT JOIN ACHANGE AS c ON c.ZTRANSACTIONID = t.Z_PK GROUP BY t.Z_PK
        ORDER BY t.Z_PK
        """
}
