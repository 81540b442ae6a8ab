import Foundation
import GRDB
import Testing

@Suite("Files that babymonitor export protects")
struct ExportTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test(
        "an export never replaces the store's file or those beside it, under whatever name",
        arguments: [
            "store.sqlite", "./home/../store.sqlite", "symbolic", "hard", "store.sqlite-wal",
            "store.sqlite-shm",
            "store.sqlite-journal", "linked/store.sqlite-wal",
        ])
    func store(target: String) async throws {
        _ = try await bench.succeed("seed", "--days", "2", "--until", "2025-11-06")
        let files = FileManager.default
        try files.createSymbolicLink(at: bench.url("symbolic"), withDestinationURL: bench.url("store.sqlite"))
        try files.createSymbolicLink(at: bench.url("linked"), withDestinationURL: bench.directory)
        try files.linkItem(at: bench.url("store.sqlite"), to: bench.url("hard"))
        let before = try bench.files()
        for arguments in [[], ["--store", "sqlite:symbolic"]] {
            let outcome = try await bench.run(["export", "feeds", target] + arguments)
            #expect(outcome.status == 2)
            #expect(outcome.output == "")
            #expect(outcome.isOneParagraph)
            #expect(
                outcome.error.hasPrefix("babymonitor: The export cannot be written to \(target): ")
                    && outcome.error.hasSuffix(
                        " belongs to the store that is exported, and would be destroyed. Give the name of another file.\n"
                    ),
                "\(outcome.error)")
        }
        #expect(try bench.files() == before)
        #expect(try await bench.succeed("store", "check").output == "The store is sound.\n")
    }

    @Test("an export replaces no other SQLite database")
    func otherDatabase() async throws {
        try await bench.makeStore()
        let queue = try DatabaseQueue(path: bench.url("photos.sqlite").path)
        try await queue.write { try $0.execute(sql: "CREATE TABLE photo(id INTEGER PRIMARY KEY)") }
        try queue.close()
        let before = try bench.files()
        #expect(
            try await bench.fail(2, "export", "feeds", "photos.sqlite")
                == "babymonitor: The export cannot be written to photos.sqlite, which is an SQLite database. Give the name of "
                + "another file, or remove the database first.\n")
        #expect(try bench.files() == before)
    }

    @Test(
        "an export writes a file in a read-only directory in place",
        .enabled(if: canBeBound, "needs setpriv"))
    func chosenFile() async throws {
        _ = try await bench.succeed("seed", "--days", "1", "--babies", "1", "--until", "2025-11-06")
        let expected = try await bench.succeed("export", "feeds").output
        let directory = bench.url("chosen")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        try bench.write(String(repeating: "older and longer\n", count: 9_000), to: "chosen/feeds.csv")
        let files = FileManager.default
        let number = try files.attributesOfItem(atPath: bench.url("chosen/feeds.csv").path)[.systemFileNumber]
        try files.setAttributes([.posixPermissions: 0o500], ofItemAtPath: directory.path)
        defer { try? files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.path) }
        let script = bound + #""$@""#
        let written = try await bench.shell(script, "export", "feeds", "chosen/feeds.csv")
        #expect(written.status == 0, "\(written.error)")
        #expect(try bench.read("chosen/feeds.csv") == expected)
        #expect(
            try files.attributesOfItem(atPath: bench.url("chosen/feeds.csv").path)[.systemFileNumber] as? Int
                == number as? Int)
        let refused = try await bench.shell(script, "export", "feeds", "chosen/new.csv")
        #expect(refused.status == 1)
        #expect(refused.error.contains("chosen/new.csv"), "\(refused.error)")
        #expect(try files.contentsOfDirectory(atPath: directory.path) == ["feeds.csv"])
    }

    @Test("an export with a JSON report needs a file name for the CSV")
    func report() async throws {
        try await bench.makeStore()
        for target in [[], ["-"]] {
            let outcome = try await bench.run(["export", "feeds", "--json"] + target)
            #expect(outcome.status == 2)
            #expect(outcome.output == "")
            #expect(
                outcome.error
                    == "babymonitor: --json reports on standard output, where the CSV goes; name a file for the CSV. See "
                    + "'babymonitor export --help' for more information.\n")
        }
        #expect(try await bench.succeed("export", "feeds", "out.csv", "--json").json() == ["rows": 0])
    }

    @Test(
        "an export ended by a signal leaves the older file, and no part of the new one",
        arguments: [("TERM", -15), ("INT", -2)])
    func signals(name: String, status: Int) async throws {
        _ = try await bench.succeed("seed", "--days", "4000", "--until", "2025-11-06")
        try bench.write("older", to: "out.csv")
        // The command takes the place of the shell, whose child sends the signal. The child starts no processes in its loop, and the
        // command leaves the processor to it, so that the signal comes in time even on a machine that is busy.
        let outcome = try await bench.shell(
            """
            signal=$2 command=$1; shift 2
            (until set -- .switchyard-*.tmp; [ -e "$1" ]; do kill -0 $$ || exit; done; kill -$signal $$) &
            exec nice -n 19 "$command" "$@"
            """, name, "export", "diapers", "out.csv", "--format", "full")
        #expect(Int(outcome.status) == status, "\(outcome.error)")
        #expect(!outcome.error.contains("babymonitor:"))
        #expect(outcome.output == "")
        #expect(try bench.read("out.csv") == "older")
        #expect(try bench.files().keys.allSatisfy { !$0.hasSuffix(".tmp") })
        #expect(try await bench.succeed("store", "check").output == "The store is sound.\n")
    }

    private func permissions(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: bench.url(name).path)[.posixPermissions] as? Int
    }

    @Test("a new export is readable by its owner alone, and a replaced one keeps its permissions")
    func permissions() async throws {
        try await bench.makeStore()
        _ = try await bench.succeed("export", "feeds", "new.csv")
        #expect(try permissions("new.csv") == 0o600)
        for mode in [0o644, 0o660, 0o600] {
            try bench.write("older", to: "older.csv")
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: bench.url("older.csv").path)
            _ = try await bench.succeed("export", "feeds", "older.csv")
            #expect(try permissions("older.csv") == mode)
            #expect(try bench.read("older.csv") == "babyName,timestamp,amountValue,amountUnit,feedType")
        }
    }
}
