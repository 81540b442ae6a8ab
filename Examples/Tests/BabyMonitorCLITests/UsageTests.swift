import Foundation
import Testing

@Suite("Usage of babymonitor")
struct UsageTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test(
        "help succeeds and prints to standard output",
        arguments: [[], ["--help"], ["help", "import"], ["store", "check", "-h"]])
    func help(arguments: [String]) async throws {
        let outcome = try await bench.run(arguments)
        #expect(outcome.status == 0)
        #expect(outcome.error == "")
        #expect(outcome.output.contains("USAGE: babymonitor"))
        #expect(try bench.files().keys.sorted() == ["home"])
    }

    @Test(
        "an invalid call ends with 2, and opens no store",
        arguments: [
            ["feed"], ["baby"], ["status", "--jsn"], ["status", "Mia"], ["baby", "add"], ["import", "feeds"],
            ["import", "x.csv"], ["export", "feeds", "--format", "short"], ["history", "--limit", "few"],
            ["history", "--until", "2025-13-01"], ["seed", "--days", "some"], ["store", "mend"],
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

    @Test("a word or a variable that is not UTF-8 is refused, and never repaired")
    func bytes() async throws {
        for script in [
            #""$@" baby add "$(printf 'A\377B')""#,
            #"SWITCHYARD_STORE_URL="$(printf 'sqlite:bad\377.sqlite')" "$@" baby add Mia"#,
        ] {
            let outcome = try await bench.shell(script)
            #expect(outcome.status == 2)
            #expect(outcome.error.contains("is not UTF-8"))
            #expect(outcome.isOneParagraph)
        }
        #expect(try bench.files().keys.sorted() == ["home"])
        #expect(try await bench.succeed("baby", "add", "A\u{FFFD}B").output.hasPrefix("Added A\u{FFFD}B ("))
    }

    @Test(
        "wrong usage is explained in one paragraph that says what was expected, and where to read on",
        arguments: [
            (["feed"], "Unexpected argument 'feed'. See 'babymonitor --help' for more information."),
            (
                ["store", "histry", "--json"],
                "Unexpected argument 'histry'. See 'babymonitor store --help' for more information."
            ),
            (
                ["stroe", "history", "--json"],
                "Unexpected argument 'stroe'. See 'babymonitor --help' for more information."
            ),
            (
                ["import", "feeds"],
                "Missing expected argument '<file>'. <file>: The file; - is standard input. See 'babymonitor import --help' "
                    + "for more information."
            ),
            (
                ["status", "--jsn"],
                "Unknown option '--jsn'. Did you mean '--json'? See 'babymonitor status --help' for more information."
            ),
            (
                ["seed", "--days", "-1"],
                "Sample data has 1 to 1,000 babies and 0 to 500,000 days; 2 and -1 were given. See 'babymonitor seed --help' "
                    + "for more information."
            ),
            (
                ["export", "feeds", ""],
                "The name of the file is empty; - is standard output. See 'babymonitor export --help' for more information."
            ),
            (
                ["history", "--limit", "-1"],
                "--limit cannot be negative. See 'babymonitor history --help' for more information."
            ),
        ])
    func paragraphs(arguments: [String], paragraph: String) async throws {
        let outcome = try await bench.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.error == "babymonitor: \(paragraph)\n")
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
        "an error that cannot be printed still sets the exit status",
        arguments: isLinux ? ["2>&-", "2>/dev/full"] : ["2>&-"])
    func closedError(redirection: String) async throws {
        #expect(try await bench.shell("\"$@\" \(redirection)", "history", "--since", "yesterday").status == 2)
        #expect(try await bench.shell("\"$@\" \(redirection)", "status").status == 1)
        let added = try await bench.shell("\"$@\" \(redirection)", "baby", "add", "Mia")
        #expect(added.status == 0)
        #expect(added.output.hasPrefix("Added Mia ("))
    }
}
