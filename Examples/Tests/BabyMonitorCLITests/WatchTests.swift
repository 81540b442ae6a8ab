import Foundation
import SwitchyardCore
import Testing

@Suite("babymonitor status --watch and store history --follow")
struct WatchTests {
    let bench: Workbench

    private struct Change: Decodable {
        let author: String
    }

    init() throws { bench = try Workbench() }

    /// Runs the command until the body returns, and gives the body what it has written whenever that has grown.
    private func following(
        _ arguments: String..., until end: String,
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> String {
        let name = "followed"
        try bench.write("", to: name)
        let (grown, growing) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let directory = try StoreDirectory(
            bench.directory.path, isWritable: false, createsIfMissing: false)
        let watch = try directory.watch(name) { growing.yield() }
        let running = Task { try await bench.run(arguments, output: bench.url(name).path) }
        var step = 0
        for await _ in grown {
            try await body(step)
            step += 1
            if try bench.read(name).contains(end) { break }
        }
        withExtendedLifetime(watch) {}
        running.cancel()
        #expect(try await running.value.status == -SIGTERM)
        return try bench.read(name)
    }

    @Test("status --watch prints again when another process has changed it")
    func status() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        let output = try await following("status", "--watch", until: "Noah") { step in
            if step == 0 { _ = try await bench.succeed("baby", "add", "Noah") }
        }
        #expect(
            output == """
                Mia: never fed; no diaper change
                Mia: never fed; no diaper change
                Noah: never fed; no diaper change

                """)
    }

    @Test("store history --follow prints others' changes, one JSON line each")
    func history() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        let output = try await following(
            "store", "history", "--follow", "--json", until: "StartFeeding"
        ) { step in
            if step == 0 { _ = try await bench.succeed("intent", "run", "StartFeeding", "--baby", "Mia") }
        }
        let authors = try output.split(separator: "\n").map { line in
            try JSONDecoder().decode(Change.self, from: Data(line.utf8)).author
        }
        #expect(authors == ["baby add", "StartFeeding"])
    }

    @Test("store history --follow continues in the successor after a switch, without a gap")
    func switchedHistory() async throws {
        _ = try await bench.succeed("baby", "add", "Mia")
        let output = try await following(
            "store", "history", "--follow", "--json", until: "StartFeeding"
        ) { step in
            guard step == 0 else { return }
            _ = try await bench.succeed("baby", "add", "Zoe")
            _ = try await bench.succeed("store", "switch", "--to", "sqlite:new.sqlite")
            _ = try await bench.succeed("intent", "run", "StartFeeding", "--baby", "Mia")
        }
        let authors = try output.split(separator: "\n").map { line in
            try JSONDecoder().decode(Change.self, from: Data(line.utf8)).author
        }
        #expect(authors == ["baby add", "baby add", "StartFeeding"])
    }
}
