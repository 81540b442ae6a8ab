import Foundation
import Testing

@Suite("babymonitor --verbose")
struct VerboseTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test(
        "--verbose prints statements and the store's id to standard error, and leaves standard output unchanged"
    )
    func statements() async throws {
        _ = try await bench.succeed("baby", "add", "Mia Rosenrot")
        let quiet = try await bench.succeed("baby", "list", "--json")
        // One read in a hundred looks whether the store is being rehearsed, which is a statement more.
        let outcome = try await bench.run(
            ["baby", "list", "--json", "--verbose"], environment: ["SWITCHYARD_REHEARSAL_PERCENT": "0"])
        #expect(outcome.status == 0)
        #expect(outcome.output == quiet.output)
        #expect(try outcome.json([BabyAnswer].self).map(\.name) == ["Mia Rosenrot"])
        let store = try await bench.shell(#""$@" 2>&1 | head -1"#, ["store", "info", "--verbose"]).output
        let id = try #require(store.firstMatch(of: #/switchyard\.store\.id=([0-9a-f-]{36}) /#)?.1)
        let lines = outcome.error.split(separator: "\n")
        #expect(lines.allSatisfy { $0.contains("switchyard.store.id=\(id) ") && $0.contains(" duration=") })
        #expect(
            lines.filter { $0.contains(" trace babymonitor: ") && $0.hasSuffix("] statement") }.map {
                $0.contains("db.query.text=SELECT") && $0.contains(#" FROM "BabyProfile" "#)
            } == [true])
        #expect(lines.count { $0.hasSuffix("] opened") && $0.contains(" debug babymonitor: ") } == 1)
        #expect(!outcome.error.contains("Rosenrot"))
    }

    @Test(
        "--verbose is an option of every command that opens a store",
        arguments: [
            ["baby", "list"], ["baby", "add", "Leo"], ["status"], ["history"], ["store", "check"],
            ["say", "Update diaper time for BabyMonitor", "--baby", "Mia"],
            ["intent", "run", "StartFeeding", "--baby", "Mia"], ["export", "feeds", "-"],
        ])
    func everywhere(_ words: [String]) async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        let outcome = try await bench.run(words + ["--verbose"])
        #expect(outcome.status == 0)
        #expect(outcome.error.contains("] statement\n") || words[0] == "store")
        #expect(outcome.error.contains("] opened\n"))
    }

    @Test("--verbose prints the error after the records, which contain its code and no values")
    func failure() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        let outcome = try await bench.run(["baby", "remove", "Rosenrot", "--verbose"])
        #expect(outcome.status == 1)
        #expect(outcome.output == "")
        let lines = outcome.error.split(separator: "\n")
        #expect(lines.last?.hasPrefix("babymonitor: ") == true)
        #expect(!lines.dropLast().joined().contains("Rosenrot"))
    }
}
