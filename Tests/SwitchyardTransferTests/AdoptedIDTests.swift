import Foundation
import GRDB
import SQLiteStore
import Switchyard
import SwitchyardCore
import TestBackends
import Testing

@testable import SwitchyardTransfer

/// Rows with an integer as the key and a UUID beside it.
private enum ClubSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Member.self, Visit.self]

    @Model
    struct Member {
        let id: ID
        var name: String
    }

    @Model
    struct Visit {
        let id: ID
        var member: Member.ID
    }
}

@Suite("Ids from columns other than the key")
struct AdoptedIDTests {
    @Test("two rows of one key are found, whatever the order and the types of the keys")
    func seen() {
        let keys: [(key: ForeignValue, isNew: Bool)] = [
            (.integer(1), true), (.integer(5), true), (.text("5"), false), (.integer(3), true),
            (.integer(3), false), (.real(9), true), (.integer(9), false), (.text("x"), true),
            (.text("x"), false), (.integer(12), true), (.integer(1), false),
        ]
        var rows = SeenRows()
        for (key, isNew) in keys {
            let id = DerivedID(namespace: AdoptionPlan.namespace).uuid([key.keyText ?? ""])
            #expect(rows.insert(id, from: [key]) == isNew, "\(key)")
        }
    }

    private static let tables = """
        CREATE TABLE member (n INTEGER PRIMARY KEY, uuid TEXT, name TEXT NOT NULL);
        CREATE TABLE visit (n INTEGER PRIMARY KEY, member_id INTEGER NOT NULL REFERENCES member);
        INSERT INTO visit VALUES (1, 7), (2, 3);
        """

    private static func withFile(_ members: String, _ body: (any ForeignDatabase) async throws -> Void)
        async throws
    {
        try await withDirectory { directory in
            let file = directory.appending(path: "club.db")
            let queue = try DatabaseQueue(path: file.path)
            try await queue.writeWithoutTransaction {
                try $0.execute(
                    sql: "PRAGMA foreign_keys = OFF; \(tables) INSERT INTO member VALUES \(members)")
            }
            try queue.close()
            try await body(
                try PluginRegistry([SQLitePlugin.self]).foreignDatabase(url: "sqlite:" + file.path))
        }
    }

    private static func plan(_ unusable: UnusableID = .refused) throws -> AdoptionPlan {
        try AdoptionPlan(
            ClubSchema.self,
            .table("member", as: ClubSchema.Member.self, .id(from: "uuid", ifUnusable: unusable)))
    }

    @Test(
        "a UUID beside the key becomes the id, and foreign keys lead to it", arguments: TestBackend.available)
    func beside(backend: TestBackend) async throws {
        let (ada, bo) = ("6ad1b0ee-0000-4000-8000-00000000000a", "6ad1b0ee-0000-4000-8000-00000000000b")
        try await Self.withFile("(3, '\(ada)', 'Ada'), (7, '\(bo.uppercased())', 'Bo')") { database in
            try await backend.withPlace(of: ClubSchema.schema) { place in
                let report = try await Self.plan().run(from: database, into: place)
                #expect(
                    report.tables.map { "\($0.name) \($0.rows) \($0.derivedIDs)" } == [
                        "member 2 0", "visit 2 2",
                    ])
                try await place.with { store in
                    let (members, visits) = try await store.read { tx in
                        (
                            try tx.fetch(ClubSchema.Member.all.sorted(by: \.name)),
                            try tx.fetch(ClubSchema.Visit.all)
                        )
                    }
                    #expect(members.map(\.id.description) == [ada, bo])
                    #expect(Set(visits.map(\.member)) == Set(members.map(\.id)))
                }
            }
        }
    }

    @Test("a text that is no UUID gives a derived id; a missing one and a doubled one need the key")
    func others() async throws {
        try await Self.withFile("(3, 'a-1', 'Ada'), (7, NULL, 'Bo'), (8, 'a-1', 'Cy')") { database in
            let faults = try await Self.plan().preview(database).faults.map(\.description)
            #expect(faults.count == 3)
            #expect(
                faults.contains {
                    $0.contains("member.uuid: the id has no value") && $0.contains("the key 7")
                })
            #expect(
                faults.contains { $0.contains("another row has the same id") && $0.contains("the key 8") })
            #expect(
                faults.contains { $0.hasPrefix("visit.member_id: the row that it refers to does not exist") })
            let preview = try await Self.plan(.fromKey).preview(database)
            #expect(
                preview.isPossible && preview.tables[0].idsFromKeys == 2 && preview.tables[0].derivedIDs == 3)
        }
    }

    @Test("the ids of a table come from one place")
    func once() {
        let error = #expect(throws: StoreError.self) {
            try AdoptionPlan(
                ClubSchema.self,
                .table("member", as: ClubSchema.Member.self, .id(from: "uuid"), .id(from: "name")))
        }
        #expect(error?.code == .schemaInvalid)
    }
}
