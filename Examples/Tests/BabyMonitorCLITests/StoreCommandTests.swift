import Foundation
import GRDB
import Testing

@Suite("babymonitor store and seed")
struct StoreCommandTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    /// Does to the file what no store would do.
    private func tamper(_ sql: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: bench.url("store.sqlite").path, configuration: configuration)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test("store info shows the kind and place of the store, and counts its rows")
    func info() async throws {
        _ = try await bench.succeed("seed", "--days", "2", "--babies", "3", "--until", "2025-11-06")
        let info: StoreAnswer = try await bench.succeed("store", "info", "--json").json()
        #expect(info.backend == "sqlite")
        #expect(info.location == bench.url("store.sqlite").path)
        #expect(info.generation == 1)
        #expect(info.role == "active")
        #expect(info.schemaVersion == "8.0.0")
        #expect(info.rows["BabyProfile"] == 3)
        #expect(info.rows["FeedSession"] == 36)
        #expect(info.rows["DiaperChange"] == 60)
        let text = try await bench.succeed("store", "info").output
        #expect(text.contains("location     \(info.location)\n"))
        #expect(text.contains("rows         FeedSession: 36\n"))
    }

    @Test("store schema prints for people, and as data")
    func schema() async throws {
        try await bench.makeStore()
        let text = try await bench.succeed("store", "schema").output
        #expect(text.hasPrefix("schema 8.0.0 "))
        #expect(
            text.contains("\nentity FeedSession\n  id: uuid\n  startTime: timestamp\n  endTime: timestamp?\n")
        )
        struct SchemaAnswer: Decodable {
            struct Entity: Decodable { let name: String }
            let entities: [Entity]
        }
        let schema: SchemaAnswer = try await bench.succeed("store", "schema", "--json").json()
        #expect(
            schema.entities.map(\.name).sorted() == [
                "BabyProfile", "CustomEvent", "CustomEventType", "DiaperChange", "FeedSession",
            ])
    }

    @Test("a command that only reads creates no store, and overwrites no file")
    func missing() async throws {
        try bench.write("kept", to: "out.csv")
        for command in [
            ["store", "info"], ["store", "schema"], ["store", "check"], ["status"], ["history"],
            ["baby", "list"], ["widgets", "show"], ["widgets", "refresh"], ["export", "feeds"],
            ["export", "diapers", "out.csv"],
        ] {
            let outcome = try await bench.run(command)
            #expect(outcome.status == 1, "\(command)")
            #expect(outcome.output == "", "\(command)")
            #expect(
                outcome.error
                    == "babymonitor: There is no store at \(bench.url("store.sqlite").path). Check its name, or make one with: babymonitor baby add NAME, import … --create-babies, or seed\n"
            )
        }
        #expect(try bench.files().keys.sorted() == ["home", "out.csv"])
        #expect(try bench.read("out.csv") == "kept")
        // Nothing is missing where every store is a new one.
        for command in [["status"], ["history"], ["baby", "list"], ["export", "feeds"], ["store", "info"]] {
            #expect(try await bench.run(command + ["--store", "memory:"]).status == 0, "\(command)")
        }
    }

    @Test("a sound store passes the check, and is not changed by it")
    func sound() async throws {
        _ = try await bench.succeed("seed", "--days", "2", "--until", "2025-11-06")
        let before = try bench.files()
        #expect(try await bench.succeed("store", "check").output == "The store is sound.\n")
        #expect(try await bench.succeed("store", "check", "--json").json([String].self) == [])
        #expect(try bench.files() == before)
    }

    @Test("check reports a reference to a row that was deleted behind the store's back")
    func dangling() async throws {
        _ = try await bench.succeed("seed", "--days", "1", "--babies", "1", "--until", "2025-11-06")
        try tamper("DELETE FROM BabyProfile")
        let outcome = try await bench.run(["store", "check"])
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("FeedSession"))
        #expect(outcome.isOneParagraph)
        #expect(outcome.error.hasSuffix("Make a copy before you go on.\n"))
        let json = try await bench.run(["store", "check", "--json"])
        #expect(json.status == 1)
        #expect(try json.json([String].self) == outcome.output.split(separator: "\n").map { String($0) })
    }

    @Test("check reports a value that its attribute does not allow")
    func wrongValue() async throws {
        _ = try await bench.succeed("seed", "--days", "1", "--babies", "1", "--until", "2025-11-06")
        try tamper(
            "PRAGMA ignore_check_constraints = ON; UPDATE DiaperChange SET type = 'mud'"
        )
        let outcome = try await bench.run(["store", "check"])
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("DiaperChange"))
    }

    @Test("verify finds two stores with the same rows equal, and names each row that differs")
    func verify() async throws {
        _ = try await bench.succeed("seed", "--days", "2", "--babies", "3", "--until", "2025-11-06")
        try FileManager.default.copyItem(at: bench.url("store.sqlite"), to: bench.url("copy.sqlite"))
        let before = try bench.files()
        let same = try await bench.succeed("store", "verify", "sqlite:store.sqlite", "sqlite:copy.sqlite")
        #expect(same.output.contains("BabyProfile: 3 rows, "))
        #expect(
            same.output.hasSuffix(
                "Both stores hold the same rows; compared value by value: 109 rows drawn at random.\n"))
        #expect(try bench.files() == before)
        try tamper(
            """
            DELETE FROM DiaperChange WHERE id = (SELECT min(id) FROM DiaperChange);
            UPDATE BabyProfile SET name = 'Nobody' WHERE id = (SELECT max(id) FROM BabyProfile)
            """)
        let words = ["store", "verify", "sqlite:store.sqlite", "sqlite:copy.sqlite"]
        let outcome = try await bench.run(words)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("DiaperChange: 59 rows, "))
        #expect(outcome.output.contains("and 60 rows, "))
        #expect(outcome.output.contains(" is only in the second store\n"))
        #expect(outcome.output.contains(" differs in name\n"))
        #expect(
            outcome.error
                == "babymonitor: The stores do not hold the same sound rows, as shown above. Nothing was changed.\n"
        )
        struct Entity: Decodable {
            struct Difference: Decodable { let id, kind: String }
            let entity: String
            let isEqual: Bool
            let rows: [Int]
            let differences: [Difference]
        }
        let entities: [Entity] = try await bench.run(words + ["--json"]).json()
        #expect(entities.filter { !$0.isEqual }.map(\.entity).sorted() == ["BabyProfile", "DiaperChange"])
        #expect(entities.first { $0.entity == "DiaperChange" }?.rows == [59, 60])
        #expect(entities.first { $0.entity == "DiaperChange" }?.differences.map(\.kind) == ["onlyInSecond"])
    }

    @Test("verify needs two stores, and creates neither")
    func verifyMissing() async throws {
        try await bench.makeStore()
        #expect(
            try await bench.fail(1, "store", "verify", "sqlite:store.sqlite", "sqlite:none.sqlite")
                .contains("There is no store at \(bench.url("none.sqlite").path)"))
        #expect(!FileManager.default.fileExists(atPath: bench.url("none.sqlite").path))
        _ = try await bench.fail(2, "store", "verify", "sqlite:store.sqlite")
        #expect(
            try await bench.fail(
                2, "store", "verify", "sqlite:store.sqlite", "sqlite:store.sqlite", "--store", "memory:"
            ).contains("leave --store out"))
    }

    @Test("check reports overwritten pages, or the file is refused; the file is unchanged")
    func damagedPages() async throws {
        _ = try await bench.succeed("seed", "--days", "100", "--until", "2025-11-06")
        // The log is brought in, so that the file alone is the store.
        try tamper("PRAGMA user_version = 0")
        let file = bench.url("store.sqlite")
        let whole = try Data(contentsOf: file)
        let pageSize = 4096
        #expect(whole.count > 40 * pageSize)
        // The first page holds the schema and the fifth and later ones hold tables and indexes.
        for page in [0, 4, 20, whole.count / pageSize - 1] {
            var damaged = whole
            let start = page * pageSize + (page == 0 ? 100 : 0)
            for index in start..<(start + 64) { damaged[index] = 0xFF }
            try damaged.write(to: file)
            let outcome = try await bench.run(["store", "check"])
            #expect(outcome.status == 1, "page \(page)")
            #expect(outcome.isOneParagraph, "page \(page): \(outcome.error)")
            #expect(try Data(contentsOf: file) == damaged, "page \(page)")
        }
        try whole.write(to: file)
        _ = try await bench.succeed("store", "check")
    }

    @Test("seed gives the same rows for the same seed and end, and adds them only once")
    func seed() async throws {
        let options = ["--days", "3", "--babies", "2", "--seed", "7", "--until", "2025-11-06T12:00:00Z"]
        let answer = try await bench.run(["seed", "--json"] + options)
        #expect(try answer.json() == ["babies": 2, "feeds": 36, "diapers": 60])
        let full = try await bench.succeed("export", "feeds", "--format", "full").output
        let again = try await bench.run(["seed"] + options)
        #expect(again.status == 1)
        #expect(
            again.error
                == "babymonitor: The store holds these samples already: the same seed and end give the same rows. Nothing was "
                + "added; give another --seed.\n")
        #expect(try await bench.succeed("export", "feeds", "--format", "full").output == full)
        let other = try await bench.run(["seed", "--store", "sqlite:other.sqlite"] + options)
        #expect(other.output == "Added 2 babies, 36 feeds and 60 diaper changes.\n")
        #expect(
            try await bench.run(["export", "feeds", "--format", "full", "--store", "sqlite:other.sqlite"])
                .output
                == full)
        #expect(try await bench.fail(2, "seed", "--days=-1").contains("0 to 500,000 days"))
        #expect(try await bench.fail(2, "seed", "--babies", "1001").contains("1 to 1,000 babies"))
    }
}
