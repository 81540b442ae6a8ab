import Foundation
import Testing

@Suite("babymonitor called rightly and wrongly")
struct UsageTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test(
        "help is an answer and no error",
        arguments: [[], ["--help"], ["help", "import"], ["store", "check", "-h"]])
    func help(arguments: [String]) async throws {
        let outcome = try await bench.run(arguments)
        #expect(outcome.status == 0)
        #expect(outcome.error == "")
        #expect(outcome.output.contains("USAGE: babymonitor"))
        #expect(try bench.files().keys.sorted() == ["home"])
    }

    @Test(
        "a call that cannot be understood ends with 2, and opens no store",
        arguments: [
            ["feed"], ["baby"], ["status", "--jsn"], ["status", "Mia"], ["baby", "add"], ["import", "feeds"],
            ["import", "x.csv"], ["export", "feeds", "--format", "short"], ["history", "--limit", "few"],
            ["history", "--until", "2025-13-01"], ["seed", "--days", "some"], ["store", "repair"],
            ["config"], ["status", "--store"], ["status", "--store", "store.sqlite"],
        ])
    func wrongUsage(arguments: [String]) async throws {
        let outcome = try await bench.run(arguments)
        if outcome.status == 0 {
            // A group of commands alone shows its help.
            #expect(outcome.output.contains("USAGE: babymonitor \(arguments[0])"))
        } else {
            #expect(outcome.status == 2)
            #expect(outcome.output == "")
            #expect(outcome.isOneParagraph, "\(outcome.error)")
        }
        #expect(try bench.files().keys.sorted() == ["home"])
    }

    @Test("a store in memory lives for one command")
    func memory() async throws {
        #expect(try await bench.run(["baby", "add", "Mia", "--store", "memory:"]).status == 0)
        let babies = try await bench.run(["baby", "list", "--json", "--store", "memory:"])
        #expect(try babies.json([BabyAnswer].self) == [])
        let info = try await bench.run(["store", "info", "--json", "--store", "memory:"])
        #expect(try info.json(StoreAnswer.self).rows["BabyProfile"] == 0)
    }

    @Test(
        "an error that nobody can be told is an exit status all the same",
        arguments: isLinux ? ["2>&-", "2>/dev/full"] : ["2>&-"])
    func closedError(redirection: String) async throws {
        #expect(try await bench.shell("\"$@\" \(redirection)", "history", "--since", "yesterday").status == 2)
        #expect(try await bench.shell("\"$@\" \(redirection)", "status").status == 1)
        let added = try await bench.shell("\"$@\" \(redirection)", "baby", "add", "Mia")
        #expect(added.status == 0)
        #expect(added.output.hasPrefix("Added Mia ("))
    }
}
