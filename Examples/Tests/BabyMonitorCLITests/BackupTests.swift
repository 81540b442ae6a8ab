import Foundation
import Testing

@Suite("babymonitor store backup and restore")
struct BackupTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test("a backup is written, and restored into a new store and over an old one")
    func roundTrip() async throws {
        _ = try await bench.succeed("seed", "--days", "2", "--until", "2025-11-06")
        let written = try await bench.succeed("store", "backup", "b.json")
        #expect(written.output.hasSuffix(" rows to b.json.\n"))
        let old = ["--store", "sqlite:store.sqlite"], new = ["--store", "sqlite:new.sqlite"]
        let merged = try await bench.run(["store", "restore", "b.json", "--mode", "merge"] + new)
        #expect(merged.status == 0)
        #expect(merged.output.contains("inserted"))
        #expect(!merged.output.contains("updated"))
        let replaced = try await bench.run(["store", "restore", "b.json", "--mode", "replace"] + old)
        #expect(replaced.output.contains("deleted before"))
        let piped = try await bench.shell(
            #"cat b.json | "$@""#, "store", "restore", "/dev/stdin", "--mode", "merge")
        #expect(piped.status == 0, "\(piped.error)")
        #expect(piped.output.contains("updated"))
        let verified = try await bench.run(["store", "verify", "sqlite:store.sqlite", "sqlite:new.sqlite"])
        #expect(verified.status == 0, "\(verified.error)")
    }

    @Test("a backup overwrites no file, and an unsound document creates no store")
    func refusals() async throws {
        _ = try await bench.succeed("seed", "--days", "1", "--until", "2025-11-06")
        _ = try await bench.succeed("store", "backup", "b.json")
        let before = try bench.files()
        #expect(
            try await bench.fail(1, "store", "backup", "b.json")
                == "babymonitor: b.json already exists, and is unchanged. Give another name.\n"
        )
        _ = try await bench.fail(2, "store", "backup", "store.sqlite", "--overwrite")
        #expect(try bench.files() == before)
        let text = try String(contentsOf: bench.url("b.json"), encoding: .utf8)
        try Data(text.utf8.dropLast(9)).write(to: bench.url("cut.json"))
        for file in ["cut.json", "none.json"] {
            let outcome = try await bench.run(
                ["store", "restore", file, "--mode", "merge", "--store", "sqlite:new.sqlite"])
            #expect(outcome.status == 1)
            #expect(outcome.isOneParagraph)
            #expect(outcome.error.contains(file))
        }
        #expect(!FileManager.default.fileExists(atPath: bench.url("new.sqlite").path))
        _ = try await bench.succeed("store", "backup", "b.json", "--overwrite")
        _ = try await bench.fail(2, "store", "restore", "b.json")
    }
}
