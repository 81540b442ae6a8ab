import Foundation
import GRDB
import Testing

@Suite("switchyard reads a SwiftData store as a store, and never changes it")
struct ConvertedStoreTests {
    let bench: Workbench
    private let pending =
        "switchyard: FeedSession: 2 rows were never uploaded to CloudKit, or not as they are now: other devices lack them."

    init() throws { bench = try Workbench(program: "switchyard") }

    /// Writes the file of the example, and takes what its app has not checkpointed from the log alone.
    private func make() async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Examples/Data/swiftdata.sql").standardizedFileURL
        let parts = try String(contentsOf: script, encoding: .utf8).components(
            separatedBy: "-- What follows is in the log alone.")
        try #require(parts.count == 2)
        let live = bench.url("live.store")
        let pool = try DatabasePool(path: live.path)
        try await pool.write { try $0.execute(sql: parts[0]) }
        _ = try await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try await pool.write { try $0.execute(sql: "-- " + parts[1]) }
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(
                at: URL(filePath: live.path + end), to: bench.url("default.store" + end))
        }
        try pool.close()
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: live.path + end) }
    }

    /// Runs the program with a directory for temporary files, which must be empty afterwards.
    private func run(_ arguments: [String], status: Int32 = 0) async throws -> Outcome {
        let temporary = bench.url("run-temporary")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        let outcome = try await bench.run(arguments, environment: ["TMPDIR": temporary.path])
        #expect(outcome.status == status, "\(arguments): \(outcome.error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
        return outcome
    }

    private func succeed(_ arguments: String...) async throws -> Outcome { try await run(arguments) }

    private func fail(_ arguments: String...) async throws -> String {
        let outcome = try await run(arguments, status: 1)
        #expect(outcome.output == "" && outcome.isOneParagraph)
        return outcome.error
    }

    @Test(
        "info, tables, export, query and check show its rows, those of its log among them, and change no byte"
    )
    func reading() async throws {
        try await make()
        let before = try bench.files()
        let info = try await succeed("info", "coredata:default.store")
        #expect(info.output.contains("backend      coredata"))
        #expect(info.output.contains("location     default.store\n"))
        #expect(info.output.contains("store id     5b1d6c1e-7a52-4c0b-9f4e-2f0a5d0c7e11\n"))
        #expect(
            info.output.hasSuffix(
                "rows         BabyProfile: 2\nrows         DiaperChange: 4\nrows         FeedSession: 6\n"))
        #expect(info.error.contains(pending))
        let tables = try await succeed("tables", "coredata:default.store").output
        #expect(tables.contains("FeedSession: 6 rows\n"))
        #expect(tables.contains("  startTime  timestamp\n"))
        let csv = try await succeed(
            "export", "swiftdata:default.store", "BabyProfile", "--csv", "-"
        ).output
        #expect(csv.contains("6d696100-0000-4000-8000-0000000000a1"))
        #expect(
            try await succeed(
                "query", "coredata:default.store",
                "FeedSession where profile.name = \"Zoe\" sort startTime show startTime, amountValue",
                "--format", "csv"
            ).output
                == "startTime,amountValue\n2026-11-20T09:46:40.000Z,4.0\n2026-11-20T11:58:20.000Z,\n")
        #expect(
            try await succeed("check", "coredata:default.store").output == "The store is sound.\n")
        #expect(try bench.files() == before)
    }

    @Test("a switch is refused until what was never uploaded is acknowledged; then both hold the same rows")
    func switching() async throws {
        try await make()
        let before = try bench.files()
        let refused = try await fail("switch", "coredata:default.store", "--to", "new.db")
        #expect(refused.contains("pendingUploads"))
        #expect(try bench.files() == before)
        let moved = try await succeed(
            "switch", "coredata:default.store", "--to", "new.db", "--acknowledge", "pendingUploads"
        ).output
        #expect(moved.contains("BabyProfile: 2 rows, "))
        #expect(moved.hasSuffix("is unchanged, and its app can still write to it.\n"))
        #expect(
            try await succeed("verify", "coredata:default.store", "new.db").output.contains(
                "Both stores hold the same rows"))
        #expect(
            try bench.files().filter { $0.key.hasPrefix("default.store") }
                == before.filter { $0.key != "home" })
        #expect(
            try await fail(
                "switch", "coredata:default.store", "--to", "new.db", "--acknowledge", "pendingUploads"
            ).contains("There is a store at"))
    }

    @Test(
        "nothing is written to it",
        arguments: [
            ["import", "coredata:default.store", "BabyProfile", "--csv", "rows.csv"],
            ["restore", "coredata:default.store", "rows.json", "--mode", "merge"],
            ["switch", "coredata:default.store", "--resume"],
            ["switch", "coredata:default.store", "--to", "new.db", "--rehearse"],
            ["tables", "coredata:default.store", "--scope", "01900000-0000-7000-8000-000000000001"],
        ])
    func writing(arguments: [String]) async throws {
        try await make()
        try bench.write("id,name\n", to: "rows.csv")
        try bench.write("{}", to: "rows.json")
        let before = try bench.files()
        let outcome = try await run(arguments, status: 1)
        #expect(outcome.output == "")
        #expect(try bench.files() == before)
    }

    /// Changes the file as its app or somebody else has.
    private func change(_ sql: String, _ arguments: StatementArguments = StatementArguments()) async throws {
        let queue = try DatabaseQueue(path: bench.url("default.store").path)
        try await queue.write { try $0.execute(sql: sql, arguments: arguments) }
        try queue.close()
    }

    @Test("what a switch loses is told, and a table that is left out with its rows must be acknowledged")
    func losses() async throws {
        try await make()
        try await change(
            """
            UPDATE ZFEEDSESSION SET ZPROFILE = 99999 WHERE Z_PK = 1;
            CREATE TABLE app_notes (a, b); INSERT INTO app_notes VALUES (1, 2), (3, 4)
            """)
        let (leadNowhere, leftOut) = (
            "FeedSession: 1 references lead nowhere, and become nil.", "app_notes: 2 rows are left out: "
        )
        let info = try await succeed("info", "coredata:default.store").error
        #expect(info.contains(leadNowhere) && info.contains(leftOut))
        let start = ["switch", "coredata:default.store", "--to", "new.db", "--acknowledge", "pendingUploads"]
        let refused = try await run(start, status: 1).error
        #expect(refused.contains(leftOut) && refused.contains("Acknowledge tablesLeftOut to go on."))
        #expect(!FileManager.default.fileExists(atPath: bench.url("new.db").path))
        let moved = try await run(start + ["--acknowledge", "tablesLeftOut"]).output
        #expect(moved.contains("found  \(leadNowhere)\n") && moved.contains("found  \(leftOut)"))
        let told = try await run(
            [
                "switch", "coredata:default.store", "--to", "other.db", "--json", "--acknowledge",
                "pendingUploads",
                "--acknowledge", "tablesLeftOut",
            ]
        ).error
        #expect(told.contains(leadNowhere) && told.contains(leftOut))
    }

    @Test("a model that cannot be read, and a date that no store has, are told, and must be acknowledged")
    func acknowledged() async throws {
        try await make()
        try await change("UPDATE ZFEEDSESSION SET ZSTARTTIME = -63114076800 WHERE Z_PK = 1")
        let start = ["switch", "coredata:default.store", "--to", "new.db", "--acknowledge", "pendingUploads"]
        #expect(try await run(start, status: 1).error.contains("datesAsNumbers"))
        try await change("UPDATE Z_MODELCACHE SET Z_CONTENT = X'FFFFFFFF'")
        #expect(
            try await run(start + ["--acknowledge", "datesAsNumbers"], status: 1).error.contains(
                "modelUnreadable"))
        let told = try await succeed("tables", "coredata:default.store").error
        #expect(told.contains("The store's model cannot be read"))
        #expect(told.contains("1 values of STARTTIME are no dates"))
    }

    /// Runs the program with a pipe for its output, of which one byte is read before a signal comes.
    ///
    /// - Returns: Its status, and the names of its temporary files before the signal.
    private func end(by signal: String, _ arguments: String...) async throws -> (Int32, [String]) {
        try await make()
        // More than a pipe holds.
        try await change(
            "UPDATE ZBABYPROFILE SET ZNAME = ? WHERE Z_PK = 1", [String(repeating: "m", count: 300_000)])
        let outcome = try await bench.shell(
            """
            export TMPDIR="$PWD/run-temporary"; mkdir -p "$TMPDIR"; mkfifo run-pipe
            "$@" >run-pipe & pid=$!
            exec 3<run-pipe
            head -c 1 <&3 >run-head
            ls "$TMPDIR"
            # The sleep must not outlive this script, which ends for its caller with all that it has started.
            (trap 'kill $sleep; exit' TERM; sleep 100 & sleep=$!; wait $sleep; kill -KILL $pid) & watch=$!
            kill -\(signal) $pid
            wait $pid; status=$?
            kill $watch
            exit $status
            """, arguments)
        return (outcome.status, outcome.output.split(separator: "\n").map(String.init))
    }

    @Test(
        "a signal ends a command that waits for its reader, and no copy stays",
        arguments: [("TERM", SIGTERM), ("HUP", SIGHUP)])
    func ended(name: String, number: Int32) async throws {
        let (status, names) = try await end(
            by: name, "export", "coredata:default.store", "BabyProfile", "--csv", "-")
        #expect(status == 128 + number)
        #expect(names.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.url("run-temporary").path) == [])
    }

    @Test("the copy of a command that was killed is removed by the next one")
    func killed() async throws {
        let (status, names) = try await end(
            by: "KILL", "export", "coredata:default.store", "BabyProfile", "--csv", "-")
        #expect(status == 128 + SIGKILL)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: bench.url("run-temporary").path) == names)
        #expect(names.count == 1)
        // It looks for what is left.
        _ = try await succeed("info", "coredata:default.store")
    }

    @Test("a file that Core Data has not made is refused by name")
    func others() async throws {
        try await DatabaseQueue(path: bench.url("other.db").path).write {
            try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)")
        }
        #expect(
            try await fail("info", "coredata:other.db").contains(
                "is an SQLite database, and not one of Core Data or SwiftData"))
        #expect(try await fail("info", "coredata:none.db").contains("There is no file at"))
    }
}
