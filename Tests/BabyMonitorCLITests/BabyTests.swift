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

    @Test("a baby is found by its name in any case and without accents, and by the beginning of it")
    func names() async throws {
        _ = try await bench.succeed("baby", "add", "Élodie")
        for name in ["élodie", "ELODIE", "elo"] {
            _ = try await bench.succeed("baby", "edit", name, "--feed-term", "60")
        }
        _ = try await bench.succeed("baby", "add", "Elisa")
        let several = try await bench.fail(1, "baby", "edit", "el", "--feed-term", "90")
        #expect(several.hasPrefix("babymonitor: Several babies answer to `el`: "))
        #expect(several.hasSuffix(". Give the id of one.\n"))
        #expect(
            try await bench.fail(1, "baby", "remove", "Mia")
                == "babymonitor: There is no baby `Mia`. There are: Elisa, Élodie.\n")
        #expect(try await list().map(\.feedTermMinutes) == [180, 60])
    }

    @Test("a name or an interval that cannot be is wrong usage, and changes nothing")
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
