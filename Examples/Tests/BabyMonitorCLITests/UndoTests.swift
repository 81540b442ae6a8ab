import Foundation
import GRDB
import Testing

@Suite("babymonitor undo and store history")
struct UndoTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private struct Change: Decodable {
        let sequence: Int
        let author: String?
        let device: String?
        let undone: String?
        let entities: [String]
        let count: Int
    }

    private func history(_ options: String...) async throws -> [Change] {
        try await bench.run(["store", "history", "--json"] + options, input: nil).json()
    }

    @Test("undo reverts one command after the other, and says when nothing is left")
    func undo() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        _ = try await bench.succeed("intent", "run", "StartFeeding", "--baby", "Mia")
        #expect(try await bench.succeed("undo", "--list").output.contains("StartFeeding"))
        #expect(try await bench.succeed("undo").output == "Undid the last change.\n")
        let info: StoreAnswer = try await bench.succeed("store", "info", "--json").json()
        #expect(info.rows["FeedSession"] == 0)
        #expect(info.rows["BabyProfile"] == 1)
        #expect(try await bench.succeed("say", "Undo in BabyMonitor").output == "Undid the last change.\n")
        #expect(try await bench.succeed("undo").output == "There is nothing to undo.\n")
        let changes = try await history()
        #expect(changes.map(\.sequence) == [1, 2, 3, 4])
        #expect(changes.map(\.author) == ["baby add", "StartFeeding", "undo", "UndoLastAction"])
        #expect(Set(changes.map(\.device)).count == 1)
        #expect(changes.map { $0.undone != nil } == [false, false, true, true])
        #expect(try await history("--author", "undo").map(\.sequence) == [3])
        #expect(try await history("--entity", "BabyProfile").map(\.sequence) == [1, 4])
        #expect(try await history("--since", "2999-01-01").isEmpty)
    }

    @Test("undo names the change that refers to what it would delete")
    func inTheWay() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        _ = try await bench.succeed("intent", "run", "StartFeeding", "--baby", "Mia")
        try sql("UPDATE switchyard_history SET device = 'another' WHERE author = 'StartFeeding'")
        let refusal = try await bench.fail(1, "undo")
        #expect(refusal.contains(#/The later change: 2  .+  StartFeeding  another  1 row of FeedSession\./#))
    }

    @Test("store history starts at a token, and refuses one that leads nowhere")
    func token() async throws {
        for name in ["Mia", "Leo", "Zoe"] { _ = try await bench.succeed("baby", "add", name) }
        let shown = try await bench.succeed("store", "history", "--json").output
        let changes = try #require(JSONSerialization.jsonObject(with: Data(shown.utf8)) as? [[String: Any]])
        func text(_ change: Int, _ alter: (inout [String: Any]) -> Void = { _ in }) throws -> String {
            var token = try #require(changes[change]["token"] as? [String: Any])
            alter(&token)
            return String(decoding: try JSONSerialization.data(withJSONObject: token), as: UTF8.self)
        }
        #expect(try await history("--since", text(0)).map(\.sequence) == [2, 3])
        #expect(try await history("--since", text(2)).isEmpty)
        let ahead = try await bench.fail(1, "store", "history", "--since", text(2) { $0["sequence"] = 9 })
        #expect(ahead.contains("The store does not have the transaction that the token was taken after"))
        let foreign = try await bench.fail(
            1, "store", "history", "--since", text(2) { $0["storeID"] = UUID().uuidString })
        #expect(foreign.contains("The token was taken from the history of another store"))
        _ = try await bench.succeed("store", "history", "prune", "--keep", "1")
        #expect(
            try await bench.fail(1, "store", "history", "--since", text(0)).contains("are not kept any more"))
        #expect(try await history("--since", text(1)).map(\.sequence) == [3])
        for wrong in ["{}", "{"] {
            #expect(
                try await bench.fail(2, "store", "history", "--since", wrong).contains(
                    "no token of a history"))
        }
    }

    @Test("an import of many rows is one change of the history")
    func imported() async throws {
        _ = try await bench.succeed("seed", "--days", "30", "--babies", "2", "--until", "2025-11-06")
        let before: StoreAnswer = try await bench.succeed("store", "info", "--json").json()
        #expect((before.rows["FeedSession"] ?? 0) > 300)
        let changes = try await history()
        #expect(changes.map(\.author) == ["seed"])
        #expect(try await bench.succeed("undo").output == "Undid the last change.\n")
        let after: StoreAnswer = try await bench.succeed("store", "info", "--json").json()
        #expect(after.rows.values.allSatisfy { $0 == 0 })
    }

    @Test("store history deletes old changes on request")
    func prune() async throws {
        for name in ["Mia", "Leo", "Zoe"] { _ = try await bench.succeed("baby", "add", name) }
        #expect(
            try await bench.succeed("store", "history", "prune", "--since", "2025-01-01").output
                == "Deleted 0 changes.\n")
        #expect(
            try await bench.succeed("store", "history", "prune", "--keep", "1").output
                == "Deleted 2 changes.\n")
        #expect(try await history().map(\.sequence) == [3])
        #expect(try await bench.fail(2, "store", "history", "prune", "--keep", "-1").contains("negative"))
        #expect(try await bench.succeed("undo").output == "Undid the last change.\n")
        #expect(try await bench.succeed("undo").output == "There is nothing to undo.\n")
    }

    @Test("pruning without a number or a time follows the store's retention")
    func retention() async throws {
        for name in ["Mia", "Leo", "Zoe"] { _ = try await bench.succeed("baby", "add", name) }
        try age(by: 89)
        #expect(try await bench.succeed("store", "history", "prune").output == "Deleted 0 changes.\n")
        _ = try await bench.succeed("baby", "add", "Ida")
        try age(by: 2)
        #expect(try await bench.succeed("store", "history", "prune").output == "Deleted 3 changes.\n")
        #expect(try await history().map(\.sequence) == [4])
    }

    @Test("an import prunes the history by the retention, and logging one entry does not")
    func importedLater() async throws {
        for name in ["Mia", "Leo"] { _ = try await bench.succeed("baby", "add", name) }
        try age(by: 91)
        _ = try await bench.succeed("intent", "run", "StartFeeding", "--baby", "Mia")
        let file = "babyName,timestamp,diaperType\nLeo,2025-03-01T10:00:00Z,poo"
        _ = try await bench.succeed("import", "diapers", "-", "--dry-run", input: file)
        #expect(try await history().map(\.sequence) == [1, 2, 3])
        _ = try await bench.succeed("import", "diapers", "-", input: file)
        #expect(try await history().map(\.sequence) == [3, 4])
    }

    @Test("store history lists its consumers, which delay pruning")
    func consumers() async throws {
        for name in ["Mia", "Leo", "Zoe"] { _ = try await bench.succeed("baby", "add", name) }
        #expect(try await bench.succeed("store", "history", "consumers").output == "")
        try sql(
            """
            INSERT INTO switchyard_history_consumer (id, name, era, sequence, digest)
            SELECT randomblob(16), 'mirror', 1, 2, digest FROM switchyard_history ORDER BY id LIMIT 1 OFFSET 1
            """)
        #expect(
            try await bench.succeed("store", "history", "consumers").output
                == "mirror  up to 2, 1 change behind\n")
        struct Consumer: Decodable, Equatable {
            let name: String
            let sequence: Int
            let behind: Int?
        }
        let shown: [Consumer] = try await bench.succeed("store", "history", "consumers", "--json").json()
        #expect(shown == [Consumer(name: "mirror", sequence: 2, behind: 1)])
        _ = try await bench.succeed("baby", "add", "Ida")
        #expect(
            try await bench.succeed("store", "history", "prune", "--keep", "1").output
                == "Deleted 2 changes.\n")
        let regardless = ["prune", "--keep", "1", "--leave-consumers-behind"]
        #expect(try await bench.run(["store", "history"] + regardless).output == "Deleted 1 change.\n")
    }

    /// Makes the changes of the history older, which the command cannot.
    private func age(by days: Int) throws {
        try sql("UPDATE switchyard_history SET time = time - \(days) * 86400 * 1000000")
    }

    private func sql(_ statement: String) throws {
        let queue = try DatabaseQueue(path: bench.url("store.sqlite").path)
        try queue.write { try $0.execute(sql: statement) }
        try queue.close()
    }

    @Test("a wrong entity or time is an error, and a store without a history says so")
    func wrong() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        #expect(try await bench.fail(1, "store", "history", "--entity", "Feeds").contains("FeedSession"))
        #expect(try await bench.fail(2, "store", "history", "--since", "yesterday").contains("--since"))
    }
}
