import Foundation
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

    @Test("undo takes back one command after the other, and says when nothing is left")
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

    @Test("an import of many rows is one change")
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

    @Test("old changes are deleted on request")
    func prune() async throws {
        for name in ["Mia", "Leo", "Zoe"] { _ = try await bench.succeed("baby", "add", name) }
        #expect(
            try await bench.succeed("store", "history", "prune", "--since", "2025-01-01").output
                == "Deleted 0 changes.\n")
        #expect(
            try await bench.succeed("store", "history", "prune", "--keep", "1").output
                == "Deleted 2 changes.\n")
        #expect(try await history().map(\.sequence) == [3])
        #expect(try await bench.fail(2, "store", "history", "prune").contains("--keep"))
        #expect(try await bench.fail(2, "store", "history", "prune", "--keep", "-1").contains("negative"))
        #expect(try await bench.succeed("undo").output == "Undid the last change.\n")
        #expect(try await bench.succeed("undo").output == "There is nothing to undo.\n")
    }

    @Test("a wrong entity or time is an error, and a store without a history says so")
    func wrong() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        #expect(try await bench.fail(1, "store", "history", "--entity", "Feeds").contains("FeedSession"))
        #expect(try await bench.fail(2, "store", "history", "--since", "yesterday").contains("--since"))
    }
}
