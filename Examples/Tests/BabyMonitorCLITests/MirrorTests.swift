import Foundation
import GRDB
import Testing

@Suite("babymonitor mirror")
struct MirrorTests {
    let bench: Workbench
    private static let cloud = "sqlite:cloud.sqlite"

    init() throws {
        bench = try Workbench([
            "SWITCHYARD_STORE_URL": "sqlite:store.sqlite", "SWITCHYARD_STORE_MIRROR_URL": Self.cloud,
            "SWITCHYARD_STORE_MIRROR_DEVICE": "Mia's phone",
        ])
    }

    private struct Exchanged: Decodable, Equatable {
        var phase = "upToDate"
        var received = 0
        var pending = 0
        var rejected = 0
        var conflicts = 0
        var problem: String?
    }

    private struct Status: Decodable {
        let part: String
        let server: String?
        let serverID: String?
        let pending: Int
        let rejected: Int
        let conflicts: Int
        let lastExchange: Date?
    }

    private struct Conflicts: Decodable {
        struct Conflict: Decodable {
            struct Value: Decodable {
                let attribute: String
            }
            let id: String
            let device: String?
            let reason: String
            let entity: String
            let row: String
            let values: [Value]
        }
        let conflicts: [Conflict]
        let rejected: [Conflict]
    }

    /// Runs the command on another device's store.
    private func other(_ words: String...) async throws -> Outcome {
        let outcome = try await bench.run(
            words,
            environment: [
                "SWITCHYARD_STORE_URL": "sqlite:other.sqlite",
                "SWITCHYARD_STORE_MIRROR_DEVICE": "Zoe's phone",
            ])
        #expect(outcome.status == 0, "\(words): \(outcome.error)")
        return outcome
    }

    private func names(_ store: String) async throws -> [String] {
        try await bench.run(["baby", "list", "--json", "--store", store]).json([BabyAnswer].self).map(\.name)
    }

    /// Mirrors two stores to one server; both have changed Mia's interval, this one last.
    private func disagree() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        _ = try await bench.succeed("mirror", "start")
        _ = try await other("mirror", "start")
        _ = try await other("baby", "edit", "Mia", "--feed-term", "120")
        _ = try await other("mirror", "exchange")
        _ = try await bench.succeed("baby", "edit", "Mia", "--feed-term", "150")
    }

    // MARK: Words

    @Test("start makes a mirror of each store, and an exchange carries rows from one to the other")
    func lines() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        #expect(try await bench.succeed("mirror", "status").output == "The store is not mirrored.\n")
        #expect(try await bench.succeed("mirror", "start").output == "up to date\n")
        #expect(try await other("mirror", "start").output == "up to date\n")
        #expect(try await names("sqlite:other.sqlite") == ["Mia"])
        _ = try await other("baby", "add", "Zoe")
        let waiting = try await other("mirror", "status").output.split(separator: "\n")
        #expect(waiting[0].hasPrefix("server         sqlite:\(bench.url("cloud.sqlite").path), store id "))
        #expect(waiting[2...] == ["pending        1 write", "rejected       0 writes", "conflicts      0"])
        #expect(try await other("mirror", "exchange").output == "up to date\n")
        #expect(try await other("mirror", "status").output.contains("pending        0 writes\n"))
        #expect(try await bench.succeed("mirror", "exchange").output == "up to date\n")
        #expect(try await names("sqlite:store.sqlite") == ["Mia", "Zoe"])
        #expect(try await bench.succeed("mirror", "verify").output.contains("BabyProfile: 2 rows, "))
        #expect(
            try await bench.succeed("mirror", "status", "--store", Self.cloud).output
                == "The store is the server of a mirror.\nconflicts      0\n")
    }

    @Test("the answers are told as JSON")
    func json() async throws {
        try await disagree()
        let before: Status = try await bench.succeed("mirror", "status", "--json").json()
        #expect(before.part == "device")
        #expect(before.server == "sqlite:\(bench.url("cloud.sqlite").path)")
        #expect(before.serverID.flatMap { UUID(uuidString: $0) } != nil)
        #expect((before.pending, before.rejected, before.conflicts) == (1, 0, 0))
        #expect(before.lastExchange != nil)
        let exchanged: Exchanged = try await bench.succeed("mirror", "exchange", "--json").json()
        #expect(exchanged == Exchanged(conflicts: 1))
        let shown: Conflicts = try await bench.succeed("mirror", "conflicts", "--json").json()
        #expect(shown.rejected.isEmpty)
        let conflict = try #require(shown.conflicts.first)
        #expect(shown.conflicts.count == 1)
        #expect(conflict.reason == "edited")
        #expect(conflict.entity == "BabyProfile")
        #expect(conflict.device == "Mia's phone")
        #expect(conflict.values.map(\.attribute) == ["feedTerm"])
        struct Compared: Decodable {
            let entity: String
            let isEqual: Bool
        }
        let compared: [Compared] = try await bench.succeed("mirror", "verify", "--json").json()
        #expect(compared.count == 5)
        #expect(compared.map(\.isEqual) == Array(repeating: true, count: 5))
        struct Ended: Decodable {
            let isMirrored: Bool
        }
        let ended: Ended = try await bench.succeed("mirror", "stop", "--json").json()
        #expect(!ended.isMirrored)
        let after: Status = try await bench.succeed("mirror", "status", "--json").json()
        #expect(after.part == "none")
        #expect(after.serverID == nil)
    }

    @Test("a conflict is shown with both values, restored, and dismissed")
    func conflicts() async throws {
        try await disagree()
        #expect(try await bench.succeed("mirror", "conflicts").output == "There are no conflicts.\n")
        #expect(
            try await bench.succeed("mirror", "exchange").output
                == "up to date; 1 conflict\nSee the command mirror conflicts.\n")
        let lines = try await bench.succeed("mirror", "conflicts").output.split(separator: "\n")
        let id = try #require(lines.first?.split(separator: " ").first.map(String.init))
        #expect(lines[0].hasSuffix(", met by Mia's phone"))
        #expect(lines[0].hasPrefix("\(id)  two edits of BabyProfile "))
        #expect(lines[1...] == ["  feedTerm: lost 7200.0, kept 9000.0"])
        #expect(
            try await bench.succeed("mirror", "conflicts", "--restore", id).output
                == "There are no conflicts.\n")
        #expect(try await bench.succeed("baby", "list").output.contains("a feed every 120 min"))
        // Each device has its own copy of the log.
        _ = try await other("mirror", "exchange")
        #expect(try await other("mirror", "conflicts", "--dismiss", id).output == "There are no conflicts.\n")
        #expect(try await other("baby", "list").output.contains("a feed every 150 min"))
    }

    @Test("stop refuses to forget what was not sent, unless it is told to")
    func stop() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        _ = try await bench.succeed("mirror", "start")
        _ = try await bench.succeed("baby", "add", "Zoe")
        #expect(try await bench.fail(1, "mirror", "stop").contains("were not sent to the server yet"))
        #expect(try await bench.succeed("mirror", "status").output.contains("pending        1 write\n"))
        #expect(
            try await bench.succeed("mirror", "stop", "--discard-unsent").output
                == "The store is no mirror any more; it keeps its rows.\n")
        #expect(try await names("sqlite:store.sqlite") == ["Mia", "Zoe"])
        #expect(try await names(Self.cloud) == ["Mia"])
        #expect(try await bench.fail(1, "mirror", "stop").contains("The store is not a mirror."))
    }

    @Test("verify finds a damaged row, repair takes the server's, and nothing is lost with it")
    func verify() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        _ = try await bench.succeed("mirror", "start")
        #expect(
            try await bench.succeed("mirror", "verify").output.contains("BabyProfile: 1 row, 1 part: equal\n")
        )
        try await DatabaseQueue(path: bench.url("store.sqlite").path).write { database in
            try database.execute(sql: #"UPDATE "BabyProfile" SET "name" = 'Mio'"#)
        }
        let damaged = try await bench.run(["mirror", "verify"])
        #expect(damaged.status == 1)
        #expect(damaged.output.contains("BabyProfile: 1 row, 1 part: 1 row differs: "))
        #expect(damaged.error.contains("by --repair"))
        #expect(try await names("sqlite:store.sqlite") == ["Mio"])
        let repaired = try await bench.succeed("mirror", "verify", "--repair")
        #expect(repaired.output.contains("1 row differs, repaired: "))
        #expect(try await names("sqlite:store.sqlite") == ["Mia"])
        let lines = try await bench.succeed("mirror", "conflicts").output
        #expect(lines.contains("a damaged row of BabyProfile"))
        #expect(lines.contains("lost \"Mio\", kept \"Mia\""))
        #expect(
            try await bench.succeed("mirror", "verify").output.contains("BabyProfile: 1 row, 1 part: equal\n")
        )
    }

    // MARK: Wrong calls

    @Test(
        "help says what each command does, and opens no store",
        arguments: [
            ("start", "Makes the store a mirror of the server"), ("status", "Shows what waits to be sent"),
            ("exchange", "Sends what was written here"),
            ("conflicts", "Shows values that merges did not keep"),
            ("verify", "compares the store's rows with the server's"), ("stop", "Ends the mirror"),
        ])
    func help(word: String, sentence: String) async throws {
        let outcome = try await bench.succeed("mirror", word, "--help").output
        #expect(outcome.contains(sentence))
        #expect(outcome.contains("USAGE: babymonitor mirror \(word)"))
        #expect(try bench.files().keys.sorted() == ["home"])
    }

    @Test(
        "a call that is wrong whatever the store holds ends with 2, and makes no store",
        arguments: [
            (["mirror", "begin"], "Unexpected argument 'begin'"),
            (["mirror", "start", "--server"], "Missing value for '--server"),
            (["mirror", "start", "--server", "cloud.sqlite"], "cloud.sqlite"),
            (["mirror", "start", "--server", "mysql://server/family"], "mysql"),
            (["mirror", "start", "--household", "family"], "store.mirror.scope is not the id of a scope"),
            (["mirror", "conflicts", "--restore", "1", "--dismiss", "2"], "Give one of --restore"),
            (["mirror", "stop", "now"], "Unexpected argument 'now'"),
        ])
    func usage(words: [String], complaint: String) async throws {
        let outcome = try await bench.run(words)
        #expect(outcome.status == 2, "\(words)")
        #expect(outcome.output == "")
        #expect(outcome.isOneParagraph)
        #expect(outcome.error.contains(complaint), "\(outcome.error)")
        #expect(try bench.files().keys.sorted() == ["home"])
    }

    @Test("no server is named: the call says so, and makes no store")
    func noServer() async throws {
        let unnamed = ["SWITCHYARD_STORE_MIRROR_URL": ""]
        let start = try await bench.run(["mirror", "start"], environment: unnamed)
        #expect(start.status == 2)
        #expect(start.error.contains("No server is named."), "\(start.error)")
        // What a store that there is has joined, only it knows.
        for word in ["exchange", "verify", "members", "leave"] {
            let outcome = try await bench.run(["mirror", word], environment: unnamed)
            #expect(outcome.status == 1)
            #expect(outcome.error.contains("There is no store"), "\(outcome.error)")
        }
        #expect(try bench.files().keys.sorted() == ["home"])
    }

    @Test("a store that is not a mirror has nothing to exchange or to end")
    func noMirror() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        for word in ["exchange", "verify", "stop"] {
            #expect(
                try await bench.fail(1, "mirror", word).contains(
                    "The store is not a mirror. Make it one with babymonitor mirror start"))
        }
        #expect(!FileManager.default.fileExists(atPath: bench.url("cloud.sqlite").path))
    }

    @Test("an id that is none, or that no entry has, is refused")
    func ids() async throws {
        try await disagree()
        for option in ["--restore", "--dismiss", "--retry", "--discard"] {
            #expect(try await bench.fail(2, "mirror", "conflicts", option, "first").contains("is not an id"))
            #expect(
                try await bench.fail(1, "mirror", "conflicts", option, UUID().uuidString).contains(
                    "There is no such entry"))
        }
    }

    @Test("a server that is gone or is another one is refused, and nothing is made or lost")
    func otherServer() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        _ = try await bench.succeed("mirror", "start")
        _ = try await bench.succeed("baby", "add", "Zoe")
        for word in ["exchange", "verify"] {
            #expect(
                try await bench.fail(1, "mirror", word, "--server", "sqlite:gone.sqlite").contains(
                    "There is no store at"))
        }
        #expect(!FileManager.default.fileExists(atPath: bench.url("gone.sqlite").path))
        _ = try await bench.succeed("baby", "list", "--store", "sqlite:store.sqlite")
        _ = try await bench.succeed("baby", "add", "Ida", "--store", "sqlite:third.sqlite")
        #expect(
            try await bench.fail(1, "mirror", "exchange", "--server", "sqlite:third.sqlite").contains(
                "The store mirrors another server"))
        #expect(try await bench.succeed("mirror", "status").output.contains("pending        1 write\n"))
        #expect(try await bench.succeed("mirror", "exchange").output == "up to date\n")
    }

    // MARK: Other apps

    @Test(
        "the other apps' commands mirror their stores as well",
        arguments: [
            ("FitIQ", ["upgrade", "sqlite:one.sqlite", "--from", "9", "--rows", "3"], "fitiq"),
            ("KeepTrackCommand", ["launch", "made"], "keeptrack"), ("W8TrackrCommand", nil, "w8trackr"),
        ] as [(String, [String]?, String)])
    func apps(program: String, filling: [String]?, name: String) async throws {
        let bench = try Workbench([:], program: program)
        if let filling { #expect(try await bench.run(filling).status == 0) }
        let own = program == "KeepTrackCommand" ? "sqlite:made/group/keeptrack.sqlite" : "sqlite:one.sqlite"
        func mirror(_ word: String, _ store: String, _ more: String...) async throws -> String {
            let outcome = try await bench.run(["mirror", word, "--store", store] + more)
            #expect(outcome.status == 0, "\(outcome.error)")
            return outcome.output
        }
        for store in [own, "sqlite:two.sqlite"] {
            #expect(try await mirror("start", store, "--server", Self.cloud) == "up to date\n")
            let compared = try await mirror("verify", store, "--server", Self.cloud)
            #expect(compared.contains(": equal\n"))
            #expect(compared.contains(": 0 rows, ") || filling != nil)
        }
        #expect(try await mirror("conflicts", own) == "There are no conflicts.\n")
        #expect(try await mirror("status", own).contains("pending        0 writes\n"))
        _ = try await mirror("stop", own)
        let outcome = try await bench.run(["mirror", "exchange", "--store", own, "--server", Self.cloud])
        #expect(outcome.status == 1)
        #expect(
            outcome.error.hasPrefix(
                "\(name): The store is not a mirror. Make it one with \(name) mirror start"),
            "\(outcome.error)")
    }

    @Test("the example of the mirror's conflicts comes out as it states")
    func conflictsExample() async throws {
        let bench = try Workbench([:], program: "MirrorConflicts")
        let outcome = try await bench.run(["deletes", "keys"])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.hasSuffix("14 cases, all as stated.\n"))
        #expect(try await bench.run(["orders"]).status == 2)
    }
}
