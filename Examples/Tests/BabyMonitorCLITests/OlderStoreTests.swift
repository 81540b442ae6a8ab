import Foundation
import GRDB
import SQLiteStore
import SwitchyardCore
import Testing

@testable import BabyMonitorKit

@Suite("A store of an earlier release")
struct OlderStoreTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private func makeStore() async throws {
        let mia = BabyMonitorSchema6.BabyProfile(name: "Mia")
        let bath = BabyMonitorSchema6.CustomEventType(name: "Bath", emoji: "🛁")
        let store = try await PluginRegistry([SQLitePlugin.self]).open(
            url: "sqlite:" + bench.url("store.sqlite").path, schema: BabyMonitorSchema6.self,
            options: OpenOptions(keepsHistory: true))
        try await store.write { tx in
            try tx.insert(mia)
            try tx.insert(bath)
            try tx.insert(
                BabyMonitorSchema6.CustomEvent(
                    timestamp: Date(timeIntervalSince1970: 1_762_454_079), type: bath.id, profile: mia.id))
        }
        try await store.close()
    }

    @Test("a command that writes migrates an older store to the newest version")
    func migrated() async throws {
        try await makeStore()
        _ = try await bench.succeed("baby", "add", "Noah")
        let babies = try await bench.succeed("baby", "list").output
        #expect(babies.contains("Mia") && babies.contains("Noah"), "\(babies)")
        #expect(try await bench.succeed("store", "info").output.contains("8.0.0"))
        #expect(try await bench.succeed("store", "check").output == "The store is sound.\n")
        #expect(FileManager.default.fileExists(atPath: bench.url("store.sqlite.6.0.0.backup").path))
    }

    @Test("a command that only inspects leaves an older store unchanged")
    func inspected() async throws {
        try await makeStore()
        let before = try bench.files()
        let info: StoreAnswer = try await bench.succeed("store", "info", "--json").json()
        #expect(info.schemaVersion == "6.0.0")
        #expect(info.rows["CustomEvent"] == 1)
        let check = try await bench.succeed("store", "check").output
        #expect(
            check
                == "The store is sound. It has version 6.0.0, and the newest is 8.0.0: babymonitor store migrate.\n"
        )
        #expect(try bench.files() == before)
    }

    @Test("store migrate takes an older store to a version or to the newest, after a dry run")
    func migrate() async throws {
        try await makeStore()
        let before = try bench.files()
        let preview = try await bench.succeed("store", "migrate", "--dry-run").output
        #expect(preview.contains("6.0.0 → 7.0.0\n  CustomEvent: rewritten, 1 row\n"), "\(preview)")
        #expect(preview.contains("    CustomEvent.type is dropped.\n"), "\(preview)")
        #expect(preview.hasSuffix("The store would have version 8.0.0. Nothing was changed.\n"), "\(preview)")
        #expect(try bench.files() == before)
        let part = try await bench.succeed("store", "migrate", "--to", "7").output
        #expect(part.hasPrefix("6.0.0 → 7.0.0, stage 1 of 1\nversion  7.0.0\nbackup   "), "\(part)")
        #expect(part.contains("rows     CustomEvent: 1\n"), "\(part)")
        let rest = try await bench.succeed("store", "migrate", "--json").output
        #expect(rest.contains("\"stages\" : [\n    \"8.0.0\"\n  ]"), "\(rest)")
        #expect(try await bench.succeed("store", "check").output == "The store is sound.\n")
        let again = try await bench.succeed("store", "migrate").output
        #expect(again.hasPrefix("The store has version 8.0.0; nothing was to be done.\n"), "\(again)")
    }

    @Test(
        "a command that only reads does not migrate an older store, and names the command that does",
        arguments: [
            ["baby", "list"], ["status"], ["event-type", "list"], ["history"], ["store", "history"],
            ["store", "query", "CustomEvent"],
            ["import", "feeds", "-", "--dry-run"], ["import", "feeds", "-", "--dry-run", "--create-babies"],
        ])
    func read(_ command: [String]) async throws {
        try await makeStore()
        let before = try bench.files()
        let outcome = try await bench.run(command, input: "Baby,Start\n")
        #expect(outcome.status == 1)
        #expect(
            outcome.error.contains(
                "The store has schema version 6.0.0, and the app's is 8.0.0. A command that only reads does not migrate it."
            ),
            "\(outcome.error)")
        #expect(outcome.error.contains("babymonitor store migrate --dry-run"))
        #expect(try bench.files() == before)
    }

    /// Makes a store of version 4, to which somebody has added a column that version 5 has, and an index.
    private func makeTouchedStore() async throws {
        let path = bench.url("store.sqlite").path
        let store = try await PluginRegistry([SQLitePlugin.self]).open(
            url: "sqlite:" + path, schema: BabyMonitorSchema4.self)
        try await store.write { _ = try $0.insert(BabyMonitorSchema4.BabyProfile(name: "Mia")) }
        try await store.close()
        let queue = try DatabaseQueue(path: path)
        try await queue.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    ALTER TABLE BabyProfile ADD COLUMN createdAt TEXT;
                    UPDATE BabyProfile SET createdAt = '2026-01-02';
                    CREATE INDEX by_name ON BabyProfile (name)
                    """)
        }
        try queue.close()
    }

    @Test("every command leaves an older store with a conflicting addition unchanged")
    func touched() async throws {
        try await makeTouchedStore()
        let before = try bench.files()
        let found =
            "The table BabyProfile has a column createdAt that its version does not know. Version 5.0.0 has a column of that "
            + "name, which would take its place. Rename it, or drop it if nobody needs its values."
        let preview = try await bench.run(["store", "migrate", "--dry-run"])
        #expect(preview.status == 1)
        #expect(preview.output.contains("4.0.0 → 5.0.0\n"), "\(preview.output)")
        #expect(preview.output.contains(found), "\(preview.output)")
        #expect(
            preview.output.contains(
                "The table BabyProfile has an index by_name that its version does not know.\n"),
            "\(preview.output)")
        #expect(preview.error.contains("cannot be migrated before"), "\(preview.error)")
        for command in [["store", "migrate"], ["baby", "add", "Noah"]] {
            let refused = try await bench.run(command, input: nil)
            #expect(refused.status == 1)
            #expect(refused.error.contains(found.prefix(60)), "\(refused.error)")
        }
        let check = try await bench.run(["store", "check"])
        #expect(check.status == 1)
        #expect(check.output.contains("BabyProfile: \(found)\n"), "\(check.output)")
        #expect(check.error.contains("cannot be migrated before"), "\(check.error)")
        for repair in [["store", "repair", "--dry-run"], ["store", "repair"]] {
            let refused = try await bench.run(repair, input: nil)
            #expect(refused.status == 1)
            #expect(refused.error.contains("does not remove what others have added"), "\(refused.error)")
        }
        #expect(try await bench.succeed("store", "info").output.contains("4.0.0"))
        #expect(try bench.files() == before)

        let queue = try DatabaseQueue(path: bench.url("store.sqlite").path)
        try await queue.writeWithoutTransaction { database in
            try database.execute(sql: "ALTER TABLE BabyProfile DROP COLUMN createdAt")
        }
        try queue.close()
        _ = try await bench.succeed("store", "migrate")
        #expect(try await bench.succeed("baby", "list").output.contains("Mia"))
        let sound = try await bench.succeed("store", "check").output
        #expect(
            sound
                == "BabyProfile: The table BabyProfile has an index by_name that its version does not know.\n"
                + "The store is sound.\n")
    }

    private struct Change: Decodable {
        let sequence: Int64
        let author: String?
        let entities: [String]
        let count: Int
        let token: HistoryToken
    }

    private func changes(_ options: String...) async throws -> [Change] {
        try await bench.run(["store", "history", "--json"] + options, input: nil).json()
    }

    @Test(
        "an older store keeps its history over two stages, in the terms of each change's own version")
    func history() async throws {
        try await makeStore()
        let registry = try PluginRegistry([SQLitePlugin.self])
        let url = "sqlite:" + bench.url("store.sqlite").path
        let old = try await registry.open(
            url: url, schema: BabyMonitorSchema6.self, options: OpenOptions(author: "release 6"))
        try await old.write { tx in
            var mia = try #require(try tx.fetch(BabyMonitorSchema6.BabyProfile.all).first)
            mia.name = "Maria"
            _ = try tx.update(mia)
            try tx.delete(BabyMonitorSchema6.CustomEvent.all)
        }
        let bath = try await old.read { try $0.fetch(BabyMonitorSchema6.CustomEventType.all).map(\.id) }
        try await old.close()

        _ = try await bench.succeed("store", "migrate", "--to", "7")
        _ = try await bench.succeed("store", "migrate")
        _ = try await bench.succeed("baby", "add", "Noah")
        let all = try await changes()
        #expect(all.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(all.map(\.author) == [nil, "release 6", "migration", "migration", "baby add"])
        #expect(all.map(\.count) == [3, 2, 0, 0, 1])
        #expect(Set(all[0].entities) == ["BabyProfile", "CustomEvent", "CustomEventType"])
        #expect(Set(all[1].entities) == ["BabyProfile", "CustomEvent"])
        #expect(try await changes("--entity", "CustomEvent").map(\.sequence) == [1, 2])
        let token = String(decoding: try JSONEncoder().encode(all[1].token), as: UTF8.self)
        #expect(try await changes("--since", token).map(\.sequence) == [3, 4, 5])
        let shown = try await bench.succeed("store", "history", "--author", "migration").output
        #expect(
            shown.split(separator: "\n").map { $0.hasSuffix("  no rows") } == [true, true],
            "\(shown)")

        let store = try await registry.open(url: url, schema: BabyMonitorSchema.self)
        let told = try await store.read { try $0.history()[1].changes.all() }
        try await store.close()
        let (name, event) = (told.first { $0.kind == .update }, told.first { $0.kind == .delete })
        #expect(name?.attributes == ["name"])
        #expect(name?.before("name") == .text("Mia"))
        // No later version has the attribute.
        #expect(event?.attributes == ["id", "timestamp", "type", "memoText", "profile"])
        #expect(event?.before("type") == bath.first.map { .uuid($0.uuid) })
        #expect(event?.before("timestamp") == .timestamp(1_762_454_079_000_000))
    }

    @Test("an unknown version, and one that the store is past, are refused")
    func wrongVersions() async throws {
        try await makeStore()
        let before = try bench.files()
        #expect(try await bench.fail(1, "store", "migrate", "--to", "9").contains("no version 9.0.0"))
        #expect(try await bench.fail(2, "store", "migrate", "--to", "new").contains("`new` is not a version"))
        #expect(try await bench.fail(1, "store", "migrate", "--to", "5").contains("6.0.0"))
        #expect(try bench.files() == before)
    }
}
