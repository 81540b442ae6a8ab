import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardConformance

extension HistoryScenarios {
    /// A live query in another process sees each commit, or a later one, and rests while nothing is written.
    static let follow = Scenario(
        name: "live-follow", summary: "a live query in one process follows the commits of another",
        usualCount: 300
    ) { trial in
        try await Scratch.with { scratch in
            let wakeUps = try await following(
                trial, "SQLite", at: "sqlite:\(scratch.file("lamps.sqlite"))", in: scratch)
            // The count itself makes a few; a poll of files would make some every tenth of a second.
            if wakeUps > 15 {
                trial.report.violation("\(wakeUps) wake-ups in two seconds without a commit")
            }
        }
        guard let server = PostgresServer.url else { return }
        try await PostgresServer.withSchemaName { schema in
            try await Scratch.with { scratch in
                _ = try await following(trial, "PostgreSQL", at: "\(server)&schema=\(schema)", in: scratch)
            }
        }
    }

    /// Commits while another process follows.
    ///
    /// - Returns: How often the other process woke up while nothing was written.
    private static func following(
        _ trial: Trial, _ name: String, at url: String, in scratch: Scratch
    ) async throws -> Int {
        let report = trial.report
        var generator = SeededGenerator(seed: trial.seed)
        let store = try await Backends.open(url, LampSchema.self, keepsHistory: true)
        let lamps = (0..<16).map { _ in Lamp(number: 0, isLast: false) }
        try await store.write { tx in _ = try tx.insert(contentsOf: lamps) }
        let output = scratch.file("journal-follower")
        let child = try Child(CommandLine.arguments[0], ["follow", "--store", url], output: output)
        defer { child.kill() }
        guard try await line("ready", of: output) != nil else {
            report.violation("\(name): the follower has not begun")
            return 0
        }

        var commits: [Int] = []
        func commit(isLast: Bool = false) async throws {
            var lamp = lamps[Int.random(in: 0..<16, using: &generator)]
            lamp.number = commits.count + 1
            lamp.isLast = isLast
            try await store.write { [lamp] tx in _ = try tx.update(lamp) }
            commits.append(Follow.nanoseconds)
        }
        let effort = trial.effort.restarted
        while effort.goesOn(after: commits.count + 1) {
            try await commit()
            if Int.random(in: 0..<8, using: &generator) > 0 {
                try await Task.sleep(for: .microseconds(Int.random(in: 0...8_000, using: &generator)))
            }
        }
        try await commit(isLast: true)
        let followed = commits
        guard let idle = try await line("idle", of: output) else {
            report.violation("\(name): the last commit was not seen, and nothing came after it")
            return 0
        }
        try await commit()
        let ending = await child.ended(within: .seconds(30))
        let table = try await store.read { try $0.fetch(Lamp.all.sorted(by: \.id)) }
        try await store.close()
        guard ending == .exit(0) else {
            report.violation("\(name): the follower has not seen a commit after a pause")
            return 0
        }
        let sightings = try Sightings(String(contentsOfFile: output, encoding: .utf8))
        if sightings.rows != table.map({ "\($0.id) \($0.number)" }) {
            report.violation("\(name): the last result is not the table")
        }
        if zip(sightings.seen, sightings.seen.dropFirst()).contains(where: { $0.number >= $1.number }) {
            report.violation("\(name): a result is not newer than the one before")
        }
        report.count("commits", commits.count)
        report.count("results", sightings.seen.count)
        let delays = sightings.delays(of: followed)
        let wakeUps = Int(idle) ?? 0
        report.figure(
            "\(name): median delay \(milliseconds(delays, 0.5)), 99th percentile \(milliseconds(delays, 0.99)), "
                + "longest \(milliseconds(delays, 1)), \(wakeUps) wake-ups in 2 s without a commit")
        return wakeUps
    }

    private static func milliseconds(_ delays: [Int], _ part: Double) -> String {
        guard !delays.isEmpty else { return "unknown" }
        let delay = delays[min(delays.count - 1, Int(Double(delays.count) * part))]
        return "\((Double(delay) / 1_000_000).formatted(.number.precision(.fractionLength(1)))) ms"
    }

    /// Waits until a process has printed a line that begins with a word.
    ///
    /// - Returns: The rest of the line; nil if it has not come in half a minute.
    private static func line(_ word: String, of output: String) async throws -> String? {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            let text = try String(contentsOfFile: output, encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix(word) }
            if let line, text.hasSuffix("\n") {
                return String(line.dropFirst(word.count + 1))
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return nil
    }
}

/// What a follower has printed.
private struct Sightings {
    /// The number of the newest commit in each result, and when the result was there, in nanoseconds.
    var seen: [(number: Int, time: Int)] = []
    /// The rows of the last result.
    var rows: [String] = []

    init(_ text: String) throws {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words[0] == "row" { rows.append(line.dropFirst("row ".count).description) }
            if words[0] == "saw", let number = Int(words[1]), let time = Int(words[2]) {
                seen.append((number, time))
            }
        }
    }

    /// How long after each commit the first result came that had it or a later one, in nanoseconds, ascending.
    func delays(of commits: [Int]) -> [Int] {
        var delays: [Int] = []
        var rest = seen[...]
        for (index, time) in commits.enumerated() {
            while let first = rest.first, first.number < index + 1 { rest.removeFirst() }
            // A result can come before the commit returns.
            if let first = rest.first { delays.append(max(0, first.time - time)) }
        }
        return delays.sorted()
    }
}
