import Foundation
import Testing

@Suite("babymonitor event-type")
struct EventTypeTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private struct Answer: Decodable, Equatable {
        let id: String
        let name: String
        let emoji: String
    }

    private func list() async throws -> [Answer] {
        try await bench.succeed("event-type", "list", "--json").json()
    }

    @Test("a type is added, listed, logged, changed and removed")
    func life() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        let bath: Answer = try await bench.succeed("event-type", "add", " Bath ", "--emoji", "🛁", "--json")
            .json()
        #expect(bath.name == "Bath")
        #expect(bath.emoji == "🛁")
        let walk: Answer = try await bench.succeed("event-type", "add", "Walk", "--emoji", "🌳", "--json")
            .json()
        #expect(try await list() == [bath, walk])
        #expect(
            try await bench.succeed("intent", "run", "LogCustomEvent", "--baby", "Mia", "--eventType", "bath")
                .output == "Logged 🛁 Bath for Mia\n")
        let swim: Answer =
            try await bench.succeed("event-type", "edit", "bath", "--name", "Swim", "--json").json()
        #expect(swim == Answer(id: bath.id, name: "Swim", emoji: "🛁"))
        #expect(
            try await bench.succeed("event-type", "remove", swim.id).output
                == "Removed 🛁 Swim (\(bath.id)).\n")
        #expect(try await list() == [walk])
        #expect(try await bench.succeed("event-type", "list").output == "🌳 Walk  \(walk.id)\n")
        #expect(try await bench.succeed("history").output.contains("Bath"))
    }

    @Test("a missing event type is reported as one, not as a missing baby")
    func missing() async throws {
        try await bench.makeStore()
        #expect(
            try await bench.fail(1, "event-type", "remove", "Bath")
                == "babymonitor: There is no event type `Bath`. There are no event types yet; add one with: babymonitor "
                + "event-type add NAME --emoji EMOJI\n")
    }

    @Test("an invalid event type is refused, and changes nothing")
    func refusals() async throws {
        _ = try await bench.succeed("event-type", "add", "Bath", "--emoji", "🛁")
        #expect(
            try await bench.fail(2, "event-type", "add", " ", "--emoji", "🌳")
                == "babymonitor: A name cannot be empty; give one.\n")
        #expect(
            try await bench.fail(2, "event-type", "remove", " ")
                == "babymonitor: The name of the event type is empty. Give a name or an id; `babymonitor event-type list` "
                + "shows both.\n")
        #expect(
            try await bench.fail(1, "event-type", "remove", "Bat")
                == "babymonitor: There is no event type `Bat`. Give the whole name or the id. Choose from: Bath.\n"
        )
        #expect(try await bench.fail(2, "event-type", "edit", "Bath").contains("give --name or --emoji"))
        #expect(try await list().map(\.name) == ["Bath"])
    }
}
