import Foundation
import GRDB
import SQLiteStore
import SwitchyardCore
import Testing

@testable import BabyMonitorKit

@Suite("A store between two versions")
struct RepairTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    /// Makes a store of version 6 under the marker of version 8.
    private func makeStore() async throws {
        let registry = try PluginRegistry([SQLitePlugin.self])
        let store = try await registry.open(
            url: "sqlite:" + bench.url("store.sqlite").path, schema: BabyMonitorSchema6.self)
        try await store.write { tx in
            let bath = BabyMonitorSchema6.CustomEventType(name: "Bath", emoji: "🛁")
            let mia = BabyMonitorSchema6.BabyProfile(name: "Mia")
            try tx.insert(mia)
            try tx.insert(bath)
            try tx.insert(
                BabyMonitorSchema6.CustomEvent(
                    timestamp: Date(timeIntervalSince1970: 1_762_454_079), type: bath.id, profile: mia.id))
        }
        try await store.close()
        let newer = bench.url("newer.sqlite")
        try await registry.open(url: "sqlite:" + newer.path, schema: BabyMonitorSchema.self).close()
        try tamper(
            """
            ATTACH '\(newer.path)' AS newer;
            DELETE FROM main.switchyard_store;
            INSERT INTO main.switchyard_store SELECT * FROM newer.switchyard_store;
            DETACH newer
            """)
        for file in ["newer.sqlite", "newer.sqlite-wal", "newer.sqlite-shm"] {
            try? FileManager.default.removeItem(at: bench.url(file))
        }
    }

    private func tamper(_ sql: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: bench.url("store.sqlite").path, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test("check and a dry run report a store between two versions unchanged, and repair keeps its rows")
    func repaired() async throws {
        try await makeStore()
        let before = try bench.files()
        let check = try await bench.run(["store", "check"])
        #expect(check.status == 1)
        #expect(check.output == "The marker names version 8.0.0, and the tables have version 6.0.0.\n")
        #expect(
            check.error
                == "babymonitor: The store is damaged, as shown above, and can be repaired: babymonitor store repair.\n"
        )
        let plan = try await bench.succeed("store", "repair", "--dry-run")
        #expect(
            plan.output
                == check.output + "marker: marked. The marker gets version 6.0.0.\n"
                + "The store is damaged, and can be repaired: babymonitor store repair. Nothing was changed.\n"
        )
        let diagnosis: StoreDiagnosis = try await bench.succeed("store", "repair", "--dry-run", "--json")
            .json()
        #expect(diagnosis.findings.map(\.code) == [.markerOfOtherVersion])
        #expect(diagnosis.canBeRepaired)
        #expect(try bench.files() == before)
        let repair = try await bench.succeed("store", "repair").output
        #expect(repair.hasSuffix("The store is repaired as version 6.0.0.\n"), "\(repair)")
        let copies = try bench.files().keys.filter { $0.hasSuffix(".backup") }
        #expect(copies.count == 1)
        #expect(repair.contains("backup   ") && repair.contains("/store.sqlite.damaged-"), "\(repair)")
        #expect(
            try await bench.succeed("store", "check").output.hasPrefix(
                "The store is sound. It has version 6.0.0"))
        let again = try await bench.succeed("store", "repair").output
        #expect(again.hasPrefix("The store is sound."), "\(again)")
        #expect(try bench.files().keys.filter { $0.hasSuffix(".backup") }.count == 1)
        _ = try await bench.succeed("store", "migrate")
        #expect(try await bench.succeed("baby", "list").output.contains("Mia"))
        #expect(try await bench.succeed("store", "check").output == "The store is sound.\n")
    }

    @Test("check reports a store that has lost the table of its marker")
    func markerLost() async throws {
        _ = try await bench.succeed("seed", "--days", "2", "--until", "2025-11-06")
        try tamper("DROP TABLE switchyard_store")
        let check = try await bench.run(["store", "check"])
        #expect(check.status == 1)
        #expect(check.output == "The store has no marker.\n")
        #expect(check.error.contains("can be repaired"))
        _ = try await bench.succeed("store", "repair")
        #expect(try await bench.succeed("baby", "list").output.contains("Mia"))
    }

    @Test("repair refuses a store with a table that fits no version, and leaves it unchanged")
    func refused() async throws {
        try await makeStore()
        try tamper("DROP TABLE CustomEvent; CREATE TABLE CustomEvent (id BLOB PRIMARY KEY, what TEXT)")
        let before = try bench.files()
        let plan = try await bench.run(["store", "repair", "--dry-run"])
        #expect(plan.status == 1)
        #expect(plan.output.contains("CustomEvent: The table fits no version of the plan."), "\(plan.output)")
        let error = try await bench.fail(1, "store", "repair")
        #expect(
            error.contains("The store cannot be repaired; nothing was changed. CustomEvent: "), "\(error)")
        #expect(error.contains("there is a column what"), "\(error)")
        #expect(try bench.files() == before)
    }

    @Test(
        "repair without room for the copy changes nothing, and works once there is room",
        .enabled(if: FullDiskTests.canMount, "no file system can be mounted in a name space of its own here"))
    func fullDisk() async throws {
        try await makeStore()
        try FileManager.default.createDirectory(at: bench.url("small"), withIntermediateDirectories: false)
        let script = """
            command=$1
            mount -t tmpfs -o size=2000k none small && cp store.sqlite* small/ || exit 90
            cat /dev/zero > small/rest 2> /dev/null
            export SWITCHYARD_STORE_URL=sqlite:small/store.sqlite
            for room in 0 4096 65536; do
                truncate -s -$room small/rest
                "$command" store repair > /dev/null; echo "$room: $? $(cd small && ls | grep -c backup)"
            done
            rm small/rest
            "$command" store check
            "$command" store repair | tail -1
            """
        let outcome = try await bench.shell(
            "script=$2; exec unshare -rm sh -c \"$script\" sh \"$1\"", script)
        #expect(
            outcome.output
                == "0: 1 0\n4096: 1 0\n65536: 1 0\n"
                + "The marker names version 8.0.0, and the tables have version 6.0.0.\n"
                + "The store is repaired as version 6.0.0.\n", "\(outcome.error)")
        #expect(outcome.error.contains("The disk is full"), "\(outcome.error)")
    }

    @Test(
        "check reports a damaged store that is read-only",
        .enabled(if: canBeBound, "runs as root, which no permission binds, and there is no setpriv"))
    func readOnly() async throws {
        try await makeStore()
        try FileManager.default.createDirectory(at: bench.url("kept"), withIntermediateDirectories: false)
        let kept = bench.url("kept/store.sqlite")
        try FileManager.default.moveItem(at: bench.url("store.sqlite"), to: kept)
        let bytes = try Data(contentsOf: kept)
        for (path, mode) in [(kept.path, 0o444), (bench.url("kept").path, 0o555)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        let script = bound + "\"$@\" --store sqlite:kept/store.sqlite"
        let check = try await bench.shell(script, "store", "check")
        #expect(check.output == "The marker names version 8.0.0, and the tables have version 6.0.0.\n")
        let repair = try await bench.shell(script, "store", "repair")
        #expect(repair.status == 1)
        #expect(repair.error.contains("cannot be written by this user"), "\(repair.error)")
        #expect(try Data(contentsOf: kept) == bytes)
    }

    @Test("a newer store, and one in memory, are not repaired")
    func others() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        try tamper("UPDATE switchyard_store SET marker = replace(marker, '\"major\":8', '\"major\":9')")
        let error = try await bench.fail(1, "store", "repair")
        #expect(error.contains("9.0.0") && error.contains("8.0.0"), "\(error)")
        let memory = try await bench.run(["store", "repair", "--store", "memory:"])
        #expect(memory.status != 0)
        #expect(memory.isOneParagraph)
    }
}
