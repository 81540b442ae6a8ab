import Foundation
import Testing

@Suite("babymonitor import and export")
struct ImportTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private static let feeds = """
        babyName,timestamp,amountValue,amountUnit,feedType
        Mia,2025-11-06T18:34:39.946Z,80.0,mL,babyFormula
        Leo,2025-11-06T15:00:00.000Z,4.0,fl oz,solid
        Mia,2025-11-06T12:00:00.000Z,,,breastFeed
        """
    private static let diapers = """
        babyName,timestamp,diaperType
        Mia,2025-11-06T18:40:00.000Z,poo
        Leo,2025-11-06T18:30:00.000Z,pee
        """

    /// What is said about times that cannot be read.
    private static let times =
        "Write timestamps as 2025-11-06T18:34:39Z, 2025-11-06T18:34:39.946Z or 2025-11-06 18:34:39+09:00."

    private func rows() async throws -> [String: Int] {
        try await bench.succeed("store", "info", "--json").json(StoreAnswer.self).rows
    }

    @Test("importing a file twice adds nothing the second time")
    func files() async throws {
        try bench.write(Self.feeds, to: "feeds.csv")
        try bench.write(Self.diapers, to: "diapers.csv")
        for name in ["Mia", "Leo"] { _ = try await bench.succeed("baby", "add", name) }
        #expect(
            try await bench.succeed("import", "feeds", "feeds.csv", "--json").json()
                == ImportAnswer(insertedFeeds: 3))
        #expect(
            try await bench.succeed("import", "diapers", "diapers.csv").output
                == "Imported 2 diaper changes, skipped 0.\n")
        #expect(
            try await bench.succeed("import", "feeds", "feeds.csv").output == "Imported 0 feeds, skipped 3.\n"
        )
        #expect(
            try await bench.succeed("import", "diapers", "diapers.csv", "--json").json()
                == ImportAnswer(skippedDiapers: 2))
        let rows = try await rows()
        #expect(rows["FeedSession"] == 3)
        #expect(rows["DiaperChange"] == 2)
        #expect(rows["BabyProfile"] == 2)
    }

    @Test("the import report as JSON uses the app's names")
    func reportNames() async throws {
        try await bench.makeStore()
        let output = try await bench.succeed("import", "feeds", "-", "--json", input: Self.feeds).output
        let keys = try #require(
            try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
        ).keys
        #expect(
            keys.sorted() == [
                "advice", "createdBabies", "errorCount", "errors", "insertedDiapers", "insertedFeeds",
                "skippedDiapers",
                "skippedFeeds", "skippedInvalidRows", "skippedUnknownBabies",
                "unknownFeedTypeRows", "unknownFeedTypes", "unknownUnitRows", "unknownUnits",
                "updatedDiapers",
                "updatedFeeds",
            ])
    }

    @Test("rows of unknown babies are skipped and named, or create babies with --create-babies")
    func unknownBabies() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        #expect(
            try await bench.succeed("import", "feeds", "-", input: Self.feeds).output == """
                Imported 2 feeds, skipped 1.
                Unknown babies, whose rows were skipped: Leo. Add them, or import with --create-babies.

                """)
        #expect(
            try await bench.succeed("import", "diapers", "-", "--json", input: Self.diapers).json()
                == ImportAnswer(insertedDiapers: 1, skippedDiapers: 1, skippedUnknownBabies: ["Leo"]))
        #expect(
            try await bench.succeed("import", "feeds", "-", "--create-babies", input: Self.feeds).output
                == "Imported 1 feed, skipped 2, added 1 baby.\n")
        #expect(try await rows()["BabyProfile"] == 2)
    }

    @Test("a dry run of an import reports what would happen, and changes no byte")
    func dryRun() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        let before = try await bench.succeed("export", "feeds", "--format", "full").output
        #expect(
            try await bench.succeed(
                "import", "feeds", "-", "--create-babies", "--dry-run", "--json", input: Self.feeds
            ).json() == ImportAnswer(createdBabies: 1, insertedFeeds: 3))
        #expect(
            try await bench.succeed("import", "diapers", "-", "--dry-run", input: Self.diapers).output == """
                Would import 1 diaper change, skipped 1.
                Unknown babies, whose rows were skipped: Leo. Add them, or import with --create-babies.

                """)
        #expect(try await bench.succeed("export", "feeds", "--format", "full").output == before)
        #expect(try await rows()["BabyProfile"] == 1)
    }

    @Test("a refused import and a dry run create no store")
    func noStore() async throws {
        try bench.write(Self.diapers, to: "diapers.csv")
        try Data((0..<1000).map { UInt8($0 % 7) }).write(to: bench.url("binary.csv"))
        let before = try bench.files()
        for file in ["none.csv", "home", "binary.csv", "diapers.csv"] {
            _ = try await bench.fail(1, "import", "feeds", file)
            _ = try await bench.fail(1, "import", "feeds", file, "--dry-run")
        }
        _ = try await bench.fail(1, "import", "feeds", "-", input: Self.diapers)
        #expect(
            try await bench.fail(1, "import", "diapers", "diapers.csv", "--dry-run").contains(
                "There is no store at"))
        #expect(
            try await bench.fail(1, "import", "diapers", "diapers.csv").contains("There is no store at"))
        #expect(try bench.files() == before)
        let rehearsal = try await bench.run([
            "import", "diapers", "diapers.csv", "--dry-run", "--create-babies",
        ])
        #expect(rehearsal.output == "Would import 2 diaper changes, skipped 0, added 2 babies.\n")
        #expect(try bench.files() == before)
        let memory = try await bench.run(
            ["import", "diapers", "diapers.csv", "--dry-run", "--create-babies", "--store", "memory:"])
        #expect(memory.output == "Would import 2 diaper changes, skipped 0, added 2 babies.\n")
    }

    @Test("an import of a full file creates the store, and a dry run says what it would create")
    func fullFile() async throws {
        _ = try await bench.succeed("import", "feeds", "-", "--create-babies", input: Self.feeds)
        _ = try await bench.succeed("export", "feeds", "full.csv", "--format", "full")
        let other = ["--store", "sqlite:other.sqlite"]
        let rehearsal = try await bench.run(["import", "feeds", "full.csv", "--dry-run"] + other)
        #expect(
            rehearsal.output == "Would import 3 feeds, skipped 0, added 2 babies.\n", "\(rehearsal.error)")
        #expect(try bench.files()["other.sqlite"] == nil)
        let outcome = try await bench.run(["import", "feeds", "full.csv"] + other)
        #expect(outcome.output == "Imported 3 feeds, skipped 0, added 2 babies.\n", "\(outcome.error)")
    }

    @Test("names from a wrong column are shown abbreviated")
    func longNames() async throws {
        try await bench.makeStore()
        let name = String(repeating: "n", count: 100_000)
        let output = try await bench.succeed(
            "import", "feeds", "-", input: "babyName,timestamp\n\(name),2025-11-06T12:00:00Z"
        ).output
        #expect(output.contains(": \(String(repeating: "n", count: 60))…. Add them"))
    }

    @Test("an import reads a named pipe once, completely")
    func namedPipe() async throws {
        let outcome = try await bench.shell(
            "mkfifo pipe; printf 'babyName,timestamp\\nMia,2025-11-06T12:00:00Z\\n' > pipe & \"$@\"; wait",
            "import", "feeds",
            "pipe", "--create-babies")
        #expect(outcome.output == "Imported 1 feed, skipped 0, added 1 baby.\n", "\(outcome.error)")
    }

    @Test("a dry run of a file that would be refused says so, and fails")
    func refusedDryRun() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        let wrong = Self.feeds + "\nMia,never,,,"
        let refusal =
            "babymonitor: The import would be refused, because a row is invalid: Line 5: invalid timestamp 'never'. "
            + "\(Self.times) Correct the file, or give --skip-invalid to import the other rows.\n"
        #expect(try await bench.fail(1, "import", "feeds", "-", "--dry-run", input: wrong) == refusal)
        let json = try await bench.run(["import", "feeds", "-", "--dry-run", "--json"], input: wrong)
        #expect(json.status == 1)
        #expect(json.error == refusal)
        #expect(try json.json(ImportAnswer.self).errors == ["Line 5: invalid timestamp 'never'"])
        #expect(
            try await bench.succeed("import", "feeds", "-", "--dry-run", "--skip-invalid", input: wrong)
                .output
                    == """
                    Would import 2 feeds, skipped 1, left out 1 invalid row.
                    Unknown babies, whose rows were skipped: Leo. Add them, or import with --create-babies.
                    Line 5: invalid timestamp 'never'
                    \(Self.times)

                    """)
        #expect(try await rows()["FeedSession"] == 0)
    }

    @Test("a wrong row refuses the file, and is skipped with --skip-invalid")
    func wrongRow() async throws {
        let text = "babyName,timestamp\nZoe,tomorrow\nMia,2025-11-06T12:00:00Z"
        #expect(
            try await bench.fail(1, "import", "feeds", "-", "--create-babies", input: text)
                == "babymonitor: Nothing was imported, because a row is invalid: Line 2: invalid timestamp 'tomorrow'. "
                + "\(Self.times) Correct the file, or give --skip-invalid to import the other rows.\n")
        #expect(try await bench.succeed("baby", "list", "--json").json([BabyAnswer].self) == [])
        #expect(
            try await bench.succeed(
                "import", "feeds", "-", "--create-babies", "--skip-invalid", "--json", input: text
            ).json()
                == ImportAnswer(
                    createdBabies: 1, insertedFeeds: 1, errors: ["Line 2: invalid timestamp 'tomorrow'"]))
    }

    @Test("a refused import is reported as JSON as well as in words")
    func refusedReport() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        let wrong = try await bench.run(
            ["import", "feeds", "-", "--json"], input: Self.feeds + "\nMia,never,,,\nMia,soon,,,")
        #expect(wrong.status == 1)
        #expect(try wrong.members()["errorCount"] == "2")
        #expect(
            try wrong.json(ImportAnswer.self)
                == ImportAnswer(errors: [
                    "Line 5: invalid timestamp 'never'", "Line 6: invalid timestamp 'soon'",
                ]))
        #expect(
            wrong.error.hasPrefix("babymonitor: Nothing was imported, because 2 rows are invalid: Line 5: "))
        let broken = try await bench.run(
            ["import", "feeds", "-", "--json"], input: Self.feeds + "\nMia,\"never")
        #expect(broken.status == 1)
        let errors = try broken.json(ImportAnswer.self).errors
        #expect(errors.count == 1)
        #expect(broken.error == "babymonitor: \(errors.first ?? "") Nothing was imported.\n")
        #expect(try await rows()["FeedSession"] == 0)
    }

    @Test("an import refuses the other kind of file, and an unknown format")
    func wrongFile() async throws {
        #expect(
            try await bench.fail(1, "import", "feeds", "-", input: Self.diapers)
                == "babymonitor: The file holds diapers, not feeds. Import it as diapers.\n")
        let full = "id,startTime,profile,mood\n"
        #expect(
            try await bench.fail(1, "import", "feeds", "-", input: full).contains("mood is unknown"))
        #expect(try await bench.fail(2, "import", "naps", "x.csv").contains("naps"))
    }

    @Test("an export writes the same bytes to a file and to standard output")
    func export() async throws {
        _ = try await bench.succeed("import", "feeds", "-", "--create-babies", input: Self.feeds)
        _ = try await bench.succeed("import", "diapers", "-", input: Self.diapers)
        #expect(try await bench.succeed("export", "feeds").output == Self.feeds)
        #expect(
            try await bench.succeed("export", "diapers", "-", "--format", "legacy").output == Self.diapers)
        #expect(
            try await bench.succeed("export", "feeds", "out.csv").output == "Exported 3 feeds to out.csv.\n")
        #expect(try bench.read("out.csv") == Self.feeds)
        let answer: [String: Int] =
            try await bench.succeed("export", "diapers", "out.csv", "--format", "full", "--json").json()
        #expect(answer == ["rows": 2])
        #expect(
            try bench.read("out.csv")
                == (try await bench.succeed("export", "diapers", "--format", "full").output))
    }

    @Test("a full export imported into another store is exported byte for byte")
    func fullRoundTrip() async throws {
        _ = try await bench.succeed("seed", "--days", "5", "--babies", "2", "--until", "2025-11-06")
        let copy = ["--store", "sqlite:copy.sqlite"]
        for kind in ["feeds", "diapers"] {
            let full = try await bench.succeed("export", kind, "--format", "full").output
            #expect(full.split(separator: "\n").count > 50)
            let imported = try await bench.run(["import", kind, "-"] + copy, input: full)
            #expect(imported.status == 0)
            #expect(try await bench.run(["export", kind, "--format", "full"] + copy).output == full)
            #expect(
                try await bench.run(["export", kind] + copy).output
                    == (try await bench.succeed("export", kind).output))
        }
    }

    @Test("a failed export keeps the older file, and says why")
    func unwritable() async throws {
        try await bench.makeStore()
        #expect(
            try await bench.fail(1, "export", "feeds", "none/out.csv")
                == "babymonitor: The file cannot be opened (none/out.csv): No such file or directory.\n")
        #expect(
            try await bench.fail(1, "export", "feeds", "home")
                == "babymonitor: The file cannot be opened (home): Is a directory.\n")
    }

    @Test(
        "a failed write to standard output is a failure", .enabled(if: isLinux, "needs /dev/full"),
        arguments: [
            ["export", "feeds"], ["history"], ["store", "schema"], ["baby", "list", "--json"], ["--help"],
        ])
    func fullOutput(arguments: [String]) async throws {
        _ = try await bench.succeed("seed", "--days", "1", "--until", "2025-11-06")
        let outcome = try await bench.run(arguments, output: "/dev/full")
        #expect(outcome.status == 1)
        #expect(outcome.isOneParagraph)
        #expect(outcome.error.contains("No space left on device"))
    }
}

#if os(Linux)
    let isLinux = true
#else
    let isLinux = false
#endif
