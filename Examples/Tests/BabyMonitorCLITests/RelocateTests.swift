import Foundation
import GRDB
import Testing

@Suite("babymonitor store relocate")
struct RelocateTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private struct Answer: Decodable {
        struct Table: Decodable, Equatable {
            let name: String
            let rows: Int
            let digest: String
        }

        let source: String
        let target: String
        let backup: String
        let tables: [Table]
    }

    private func seed() async throws {
        _ = try await bench.succeed("seed", "--days", "20", "--babies", "3", "--until", "2025-11-06")
    }

    private func role(_ file: String) throws -> String? {
        let queue = try DatabaseQueue(path: bench.url(file).path)
        defer { try? queue.close() }
        return try queue.inDatabase { try String.fetchOne($0, sql: "SELECT role FROM switchyard_store") }
    }

    @Test(
        "a relocated store has the same digests, and the old one is a backup until it is removed"
    )
    func moved() async throws {
        try await seed()
        let history = try await bench.succeed("export", "feeds", "--format", "full").output
        let before = try bench.files()
        let shown = try await bench.succeed("store", "relocate", "--to", "new", "--dry-run").output
        let plan: Answer = try await bench.succeed(
            "store", "relocate", "--to", "new", "--dry-run", "--json"
        ).json()
        #expect(try bench.files() == before)
        #expect(plan.tables.first { $0.name == "FeedSession" }?.rows == 360)
        #expect(shown.contains("\nFeedSession: 360 rows, "))
        let (old, new) = (bench.url("store.sqlite").path, bench.url("new/store.sqlite").path)
        #expect(
            shown.hasSuffix("the old file would be kept as \(old). Nothing was changed.\n"))
        let output = try await bench.succeed("store", "relocate", "--to", "new").output
        for table in shown.split(separator: "\n").dropLast() { #expect(output.contains("\n\(table)\n")) }
        #expect(
            output.hasSuffix(
                "The store is in \(new) now; the old file is kept as a backup, \(old), and can only be read.\n"
            ))
        #expect(try role("store.sqlite") == "superseded")
        #expect(try role("new/store.sqlite") == "active")
        #expect(
            try await bench.succeed(
                "export", "feeds", "--format", "full", "--store", "sqlite:new/store.sqlite"
            ).output == history)
        // Again, it is only reported.
        let again = try await bench.succeed("store", "relocate", "--to", "new", "--json").output
        let last = try #require(again.split(separator: "\n").last)
        #expect(try JSONDecoder().decode(Answer.self, from: Data(last.utf8)).tables == plan.tables)
        _ = try await bench.succeed("baby", "add", "Zoe", "--store", "sqlite:new/store.sqlite")
        #expect(
            try await bench.succeed("store", "relocate", "--to", "new", "--remove-backup").output
                == "The backup is removed; the store is in \(new).\n")
        #expect(!FileManager.default.fileExists(atPath: old))
        #expect(try await bench.fail(1, "store", "relocate", "--to", "new").contains("There is no file at"))
        // A configuration that names the old place leads to the new one, where no empty store is made instead.
        _ = try await bench.succeed("baby", "add", "Ida")
        #expect(try await bench.succeed("baby", "list").output.contains("Zoe"))
        #expect(!FileManager.default.fileExists(atPath: old))
    }

    @Test("a file of another library moves to the app group, which is created for this user only")
    func group() async throws {
        let queue = try DatabaseQueue(path: bench.url("default.store").path)
        try queue.inDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA journal_mode = WAL;
                    CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY, Z_UUID BLOB);
                    INSERT INTO ANSCKEVENT VALUES (7, randomblob(16));
                    """)
        }
        let relocate = [
            "store", "relocate", "--to-group", "group.example", "--store", "sqlite:default.store", "--json",
        ]
        let refusal = try await bench.run(relocate + ["--wait", "0.5"])
        #expect(refusal.status == 1)
        #expect(refusal.error.contains("is in use by another process"))
        try queue.close()
        let outcome = try await bench.run(relocate)
        #expect(outcome.status == 0, "\(outcome.error)")
        let last = try #require(outcome.output.split(separator: "\n").last)
        let answer = try JSONDecoder().decode(Answer.self, from: Data(last.utf8))
        let group = bench.url("home/.local/share/app-groups/group.example").path
        #expect(answer.target == group + "/default.store")
        #expect(answer.backup == bench.url("default.store").path + ".moved")
        #expect(answer.tables.map { "\($0.name) \($0.rows)" } == ["ANSCKEVENT 1", "sqlite_schema 1"])
        let mode = try FileManager.default.attributesOfItem(atPath: group)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test("a killed move continues when the command is repeated")
    func killed() async throws {
        try await seed()
        let history = try await bench.succeed("export", "feeds", "--format", "full").output
        try await bench.kill("store", "relocate", "--to", "new")
        #expect(FileManager.default.fileExists(atPath: bench.url("new/.store.sqlite.moving").path))
        #expect(try role("store.sqlite") == "active")
        #expect(!FileManager.default.fileExists(atPath: bench.url("new/store.sqlite").path))
        _ = try await bench.succeed("baby", "add", "Zoe")
        _ = try await bench.succeed("store", "relocate", "--to", "new")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: bench.url("new").path).sorted() == [
                ".store.sqlite.relocation", "store.sqlite",
            ])
        let moved = ["--store", "sqlite:new/store.sqlite"]
        #expect(try await bench.run(["export", "feeds", "--format", "full"] + moved).output == history)
        #expect(try await bench.run(["baby", "list"] + moved).output.contains("Zoe"))
    }

    @Test("a file that cannot be moved is refused, and nothing is changed")
    func refused() async throws {
        try await seed()
        try bench.write("a file", to: "file")
        let before = try bench.files()
        for (words, complaint) in [
            (["--to", "new", "--store", "memory:"], "Only the file of an SQLite store"),
            (["--to", "."], "is in the directory where the file is already"),
            (["--to", "none/new"], "The directory "), (["--to", "file"], "file"),
            (["--to", "new", "--remove-backup"], "There is no backup to remove"),
            (["--to", "new", "--store", "sqlite:none.sqlite"], "There is no file at"),
        ] {
            let outcome = try await bench.run(["store", "relocate"] + words)
            #expect(outcome.status == 1, "\(words)")
            #expect(outcome.isOneParagraph)
            #expect(outcome.error.contains(complaint), "\(outcome.error)")
        }
        _ = try await bench.fail(2, "store", "relocate")
        _ = try await bench.fail(2, "store", "relocate", "--to", "new", "--to-group", "group.example")
        _ = try await bench.fail(2, "store", "relocate", "--to", "new", "--dry-run", "--remove-backup")
        for wait in ["-1", "nan", "inf", "86401"] {
            let complaint = try await bench.fail(2, "store", "relocate", "--to", "new", "--wait=\(wait)")
            #expect(complaint.contains("from 0 to 86400 seconds"), "\(wait): \(complaint)")
        }
        #expect(try bench.files() == before)
    }

    @Test("a move that fills the disk leaves nothing of itself, and says so")
    func filledUp() async throws {
        try await seed()
        let before = try bench.files()
        // No file may grow beyond this number of blocks, as if the disk had no more.
        let script = """
            (trap '' XFSZ; ulimit -f 100; "$@" 2>&1; echo "status $?") | cat
            ls -A new; rm -rf new
            """
        let outcome = try await bench.shell(script, "store", "relocate", "--to", "new")
        let lines = outcome.output.split(separator: "\n")
        let end = try #require(lines.firstIndex(of: "status 1"))
        #expect(
            lines[end - 1].contains("The copy was removed; the old file is still the one to use.")
        )
        #expect(lines[(end + 1)...] == [".store.sqlite.relocation"])
        #expect(try bench.files() == before)
    }

    @Test(
        "a move to a full or read-only place leaves the store unchanged",
        .enabled(if: FullDiskTests.canMount, "no file system can be mounted in a name space of its own here"))
    func noPlace() async throws {
        try await seed()
        for name in ["small", "fixed"] {
            try FileManager.default.createDirectory(at: bench.url(name), withIntermediateDirectories: false)
        }
        // Room for less than the file, and then for the file but not for all that is written beside it.
        let script = """
            command=$1
            mount -t tmpfs -o size=128k none small && mount -t tmpfs -o ro none fixed || exit 90
            "$command" store relocate --to small; echo "small $?"
            "$command" store relocate --to fixed; echo "fixed $?"
            mount -o remount,size=1500k small
            (sleep 0; cat /dev/zero > small/rest) 2> /dev/null; truncate -s -310000 small/rest
            "$command" store relocate --to small; echo "smaller $?"
            ls -A small
            "$command" baby add Zoe; "$command" store check
            rm small/rest; mount -o remount,size=4m small
            "$command" store relocate --to small > output; echo "large $?"
            """
        let outcome = try await bench.shell(
            "script=$2; exec unshare -rm sh -c \"$script\" sh \"$1\"", script)
        #expect(outcome.output.hasPrefix("small 1\nfixed 1\nsmaller 1\n"), "\(outcome.output)")
        #expect(outcome.output.hasSuffix("The store is sound.\nlarge 0\n"), "\(outcome.output)")
        #expect(!outcome.output.contains(".store.sqlite.moving"))
        let errors = outcome.error.split(separator: "\n")
        #expect(errors.count == 3, "\(outcome.error)")
        #expect(errors.first?.contains("has room for 131072 bytes") == true)
    }
}
