import Foundation
import Testing

@Suite("babymonitor widgets")
struct WidgetTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test("snapshots lie beside the store, one file for each baby, and follow every write")
    func files() async throws {
        #expect(
            try await bench.succeed("widgets", "show").output
                == "There are no snapshots yet; write them with: babymonitor widgets refresh\n")
        let mia: BabyAnswer = try await bench.succeed("baby", "add", "Mia", "--json").json()
        let file = "WidgetCache/\(mia.id.uppercased()).json"
        #expect(
            try bench.read(file).hasPrefix(
                #"{"id":"\#(mia.id.uppercased())","name":"Mia","totalProgress":0,"#))
        _ = try await bench.succeed("intent", "run", "StartFeeding", "--baby", "Mia")
        let shown: [SnapshotAnswer] = try await bench.succeed("widgets", "show", "--json").json()
        #expect(shown.map(\.name) == ["Mia"])
        #expect(shown.map(\.isFeeding) == [true])
        #expect(shown.map(\.feedTerm) == [10_800])
        #expect(shown.allSatisfy { $0.totalProgress > 0 && $0.totalProgress == $0.feedingProgress })
        let refreshed: [SnapshotAnswer] = try await bench.succeed("widgets", "refresh", "--json").json()
        #expect(
            try JSONDecoder().decode(SnapshotAnswer.self, from: Data(bench.read(file).utf8)) == refreshed[0])
        #expect(
            try await bench.succeed("widgets", "show").output.hasPrefix(
                "Mia: 0 % of the feeding interval, feeding, written "))
        _ = try await bench.succeed("baby", "remove", "Mia")
        #expect(!FileManager.default.fileExists(atPath: bench.url(file).path))
        #expect(
            try await bench.succeed("widgets", "refresh").output
                == "Wrote 0 snapshots to \(bench.url("WidgetCache").path).\n")
    }

    @Test("a snapshot that was damaged is named, and written anew")
    func damaged() async throws {
        let mia: BabyAnswer = try await bench.succeed("baby", "add", "Mia", "--json").json()
        let file = "WidgetCache/\(mia.id.uppercased()).json"
        try bench.write("{", to: file)
        #expect(
            try await bench.fail(1, "widgets", "show")
                == "babymonitor: The file \(bench.url(file).path) is no snapshot. Write it anew with: babymonitor widgets refresh\n"
        )
        _ = try await bench.succeed("widgets", "refresh")
        _ = try await bench.succeed("widgets", "show")
    }

    @Test("where no snapshot can be written, a change is saved all the same, and says so")
    func unwritable() async throws {
        try bench.write("in the way", to: "WidgetCache")
        let outcome = try await bench.run(["baby", "add", "Mia"])
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("Added Mia ("))
        let place = bench.url("WidgetCache").path
        #expect(
            outcome.error
                == "babymonitor: The change was saved, but could not refresh widgets: \(place) cannot be read or written: "
                + "File exists. See what is there, and its permissions.\n")
        #expect(
            try await bench.fail(1, "widgets", "refresh").hasPrefix(
                "babymonitor: \(place) cannot be read or written: "))
    }
}
