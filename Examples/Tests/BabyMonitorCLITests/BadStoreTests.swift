import Foundation
import GRDB
import Testing

@Suite("Stores that cannot be used are unchanged")
struct BadStoreTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private var file: URL { bench.url("store.sqlite") }

    /// Reading, writing and inspecting are refused in one paragraph, and change no byte.
    private func refusals() async throws -> [String] {
        let before = try bench.files()
        try bench.write("babyName,timestamp\nMia,2025-11-06T18:34:39.946Z", to: "run-feeds.csv")
        var errors: [String] = []
        for arguments in [
            ["status"], ["baby", "add", "Mia"], ["import", "feeds", "run-feeds.csv"], ["export", "feeds"],
            ["store", "info"], ["store", "check"],
        ] {
            let outcome = try await bench.run(arguments)
            #expect(outcome.status == 1, "\(arguments)")
            #expect(outcome.output == "", "\(arguments)")
            #expect(outcome.isOneParagraph, "\(arguments): \(outcome.error)")
            errors.append(outcome.error)
        }
        #expect(try bench.files() == before)
        return errors
    }

    private func makeStore() async throws {
        _ = try await bench.succeed("seed", "--days", "5", "--until", "2025-11-06")
        try FileManager.default.removeItem(at: bench.url("store.sqlite.WidgetCache"))
    }

    @Test("a command refuses an empty file and leaves it unchanged")
    func empty() async throws {
        try Data().write(to: file)
        #expect(try await refusals().allSatisfy { $0.contains("is empty, so it is not a store. Remove it") })
    }

    @Test("a command refuses a file that is not a database and leaves it unchanged")
    func foreign() async throws {
        try bench.write(String(repeating: "Dear diary, ", count: 1000), to: "store.sqlite")
        #expect(try await refusals().allSatisfy { $0.contains("is not an SQLite database") })
    }

    @Test("a command refuses another app's database and leaves it unchanged")
    func otherApp() async throws {
        let queue = try DatabaseQueue(path: file.path)
        try await queue.write { try $0.execute(sql: "CREATE TABLE ZFEED(Z_PK INTEGER PRIMARY KEY)") }
        try queue.close()
        #expect(
            try await refusals().allSatisfy {
                $0.contains("not a store of Switchyard: it has the tables ZFEED")
            })
    }

    @Test("a command refuses a truncated store and leaves it unchanged", arguments: [100, 5000, 20_000])
    func truncated(size: Int) async throws {
        try await makeStore()
        try Data(contentsOf: file).prefix(size).write(to: file)
        #expect(
            try await refusals().allSatisfy {
                $0.contains("is damaged or cut short. Restore it from a backup")
            })
    }

    @Test("a command refuses a store of a newer schema and leaves it unchanged")
    func newer() async throws {
        try await makeStore()
        let queue = try DatabaseQueue(path: file.path)
        try await queue.write {
            try $0.execute(
                sql: "UPDATE switchyard_store SET marker = replace(marker, '\"major\":8', '\"major\":9')")
            #expect($0.changesCount == 1)
        }
        try queue.close()
        let errors = try await refusals()
        #expect(errors.allSatisfy { $0.contains("9.0.0") && $0.contains("8.0.0") }, "\(errors[0])")
    }

    @Test("a command refuses a directory, and a path below a file, and changes nothing")
    func noFile() async throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(try await refusals().allSatisfy { $0.contains("is not a file") })
        try bench.write("", to: "inTheWay")
        let error = try await bench.fail(1, "status", "--store", "sqlite:inTheWay/store.sqlite")
        #expect(error.contains("inTheWay"))
    }

    @Test("a store that another process locks can be read, and written to once it is free")
    func locked() async throws {
        try await makeStore()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: file.path, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let feeds = try await bench.succeed("export", "feeds", "--format", "full").output
        let impatient = ["SWITCHYARD_STORE_SQLITE_BUSY_TIMEOUT": "0.1"]
        #expect(
            try await bench.fail(1, "baby", "add", "Zoe", environment: impatient)
                == "babymonitor: Another connection or process kept the store locked for too long; try again.\n"
        )
        #expect(try await bench.succeed("export", "feeds", "--format", "full").output == feeds)
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try other.close()
        _ = try await bench.succeed("baby", "add", "Zoe")
    }

    @Test(
        "a store without write permission can be read, and is unchanged",
        .enabled(if: canBeBound, "runs as root, which no permission binds, and there is no setpriv"))
    func readOnly() async throws {
        try await makeStore()
        let directory = bench.url("kept")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        let kept = directory.appending(path: "store.sqlite")
        try FileManager.default.moveItem(at: file, to: kept)
        let bytes = try Data(contentsOf: kept)
        for (path, mode) in [(kept.path, 0o400), (directory.path, 0o500)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        let script = bound + "\"$@\" --store sqlite:kept/store.sqlite"
        let written = try await bench.shell(script, "baby", "add", "Zoe")
        #expect(written.status == 1)
        #expect(written.isOneParagraph)
        #expect(
            written.error.contains("cannot be written by this user. Change its permissions"),
            "\(written.error)")
        let new = try await bench.shell(
            script.replacing("store.sqlite", with: "new.sqlite"), "baby", "add", "Zoe")
        #expect(
            new.error
                == "babymonitor: The store \(directory.path)/new.sqlite cannot be created: Permission denied. Make sure "
                + "that there is room in its directory and that you can write to it, or give another path.\n")
        let importing = try await bench.shell(script, "import", "feeds", "/dev/null", "--dry-run")
        #expect(importing.status == 1)
        #expect(
            importing.error.contains("cannot be written by this user. Change its permissions"),
            "\(importing.error)")
        let read = try await bench.shell(script, "store", "check")
        #expect(read.output == "The store is sound.\n")
        for arguments in [
            ["status"], ["history"], ["export", "feeds"], ["widgets", "show"], ["baby", "list"],
        ] {
            let outcome = try await bench.shell(script, arguments)
            #expect(outcome.status == 0, "\(arguments): \(outcome.error)")
            #expect(outcome.error == "")
            #expect(!outcome.output.isEmpty)
        }
        #expect(try Data(contentsOf: kept) == bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["store.sqlite"])
    }
}

/// What to write before a command in a shell, so that permissions bind it: root may write to any file, but
/// for this capability.
let bound = getuid() == 0 ? "setpriv --bounding-set=-dac_override " : ""
/// Whether permissions can be made to bind a command.
let canBeBound = getuid() != 0 || FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")
