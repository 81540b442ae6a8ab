import Foundation
import Testing

@Suite("babymonitor widgets")
struct WidgetTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test("widget snapshots lie beside the store, one file for each baby, and follow every write")
    func files() async throws {
        try await bench.makeStore()
        #expect(
            try await bench.succeed("widgets", "show").output
                == "There are no snapshots yet; write them with: babymonitor widgets refresh\n")
        let mia: BabyAnswer = try await bench.succeed("baby", "add", "Mia", "--json").json()
        let file = "store.sqlite.WidgetCache/\(mia.id.uppercased()).json"
        #expect(
            try bench.read(file).hasPrefix(
                #"{"id":"\#(mia.id.uppercased())","name":"Mia","totalProgress":0,"#))
        _ = try await bench.succeed("intent", "run", "StartFeeding", "--baby", "Mia")
        let shown: [SnapshotAnswer] = try await bench.succeed("widgets", "show", "--json").json()
        #expect(shown.map(\.name) == ["Mia"])
        #expect(shown.map(\.isFeeding) == [true])
        #expect(shown.map(\.feedTerm) == [10_800])
        #expect(shown.allSatisfy { $0.totalProgress > 0 && $0.totalProgress == $0.feedingProgress })
        let refreshed: [SnapshotAnswer] = try await bench.succeed("widgets", "refresh", "--json").json()
        #expect(
            try JSONDecoder().decode(SnapshotAnswer.self, from: Data(bench.read(file).utf8)) == refreshed[0])
        #expect(
            try await bench.succeed("widgets", "show").output.hasPrefix(
                "Mia: 0 % of the feeding interval, feeding, written "))
        _ = try await bench.succeed("baby", "remove", "Mia")
        #expect(!FileManager.default.fileExists(atPath: bench.url(file).path))
        #expect(
            try await bench.succeed("widgets", "refresh").output
                == "Wrote 0 snapshots to \(bench.url("store.sqlite.WidgetCache").path).\n")
    }

    @Test("concurrent commands leave snapshots of exactly the existing babies")
    func parallel() async throws {
        try await bench.makeStore()
        let names = (1...8).map { "Baby \($0)" }
        func together(_ command: String) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for name in names {
                    group.addTask { _ = try await bench.succeed("baby", command, name) }
                }
                try await group.waitForAll()
            }
        }
        func snapshots() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: bench.url("store.sqlite.WidgetCache").path)
                .filter { $0.hasSuffix(".json") }
        }
        try await together("add")
        #expect(try snapshots().count == 8)
        try await together("remove")
        #expect(try snapshots() == [])
    }

    @Test("a damaged snapshot is named, and rewritten")
    func damaged() async throws {
        let mia: BabyAnswer = try await bench.succeed("baby", "add", "Mia", "--json").json()
        let file = "store.sqlite.WidgetCache/\(mia.id.uppercased()).json"
        try bench.write("{", to: file)
        #expect(
            try await bench.fail(1, "widgets", "show")
                == "babymonitor: The file \(bench.url(file).path) is not a snapshot. Rewrite it with: babymonitor widgets refresh\n"
        )
        _ = try await bench.succeed("widgets", "refresh")
        _ = try await bench.succeed("widgets", "show")
    }

    @Test("a snapshot with extreme numbers is shown")
    func huge() async throws {
        let mia: BabyAnswer = try await bench.succeed("baby", "add", "Mia", "--json").json()
        try bench.write(
            #"{"id":"\#(mia.id)","name":"Mia","totalProgress":1e40,"feedingProgress":1e300,"updatedAt":1e40}"#,
            to: "store.sqlite.WidgetCache/\(mia.id.uppercased()).json")
        #expect(
            try await bench.succeed("widgets", "show").output.hasPrefix(
                "Mia: 1000000000000000044885712678075916785549312 % of the feeding interval, written "))
    }

    @Test("two stores in one directory keep their snapshots apart")
    func neighbours() async throws {
        let other = ["--store", "sqlite:other.sqlite"]
        _ = try await bench.succeed("baby", "add", "Mia")
        #expect(try await bench.run(["baby", "add", "Leo"] + other).status == 0)
        let mine: [SnapshotAnswer] = try await bench.succeed("widgets", "show", "--json").json()
        #expect(mine.map(\.name) == ["Mia"])
        let others: [SnapshotAnswer] = try await bench.run(["widgets", "show", "--json"] + other).json()
        #expect(others.map(\.name) == ["Leo"])
    }

    @Test("a store in memory has no snapshots, and leaves those of the app alone")
    func memory() async throws {
        let app = try Workbench([:])
        _ = try await app.succeed("baby", "add", "Mia")
        let before = try app.files().filter { $0.key.contains("/WidgetCache/") && $0.key.hasSuffix(".json") }
        #expect(before.count == 1)
        _ = try await app.succeed("baby", "add", "Leo", "--store", "memory:")
        _ = try await app.succeed("seed", "--days", "1", "--store", "memory:")
        #expect(
            try app.files().filter { $0.key.contains("/WidgetCache/") && $0.key.hasSuffix(".json") } == before
        )
        for command in ["show", "refresh"] {
            #expect(
                try await app.fail(1, "widgets", command, "--store", "memory:")
                    == "babymonitor: A store in memory ends with the command and has no snapshots; choose another with --store.\n"
            )
        }
    }

    @Test("a change is saved even if no snapshot can be written, and the command says so")
    func unwritable() async throws {
        try bench.write("in the way", to: "store.sqlite.WidgetCache")
        let outcome = try await bench.run(["baby", "add", "Mia"])
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("Added Mia ("))
        let place = bench.url("store.sqlite.WidgetCache").path
        #expect(
            outcome.error
                == "babymonitor: The change was saved, but the command could not refresh widgets: The directory \(place) cannot be "
                + "created: File exists. Make sure that its parent is a directory that you can write to.\n")
        #expect(
            try await bench.fail(1, "widgets", "refresh").hasPrefix(
                "babymonitor: The directory \(place) cannot be created: File exists."))
    }

    @Test(
        "an unwritable snapshot directory is named, with the system's reason",
        .enabled(if: canBeBound, "runs as root, which no permission binds, and there is no setpriv"))
    func forbidden() async throws {
        let directory = bench.url("store.sqlite.WidgetCache")
        _ = try await bench.succeed("baby", "add", "Mia")
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: directory.path)
        let outcome = try await bench.shell(bound + "\"$@\"", "widgets", "refresh")
        #expect(outcome.status == 1)
        #expect(outcome.error.hasPrefix("babymonitor: The widgets' snapshot \(directory.path)/"))
        #expect(
            outcome.error.hasSuffix(
                ".json cannot be written: Permission denied. Make sure that the disk is not full, and that you can "
                    + "write to its directory.\n"))
    }
}
