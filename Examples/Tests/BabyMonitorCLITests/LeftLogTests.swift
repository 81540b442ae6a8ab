import Foundation
import GRDB
import Testing

@Suite("A store whose WAL another process has left or uses")
struct LeftLogTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private var path: String { bench.url("store.sqlite").path }

    /// Opens the store as another process that lives on, and writes to its log.
    private func openOther() async throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try await other.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0; UPDATE BabyProfile SET name = 'Leo'")
        }
        return other
    }

    private func babies() async throws -> [String] {
        let babies: [BabyAnswer] = try await bench.succeed("baby", "list", "--json").json()
        return babies.map(\.name)
    }

    @Test("a store is read and written beside a WAL that another process left, in every state of the WAL")
    func livingProcess() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        let other = try await openOther()
        #expect(try await babies() == ["Leo"])
        _ = try await bench.succeed("baby", "add", "Zoe")
        // The log is cut to nothing, and stays.
        try await other.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        #expect(try bench.files()["store.sqlite-wal"] == Data())
        #expect(try await babies() == ["Leo", "Zoe"])
        _ = try await bench.succeed("baby", "add", "Ada")
        // Another reads an old state meanwhile.
        try await other.writeWithoutTransaction {
            try $0.execute(sql: "BEGIN; SELECT * FROM BabyProfile")
        }
        _ = try await bench.succeed("baby", "add", "Bea")
        #expect(try await babies() == ["Ada", "Bea", "Leo", "Zoe"])
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try other.close()
        #expect(try await bench.succeed("store", "check").output == "The store is sound.\n")
    }

    @Test(
        "a store with a left WAL is read from a copy if nothing may be written",
        .enabled(if: canBeBound, "runs as root, which no permission binds, and there is no setpriv"))
    func unwritableDirectory() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        let other = try await openOther()
        let directory = bench.url("kept")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: path + suffix, toPath: directory.path + "/store.sqlite" + suffix)
        }
        try other.close()
        let before = try bench.files().filter { $0.key.hasPrefix("kept/") }
        #expect(before.count == 2)
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: directory.path)
        for arguments in [["baby", "list", "--json"], ["store", "check"]] {
            let outcome = try await bench.shell(bound + "\"$@\" --store sqlite:kept/store.sqlite", arguments)
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(outcome.output.contains("Leo") || outcome.output == "The store is sound.\n")
        }
        #expect(try bench.files().filter { $0.key.hasPrefix("kept/") } == before)
    }

    @Test(
        "a store is not created on a full disk, and nothing is left there",
        .enabled(
            if: FullDiskTests.canMount, "no file system can be mounted in a name space of its own here"))
    func fullDisk() async throws {
        try FileManager.default.createDirectory(at: bench.url("small"), withIntermediateDirectories: false)
        let script = """
            command=$1
            mount -t tmpfs -o size=64k none small && cat /dev/zero > small/rest 2> /dev/null
            "$command" baby add Mia --store sqlite:small/store.sqlite; echo "add $?"
            ls -A small
            rm small/rest
            "$command" baby add Mia --store sqlite:small/store.sqlite 2> /dev/null; echo "add $?"
            ls -A small
            """
        let outcome = try await bench.shell("script=$2; exec unshare -rm sh -c \"$script\" sh \"$1\"", script)
        #expect(outcome.output == "add 1\nrest\nadd 1\n", "\(outcome.error)")
        #expect(
            outcome.error == "babymonitor: The disk is full; nothing was written. Make room and try again.\n")
    }
}
