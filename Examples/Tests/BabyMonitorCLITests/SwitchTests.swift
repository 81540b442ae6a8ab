import Foundation
import Testing

@Suite("babymonitor store switch")
struct SwitchTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private func role(_ store: String) async throws -> String {
        let info: StoreAnswer = try await bench.succeed("store", "info", "--json", "--store", store).json()
        return "\(info.generation) \(info.role)"
    }

    @Test("after a switch all data is in the new store, and the old one says so")
    func switched() async throws {
        _ = try await bench.succeed("seed", "--days", "20", "--babies", "3", "--until", "2025-11-06")
        let history = try await bench.succeed("export", "feeds", "--format", "full").output
        let shown = try await bench.succeed("store", "switch", "--to", "sqlite:new.sqlite").output
        #expect(shown.contains("verifying  "))
        #expect(shown.contains("FeedSession: 360 rows, "))
        #expect(
            shown.hasSuffix(
                "The data is in sqlite:\(bench.url("new.sqlite").path) now; the old store is kept, and can only be read.\n"
            ))
        #expect(
            try await bench.succeed("export", "feeds", "--format", "full", "--store", "sqlite:new.sqlite")
                .output
                == history)
        #expect(try await role("sqlite:store.sqlite") == "1 superseded")
        #expect(try await role("sqlite:new.sqlite") == "2 active")
        // A program that insists on the old one is refused; the configuration, which still names it, is
        // followed.
        #expect(
            try await bench.fail(1, "baby", "add", "Zoe", "--store", "sqlite:store.sqlite").contains(
                "superseded by sqlite:\(bench.url("new.sqlite").path)"))
        _ = try await bench.succeed("baby", "add", "Zoe")
        let info: StoreAnswer = try await bench.succeed("store", "info", "--json").json()
        #expect("\(info.generation) \(info.role)" == "2 active")
        // And back, as events.
        let events = try await bench.succeed(
            "store", "switch", "--json", "--to", "sqlite:back.sqlite"
        ).output.split(separator: "\n")
        struct Event: Decodable { let phase: String }
        let steps = try events.dropLast().map {
            try JSONDecoder().decode(Event.self, from: Data($0.utf8)).phase
        }
        #expect(steps.first == "copying")
        #expect(steps.last == "committed")
        #expect(try await role("sqlite:back.sqlite") == "3 active")
        let names = try await bench.succeed("baby", "list", "--store", "sqlite:back.sqlite").output
        #expect(names.contains("Zoe"))
        // The old stores are not needed to find it.
        for name in ["store.sqlite", "new.sqlite"] { try FileManager.default.removeItem(at: bench.url(name)) }
        #expect(try await bench.succeed("baby", "list").output == names)
    }

    @Test("data goes back to its old place only if the backup may be replaced; a backup can be retired")
    func back() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        _ = try await bench.succeed("store", "switch", "--to", "sqlite:new.sqlite")
        _ = try await bench.succeed("baby", "add", "Zoe")
        #expect(
            try await bench.fail(1, "store", "switch", "--to", "sqlite:store.sqlite").contains(
                "is the backup that an earlier switch of this store has left"))
        _ = try await bench.succeed("store", "switch", "--to", "sqlite:store.sqlite", "--replace-backup")
        #expect(try await role("sqlite:store.sqlite") == "3 active")
        let names = try await bench.succeed("baby", "list").output
        #expect(names.contains("Mia") && names.contains("Zoe"))
        #expect(
            try await bench.succeed("store", "switch", "--status", "--store", "sqlite:new.sqlite").output
                == "phase   committed\ntarget  sqlite:\(bench.url("store.sqlite").path)\n")
        #expect(
            try await bench.succeed("store", "switch", "--status").output == """
                phase   committed
                source  sqlite:\(bench.url("new.sqlite").path)
                target  sqlite:\(bench.url("store.sqlite").path)

                """)
        _ = try await bench.succeed("store", "switch", "--retire", "--store", "sqlite:new.sqlite")
        #expect(try await role("sqlite:new.sqlite") == "2 retired")
        #expect(
            try await bench.fail(1, "store", "switch", "--retire", "--store", "sqlite:store.sqlite").contains(
                "is not the backup of one at"))
    }

    @Test("a killed switch resumes only on request, and can be aborted")
    func killed() async throws {
        _ = try await bench.succeed("seed", "--days", "300", "--babies", "3", "--until", "2025-11-06")
        try await bench.kill("store", "switch", "--to", "sqlite:new.sqlite")
        #expect(try await role("sqlite:store.sqlite") == "1 active")
        #expect(
            try await bench.fail(1, "store", "switch", "--to", "sqlite:new.sqlite").contains(
                "Go on with it with --resume, or give it up with --abort."))
        struct Status: Decodable {
            let phase, target: String
            let rows: Int
        }
        let status: Status = try await bench.succeed("store", "switch", "--status", "--json").json()
        #expect(["copying", "indexing", "verifying"].contains(status.phase))
        #expect(status.target == "sqlite:\(bench.url("new.sqlite").path)")
        #expect(
            try await bench.fail(1, "store", "switch", "--to", "sqlite:other.sqlite", "--resume").contains(
                "A switch of the store to sqlite:\(bench.url("new.sqlite").path) is under way."))
        #expect(
            try await bench.succeed("store", "switch", "--abort").output
                == "The switch is given up; the old store is the one to use.\n")
        _ = try await bench.succeed("baby", "add", "Zoe")
        #expect(
            try await bench.fail(1, "store", "switch", "--to", "sqlite:new.sqlite", "--resume").contains(
                "Leave --resume out to begin one."))
        try await bench.kill("store", "switch", "--to", "sqlite:new.sqlite")
        _ = try await bench.succeed("store", "switch", "--resume")
        #expect(
            try await bench.succeed("baby", "list", "--store", "sqlite:new.sqlite").output.contains("Zoe"))
    }

    @Test("a rehearsed switch follows the old store, compares reads, and is committed")
    func rehearsed() async throws {
        _ = try await bench.succeed("seed", "--days", "20", "--babies", "3", "--until", "2025-11-06")
        // The first process follows until the switch is committed.
        let script = #"""
            "$@" --to sqlite:new.sqlite --rehearse | {
                grep -m 1 'The new store follows'
                SWITCHYARD_REHEARSAL_PERCENT=100 "$1" status > /dev/null
                "$@" --status | grep -E '^(phase|reads)'
                "$@" --to sqlite:new.sqlite
                "$1" baby add Zoe > /dev/null
                "$@" --commit | tail -1
                cat
            }
            """#
        let outcome = try await bench.shell(script, "store", "switch")
        #expect(
            outcome.output == """
                The new store follows while this command runs. End it with Ctrl-C; --rehearse goes on.
                phase   rehearsing
                reads   1 compared, 0 of them different, 0 not compared
                The data is in sqlite:\(bench.url("new.sqlite").path) now; the old store is kept, and can only be read.
                The rehearsal has ended.

                """)
        #expect(outcome.error.contains("Carry it out with --commit, or give it up with --abort."))
        #expect(try await role("sqlite:new.sqlite") == "2 active")
        #expect(
            try await bench.succeed("baby", "list", "--store", "sqlite:new.sqlite").output.contains("Zoe"))
        #expect(
            try await bench.fail(1, "store", "switch", "--commit").contains(
                "No switch of this store is rehearsed."))
        _ = try await bench.fail(2, "store", "switch", "--rehearse", "--commit")
    }

    @Test("a switch to a taken, missing or in-memory place is refused before it begins")
    func refused() async throws {
        try await bench.makeStore()
        _ = try await bench.succeed("baby", "add", "Mia", "--store", "sqlite:taken.sqlite")
        for (place, complaint) in [
            ("sqlite:taken.sqlite", "There is a store at sqlite:\(bench.url("taken.sqlite").path) already"),
            ("sqlite:store.sqlite", "There is a store at sqlite:\(bench.url("store.sqlite").path) already"),
            ("sqlite:none/new.sqlite", "The directory "), ("memory:", "A store in memory ends"),
            ("postgres://me:hunter2@localhost/db", "The URL has a password"),
        ] {
            let refusal = try await bench.fail(1, "store", "switch", "--to", place)
            #expect(refusal.contains(complaint))
            #expect(!refusal.contains("hunter2"))
        }
        #expect(
            try await bench.fail(1, "store", "switch", "--to", "sqlite:new.sqlite", "--abort").contains(
                "No switch of the store"))
        #expect(
            try await bench.fail(
                1, "store", "switch", "--store", "sqlite:none.sqlite", "--to", "sqlite:new.sqlite"
            )
            .contains("There is no store at"))
        _ = try await bench.fail(2, "store", "switch")
        _ = try await bench.fail(2, "store", "switch", "--to", "sqlite:new.sqlite", "--resume", "--abort")
        // Nothing is under way after all this.
        _ = try await bench.succeed("store", "switch", "--to", "sqlite:new.sqlite")
    }
}
