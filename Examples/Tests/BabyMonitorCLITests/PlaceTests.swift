import Foundation
import GRDB
import Testing

@Suite("The places of a store that is switched, and of its copies")
struct PlaceTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private func location(_ name: String) -> String { "sqlite:\(bench.url(name).path)" }

    private func babies(_ words: String...) async throws -> [String] {
        let outcome = try await bench.run(["baby", "list", "--json"] + words)
        return try outcome.json([BabyAnswer].self).map(\.name)
    }

    private func remove(_ name: String) throws { try FileManager.default.removeItem(at: bench.url(name)) }

    /// Makes the configured store, and a copy of its file; in each there is a baby that the other does not have.
    private func makeTwins() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        try FileManager.default.copyItem(at: bench.url("store.sqlite"), to: bench.url("trial.sqlite"))
        _ = try await bench.succeed("baby", "add", "Live")
        _ = try await bench.succeed("baby", "add", "Trial", "--store", "sqlite:trial.sqlite")
    }

    @Test(
        "switching a copy of the configured store misleads nothing, and is reported",
        arguments: [true, false])
    func twins(isLiveFirst: Bool) async throws {
        try await makeTwins()
        let live = ["store", "switch", "--to", "sqlite:a.sqlite"]
        let trial = ["store", "switch", "--store", "sqlite:trial.sqlite", "--to", "sqlite:b.sqlite"]
        let (first, second) = isLiveFirst ? (live, trial) : (trial, live)
        #expect(try await !bench.run(first).output.contains("twin"))
        let told = try await bench.run(second)
        #expect(told.status == 0)
        #expect(
            told.output.contains("twin  \(location(isLiveFirst ? "a.sqlite" : "b.sqlite")), generation 2"))
        for isThere in [true, false] {
            if !isThere { for name in ["store.sqlite", "trial.sqlite"] { try remove(name) } }
            #expect(try await babies() == ["Live", "Mia"])
            _ = try await bench.succeed("baby", "add", "Later")
            #expect(try await babies("--store", "sqlite:b.sqlite") == ["Mia", "Trial"])
            _ = try await bench.succeed("baby", "remove", "Later")
        }
        #expect(
            try await bench.succeed("store", "switch", "--status").output == """
                phase   committed
                config  \(location("store.sqlite"))
                store   \(location("a.sqlite"))
                source  \(location("store.sqlite"))
                target  \(location("a.sqlite"))

                """)
        let info = try await bench.succeed("store", "info").output
        #expect(info.contains("location     \(bench.url("a.sqlite").path)\n"))
        #expect(info.contains("configured   \(location("store.sqlite"))\n"))
        #expect(
            info.contains(
                "twin         \(location("b.sqlite")), generation 2, formerly \(location("trial.sqlite")). Two stores"
            ))
        struct Info: Decodable {
            struct Places: Decodable {
                struct Twin: Decodable { let location: String }
                let configured: String?
                let twins: [Twin]
            }
            let places: Places
        }
        let other: Info = try await bench.succeed("store", "info", "--json", "--store", "sqlite:b.sqlite")
            .json()
        #expect(other.places.configured == nil)
        #expect(other.places.twins.map(\.location) == [location("a.sqlite")])
    }

    @Test("a copy at the place of the configured store is reported until it has an identity of its own")
    func putBack() async throws {
        try await makeTwins()
        _ = try await bench.succeed("store", "switch", "--to", "sqlite:a.sqlite")
        try remove("store.sqlite")
        try FileManager.default.moveItem(at: bench.url("trial.sqlite"), to: bench.url("store.sqlite"))
        for words in [
            ["baby", "list"], ["baby", "add", "Zoe"], ["store", "info"], ["store", "switch", "--status"],
        ] {
            let outcome = try await bench.run(words)
            #expect(outcome.status == 1)
            #expect(outcome.error.contains("Two stores have the same identity now."), "\(outcome.error)")
        }
        _ = try await bench.fail(2, "store", "fork")
        let info = try await bench.succeed("store", "info", "--store", "sqlite:store.sqlite").output
        #expect(info.contains("twin         \(location("a.sqlite")), generation 2"))
        let forked = try await bench.succeed("store", "fork", "--store", "sqlite:store.sqlite").output
        #expect(forked.hasPrefix("The store at \(location("store.sqlite")) has an identity of its own now: "))
        #expect(try await babies() == ["Mia", "Trial"])
        #expect(try await !bench.succeed("store", "info").output.contains("twin"))
        #expect(try await babies("--store", "sqlite:a.sqlite") == ["Live", "Mia"])
        _ = try await bench.succeed("store", "check")
    }

    @Test("a damaged place record is reported, and stops a command only if it is needed")
    func damagedRecord() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        _ = try await bench.succeed("store", "switch", "--to", "sqlite:a.sqlite")
        let home = bench.url("home")
        let records = try FileManager.default.subpathsOfDirectory(atPath: home.path).filter {
            $0.contains("/Places/")
        }
        let record = home.appending(path: try #require(records.first))
        #expect(records.count == 1)
        // Another store's, of an earlier version: nobody can tell where that was.
        let other = record.deletingLastPathComponent().appending(
            path: "\(UUID().uuidString.lowercased()).json")
        try Data("{".utf8).write(to: other)
        #expect(try await babies() == ["Mia"])
        try Data("{".utf8).write(to: record)
        let info = try await bench.succeed("store", "info").output
        #expect(info.contains("record       The record of a store's place, \(record.path), is damaged."))
        #expect(info.contains("record       The record of a store's place, \(other.path), is damaged."))
        #expect(info.contains("location     \(bench.url("a.sqlite").path)\n"))
        #expect(try await babies("--store", "sqlite:a.sqlite") == ["Mia"])
        try remove("store.sqlite")
        #expect(try await bench.fail(1, "baby", "add", "Zoe").contains("is damaged"))
        #expect(!FileManager.default.fileExists(atPath: bench.url("store.sqlite").path))
    }

    @Test("a superseded store can be read, and says that it is not in use")
    func superseded() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        _ = try await bench.succeed("store", "switch", "--to", "sqlite:a.sqlite")
        _ = try await bench.succeed("baby", "add", "Later")
        let left = ["--store", "sqlite:store.sqlite"]
        for words in [
            ["baby", "list"], ["status"], ["history"], ["export", "feeds", "--format", "full"],
            ["store", "backup", "left.json"], ["store", "info"], ["store", "check"],
        ] {
            let outcome = try await bench.run(words + left)
            #expect(outcome.status == 0, "\(words)")
            #expect(!outcome.output.contains("Later"))
            guard words[0] != "store" || words[1] == "backup" else { continue }
            #expect(
                outcome.error
                    == "babymonitor: The store takes no more writes, because of a switch to \(location("a.sqlite")), and was only read.\n",
                "\(words)")
        }
        #expect(try bench.read("left.json").contains("Mia"))
        #expect(try await bench.fail(1, "baby", "add", "Zoe", "--store", left[1]).contains("superseded by"))
    }

    @Test("a switch replaces a backup with later writes only if those may be discarded")
    func changedBackup() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        _ = try await bench.succeed("store", "switch", "--to", "sqlite:a.sqlite")
        let queue = try DatabaseQueue(path: bench.url("store.sqlite").path)
        try await queue.write { try $0.execute(sql: "UPDATE BabyProfile SET name = 'Max'") }
        try queue.close()
        let words = ["store", "switch", "--to", "sqlite:store.sqlite", "--replace-backup"]
        let refusal = try await bench.run(words)
        #expect(refusal.status == 1)
        #expect(refusal.error.contains("the backup at \(location("store.sqlite"))"))
        #expect(try await bench.run(words + ["--discard-backup-changes"]).status == 0)
        #expect(try await babies() == ["Mia"])
        _ = try await bench.fail(2, "store", "switch", "--to", "sqlite:b.sqlite", "--discard-backup-changes")
    }
}
