import Foundation
import Testing

@Suite("babymonitor baby")
struct BabyTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private func list() async throws -> [BabyAnswer] {
        try await bench.succeed("baby", "list", "--json").json()
    }

    @Test("a baby is added, listed, changed and removed")
    func life() async throws {
        let leo: BabyAnswer = try await bench.succeed("baby", "add", " Leo ", "--json").json()
        #expect(leo.name == "Leo")
        #expect(leo.feedTermMinutes == 180)
        let mia: BabyAnswer =
            try await bench.succeed("baby", "add", "Mia", "--feed-term", "90", "--json").json()
        #expect(mia.feedTermMinutes == 90)
        #expect(try await list() == [leo, mia])
        let mira: BabyAnswer =
            try await bench.succeed(
                "baby", "edit", mia.id, "--name", "Mira", "--feed-term", "480", "--json"
            ).json()
        #expect(mira.id == mia.id)
        #expect(mira.name == "Mira")
        #expect(mira.feedTermMinutes == 480)
        let removed: BabyAnswer = try await bench.succeed("baby", "remove", "Leo", "--json").json()
        #expect(removed == leo)
        #expect(try await list() == [mira])
    }

    @Test("without --json the answers are for people")
    func text() async throws {
        let added = try await bench.succeed("baby", "add", "하나").output
        let id = try #require(try await list().first?.id)
        #expect(added == "Added 하나 (\(id)).\n")
        #expect(
            try await bench.succeed("baby", "edit", "하나", "--feed-term", "30").output
                == "Changed 하나 (\(id)).\n")
        #expect(try await bench.succeed("baby", "list").output == "하나  \(id)  a feed every 30 min\n")
        #expect(try await bench.succeed("baby", "remove", "하나").output == "Removed 하나 (\(id)).\n")
        #expect(try await bench.succeed("baby", "list").output == "")
    }

    @Test("a baby is found by its id or by its name, ignoring case and accents, but not by empty text")
    func names() async throws {
        _ = try await bench.succeed("baby", "add", "Élodie")
        for name in ["élodie", "ELODIE", " elodie "] {
            _ = try await bench.succeed("baby", "edit", name, "--feed-term", "60")
        }
        #expect(
            try await bench.fail(1, "baby", "remove", "Mia")
                == "babymonitor: There is no baby `Mia`. Choose from: Élodie.\n")
        for text in ["", " ", "\n"] {
            let refusal =
                "babymonitor: The name of the baby is empty. Give a name or an id; `babymonitor baby list` shows both.\n"
            #expect(try await bench.fail(2, "baby", "remove", text) == refusal)
            #expect(try await bench.fail(2, "baby", "edit", text, "--name", "Nobody") == refusal)
            #expect(try await bench.fail(2, "history", "--baby", text) == refusal)
        }
        #expect(try await list().map(\.name) == ["Élodie"])
        #expect(try await list().map(\.feedTermMinutes) == [60])
    }

    @Test("the beginning of a name is enough to show a baby, but not to change or remove one")
    func beginnings() async throws {
        _ = try await bench.succeed("baby", "add", "Élodie")
        #expect(try await bench.succeed("history", "--baby", "elo").output == "")
        let refusal =
            "babymonitor: There is no baby `elo`. Give the whole name or the id. Choose from: Élodie.\n"
        #expect(try await bench.fail(1, "baby", "remove", "elo") == refusal)
        #expect(try await bench.fail(1, "baby", "edit", "elo", "--feed-term", "90") == refusal)
        _ = try await bench.succeed("baby", "add", "Elisa")
        let several = try await bench.fail(1, "history", "--baby", "el")
        #expect(
            several.hasPrefix(
                "babymonitor: Several match `el`. Give the id of one. Choose from: Elisa ("))
        #expect(try await list().map(\.name) == ["Elisa", "Élodie"])
    }

    @Test("among names that differ only in case, commands and intents take the exact one")
    func cases() async throws {
        let first: BabyAnswer = try await bench.succeed("baby", "add", "Mia", "--json").json()
        let second: BabyAnswer = try await bench.succeed("baby", "add", "mia", "--json").json()
        for (name, baby) in [("Mia", first), ("mia", second)] {
            let edited: BabyAnswer =
                try await bench.succeed("baby", "edit", name, "--feed-term", "60", "--json").json()
            #expect(edited.id == baby.id)
        }
        #expect(
            try await bench.succeed("intent", "run", "StartFeeding", "--baby", "mia").output
                == "Started feeding mia.\n")
        let several = try await bench.fail(1, "baby", "remove", "MIA")
        #expect(
            several
                == "babymonitor: Several match `MIA`. Give the id of one. Choose from: Mia (\(first.id)), mia "
                + "(\(second.id)).\n")
        _ = try await bench.succeed("baby", "remove", first.id.uppercased())
        #expect(try await list().map(\.id) == [second.id])
    }

    @Test(
        "control characters are refused in new names, and escaped in those of an imported file")
    func controls() async throws {
        for name in ["M\u{1B}[31mia", "Mi\na", "Mi\u{7}a", "Mi\u{9B}a"] {
            #expect(
                try await bench.fail(2, "baby", "add", name)
                    == "babymonitor: A name cannot have control characters, such as a line break; leave them out.\n"
            )
        }
        #expect(try await list() == [])
        let name = "M\u{1B}[31m\nia\u{7}"
        let feeds = "babyName,timestamp\n\"\(name)\",2025-11-06T12:00:00Z"
        #expect(
            try await bench.succeed("import", "feeds", "-", input: feeds).output
                == "Imported 0 feeds, skipped 1.\nUnknown babies, whose rows were skipped: M\\u{1B}[31m\\u{A}ia\\u{7}. Add them, or "
                + "import with --create-babies.\n")
        _ = try await bench.succeed("import", "feeds", "-", "--create-babies", input: feeds)
        let shown = "M\\u{1B}[31m\\u{A}ia\\u{7}"
        let baby = try #require(try await list().first)
        #expect(baby.name == name)
        #expect(
            try await bench.succeed("baby", "list").output == "\(shown)  \(baby.id)  a feed every 180 min\n")
        #expect(try await bench.succeed("status").output.hasPrefix("\(shown): fed "))
        #expect(
            try await bench.succeed("history").output == "2025-11-06 12:00  \(shown)  feed babyFormula\n")
        #expect(try await bench.succeed("widgets", "show").output.hasPrefix("\(shown): "))
        #expect(
            try await bench.succeed("intent", "run", "StartFeeding", "--baby", baby.id).output
                == "Started feeding \(shown).\n")
        #expect(!(try await bench.fail(1, "baby", "remove", "Leo")).contains("\u{1B}"))
        let asked = try await bench.converse("say", "start feeding for babymonitor", typing: "1\n")
        #expect(asked.error.contains("1. \(shown)"))
        #expect(!asked.error.contains("\u{1B}"))
        #expect(try await bench.succeed("baby", "remove", name).output == "Removed \(shown) (\(baby.id)).\n")
    }

    @Test("changing or removing a baby creates no store")
    func missing() async throws {
        _ = try await bench.fail(1, "baby", "remove", "Mia")
        _ = try await bench.fail(1, "baby", "edit", "Mia", "--name", "Leo")
        #expect(try bench.files().keys.sorted() == ["home"])
        try await bench.makeStore()
        #expect(
            try await bench.fail(1, "baby", "remove", "Mia")
                == "babymonitor: There is no baby `Mia`. There are no babies yet; add one with: babymonitor baby add NAME\n"
        )
    }

    @Test("an invalid name or interval is wrong usage, and changes nothing")
    func refusals() async throws {
        #expect(
            try await bench.fail(2, "baby", "add", " ") == "babymonitor: A name cannot be empty; give one.\n")
        #expect(
            try await bench.fail(2, "baby", "add", "Mia", "--feed-term", "31")
                == "babymonitor: 31 minutes is not a feeding interval; choose 30 to 480 minutes in steps of 15.\n"
        )
        #expect(try await list() == [])
        _ = try await bench.succeed("baby", "add", "Mia")
        #expect(try await bench.fail(2, "baby", "edit", "Mia").contains("Nothing to change"))
        _ = try await bench.fail(2, "baby", "edit", "Mia", "--name", "")
        #expect(try await list().map(\.name) == ["Mia"])
    }
}
