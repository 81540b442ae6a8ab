import Foundation
import Testing

@Suite("babymonitor import from pipes and devices")
struct ImportInputTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private static let feeds = "babyName,timestamp,amountValue\nMia,2025-11-06T12:00:00Z,80\n"
    private static let diapers = "babyName,timestamp,diaperType\nMia,2025-11-06T12:00:00Z,pee\n"

    @Test(
        "an import from a pipe reads all its rows, under whatever name",
        arguments: ["-", "/dev/stdin", "pipe"])
    func pipes(name: String) async throws {
        try bench.write(Self.feeds, to: "feeds.csv")
        let script =
            name == "pipe"
            ? "mkfifo pipe; cat feeds.csv > pipe & \"$@\"; wait" : "cat feeds.csv | \"$@\""
        let outcome = try await bench.shell(script, "import", "feeds", name, "--create-babies")
        #expect(outcome.output == "Imported 1 feed, skipped 0, added 1 baby.\n", "\(outcome.error)")
    }

    @Test("an import of the other kind of file creates no store, in any format and from any source")
    func otherKind() async throws {
        let full =
            "id,timestamp,type,memoText,profile,profile.name,profile.createdAt,profile.feedTerm\n\n"
        let message = "babymonitor: The file holds diapers, not feeds. Import it as diapers.\n"
        for (name, text) in [
            ("legacy.csv", Self.diapers), ("full.csv", full), ("bare.csv", "Mia,2025-11-06T12:00:00Z,pee\n"),
        ] {
            try bench.write(text, to: name)
            #expect(try await bench.fail(1, "import", "feeds", name, "--create-babies") == message)
            let outcome = try await bench.shell(
                "rm -f pipe; mkfifo pipe; cat \(name) > pipe & \"$@\"; status=$?; wait; exit $status",
                "import", "feeds", "pipe", "--create-babies")
            #expect(outcome.status == 1)
            #expect(outcome.error == message)
        }
        #expect(try bench.files().keys.allSatisfy { !$0.hasPrefix("store.sqlite") })
    }

    @Test("an endless input is refused by its beginning", .enabled(if: isLinux, "needs /dev/zero as input"))
    func endless() async throws {
        let outcome = try await bench.shell("\"$@\" < /dev/zero", "import", "feeds", "-", "--create-babies")
        #expect(outcome.status == 1)
        #expect(
            outcome.error
                == "babymonitor: Line 1, column 1: The file is not text but binary data. Give a CSV file in UTF-8 or UTF-16. "
                + "Nothing was imported.\n")
    }

    @Test("an import counts the rows that it skips, in words and as JSON")
    func skipped() async throws {
        let text = Self.feeds + "Mia,never,80\nMia,2025-11-06T13:00:00Z,many\n"
        let rehearsal = try await bench.succeed(
            "import", "feeds", "-", "--create-babies", "--skip-invalid", "--dry-run", "--json", input: text)
        #expect(try rehearsal.members()["skippedInvalidRows"] == "2")
        #expect(
            try await bench.succeed("import", "feeds", "-", "--create-babies", "--skip-invalid", input: text)
                .output == """
                    Imported 1 feed, skipped 0, left out 2 invalid rows, added 1 baby.
                    Line 3: invalid timestamp 'never'
                    Line 4: invalid amountValue 'many'
                    Write timestamps as 2025-11-06T18:34:39Z, 2025-11-06T18:34:39.946Z or 2025-11-06 18:34:39+09:00.

                    """)
    }

    @Test("an import counts the errors beyond those that it lists")
    func manyErrors() async throws {
        try await bench.makeStore()
        let text = Self.feeds + String(repeating: "Mia,never,80\n", count: 1002)
        let lines = try await bench.succeed("import", "feeds", "-", "--skip-invalid", input: text)
            .output.split(separator: "\n")
        #expect(lines.count == 1004)
        #expect(lines.dropLast().last == "and 2 more invalid rows")
    }

    @Test("an export takes a name of any length, and removes the leftovers of a killed one")
    func exports() async throws {
        try await bench.makeStore()
        try bench.write("half", to: ".switchyard-abc.tmp")
        let name = String(repeating: "n", count: 240) + ".csv"
        #expect(try await bench.succeed("export", "feeds", name).output == "Exported 0 feeds to \(name).\n")
        #expect(try bench.files().keys.allSatisfy { !$0.hasSuffix(".tmp") })
    }

    @Test("an import refuses a truncated full file, and says what is missing")
    func cutFile() async throws {
        _ = try await bench.succeed("seed", "--days", "1", "--until", "2025-11-06")
        let full = try await bench.succeed("export", "feeds", "--format", "full").output
        let other = ["--store", "sqlite:other.sqlite"]
        let outcome = try await bench.run(["import", "feeds", "-"] + other, input: String(full.dropLast()))
        #expect(outcome.status == 1)
        #expect(
            outcome.error.hasSuffix(
                "The file does not end with an empty line, as a full one does: it was cut off. Export it again; if it was "
                    + "edited and holds all its rows, put an empty line at its end. Nothing was imported.\n"))
    }
}
