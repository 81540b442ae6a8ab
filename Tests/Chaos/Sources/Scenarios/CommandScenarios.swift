import Foundation
import SwitchyardConformance

/// `babymonitor`, killed while it works.
enum CommandScenarios {
    static let all = [imports, exports, mixed]

    /// Imports that are killed: each has left all of its rows or none.
    static let imports = Scenario(
        name: "imports", summary: "`babymonitor import` is killed at any moment", usualCount: 15
    ) { trial in
        let command = try trial.babymonitor
        var generator = SeededGenerator(seed: trial.seed)
        try await Scratch.with { scratch in
            let store = ["--store", "sqlite:\(scratch.file("babies.sqlite"))"]
            _ = await (try Child(command, ["baby", "add", "Mia"] + store)).ended
            let rows = 3_000
            var (kills, round, expected) = (0, 0, 0)
            while trial.effort.goesOn(after: kills) {
                let file = scratch.file("feeds-\(round).csv")
                try Feeds.csv(rows: rows, batch: round).write(toFile: file, atomically: true, encoding: .utf8)
                let child = try Child(command, ["import", "feeds", file] + store)
                try await Task.sleep(for: .milliseconds(Int.random(in: 5...400, using: &generator)))
                child.kill()
                let ending = await child.ended
                if ending == .signal(SIGKILL) { kills += 1 }
                guard let found = try await Feeds.count(command, store, in: scratch) else {
                    trial.report.violation("the store cannot be asked after \(ending)")
                    return
                }
                let grown = found - expected
                let isExpected = ending == .exit(0) ? grown == rows : grown == 0 || grown == rows
                if !isExpected { trial.report.violation("\(grown) of \(rows) rows after \(ending)") }
                trial.report.count(grown == 0 ? "imports of nothing" : "whole imports")
                (expected, round) = (found, round + 1)
            }
            trial.report.count("kills", kills)
            // Opening the store for writing once more leaves nothing beside it, however long the WAL was.
            _ = await (try Child(command, ["baby", "add", "Leo"] + store)).ended
            let allowed: Set = ["babies.sqlite", "babies.sqlite.WidgetCache"]
            let leftovers = try scratch.leftovers.subtracting(allowed).filter { !$0.hasPrefix("feeds-") }
            if !leftovers.isEmpty { trial.report.violation("left behind: \(leftovers.sorted())") }
            trial.report.require("imports of nothing")
        }
    }

    /// Exports that are killed: the file is the old one or the new one, and nothing lies beside it.
    static let exports = Scenario(
        name: "exports", summary: "`babymonitor export` is killed at any moment", usualCount: 15
    ) { trial in
        let command = try trial.babymonitor
        var generator = SeededGenerator(seed: trial.seed)
        try await Scratch.with { scratch in
            let store = ["--store", "sqlite:\(scratch.file("babies.sqlite"))"]
            let (source, target) = (scratch.file("source.csv"), scratch.file("target.csv"))
            try Feeds.csv(rows: 20_000, batch: 0).write(toFile: source, atomically: true, encoding: .utf8)
            let filling = [
                ["baby", "add", "Mia"], ["import", "feeds", source], ["export", "feeds", target],
            ]
            var usual = Duration.zero
            for words in filling {
                let start = ContinuousClock.now
                defer { usual = ContinuousClock.now - start }
                guard await (try Child(command, words + store)).ended == .exit(0) else {
                    trial.report.violation("`\(words.joined(separator: " "))` failed")
                    return
                }
            }
            let whole = try Data(contentsOf: URL(filePath: target))
            let old = Data("an older file\n".utf8)
            var kills = 0
            while trial.effort.goesOn(after: kills) {
                try old.write(to: URL(filePath: target))
                let child = try Child(command, ["export", "feeds", target] + store)
                try await Task.sleep(for: usual * Double.random(in: 0...1.2, using: &generator))
                child.kill()
                let ending = await child.ended
                if ending == .signal(SIGKILL) { kills += 1 }
                let found = try Data(contentsOf: URL(filePath: target))
                if found != whole, found != old || ending == .exit(0) {
                    trial.report.violation("a part of an export after \(ending): \(found.count) bytes")
                }
                trial.report.count(found == whole ? "whole exports" : "older files left")
            }
            trial.report.count("kills", kills)
            _ = await (try Child(command, ["export", "feeds", target] + store)).ended
            let allowed: Set = [
                "babies.sqlite", "babies.sqlite.WidgetCache", "source.csv", "target.csv",
            ]
            let leftovers = try scratch.leftovers.subtracting(allowed)
            if !leftovers.isEmpty { trial.report.violation("left behind: \(leftovers.sorted())") }
        }
    }
}

extension CommandScenarios {
    /// The concurrent work: imports, exports, intents and reports, some of them killed.
    static let mixed = Scenario(
        name: "mixed",
        summary: "imports, exports, intents and reports run beside each other, some are killed",
        usualCount: 24
    ) { trial in
        let command = try trial.babymonitor
        try await Scratch.with { scratch in
            let store = ["--store", "sqlite:\(scratch.file("babies.sqlite"))"]
            _ = await (try Child(command, ["baby", "add", "Mia"] + store)).ended
            let rows = 500
            // One of each kind at a time: an import that begins before another has ended knows less of it.
            async let imports = repeating(trial, 1) { round in
                let file = scratch.file("feeds-\(round).csv")
                try Feeds.csv(rows: rows, batch: round).write(toFile: file, atomically: true, encoding: .utf8)
                return ["import", "feeds", file] + store
            }
            async let intents = repeating(trial, 2) { _ in
                ["intent", "run", "UpdateDiaperTime", "--baby", "Mia", "--type", "pee"] + store
            }
            async let exports = repeating(trial, 3) { _ in
                ["export", "feeds", scratch.file("out.csv")] + store
            } after: {
                let text = try String(contentsOfFile: scratch.file("out.csv"), encoding: .utf8)
                let lines = text.split(whereSeparator: \.isNewline).count - 1
                if lines % rows != 0 {
                    trial.report.violation("an export has a part of an import: \(lines) rows")
                }
            }
            async let reports = repeating(trial, 4) { _ in ["status"] + store }
            let (imported, changed) = (try await imports, try await intents)
            _ = (try await exports, try await reports)
            guard let feeds = try await Feeds.count(command, store, in: scratch),
                let changes = try await Feeds.count(command, store, in: scratch, of: "DiaperChange")
            else {
                trial.report.violation("the store cannot be asked afterwards")
                return
            }
            if feeds % rows != 0 || !imported.allows(feeds / rows) {
                trial.report.violation("\(feeds) feeds after \(imported) of \(rows) rows each")
            }
            if !changed.allows(changes) { trial.report.violation("\(changes) changes after \(changed)") }
        }
    }

    /// How commands of one kind have ended.
    private struct Endings: CustomStringConvertible {
        var (done, killed, refused) = (0, 0, 0)

        /// Whether there may be so many of what each leaves behind.
        func allows(_ count: Int) -> Bool { (done...done + killed).contains(count) }
        var description: String { "\(done) done, \(killed) killed, \(refused) refused" }
    }

    /// Runs commands one after the other, and kills one of four.
    private static func repeating(
        _ trial: Trial, _ stream: UInt64, _ words: @Sendable (Int) throws -> [String],
        after check: @Sendable () throws -> Void = {}
    ) async throws -> Endings {
        let command = try trial.babymonitor
        var generator = SeededGenerator(seed: trial.seed &+ stream)
        var endings = Endings()
        var round = 0
        while trial.effort.goesOn(after: round) {
            let child = try Child(command, try words(round))
            if Int.random(in: 0..<4, using: &generator) == 0 {
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...150, using: &generator)))
                child.kill()
            }
            switch await child.ended {
            case .exit(0):
                endings.done += 1
                try check()
            case .signal(SIGKILL): endings.killed += 1
            case .exit(1): endings.refused += 1
            case let ending: trial.report.violation("a command has ended with \(ending)")
            }
            round += 1
        }
        trial.report.count("commands done", endings.done)
        trial.report.count("commands refused", endings.refused)
        trial.report.count("kills", endings.killed)
        return endings
    }
}

extension Trial {
    /// The built command.
    var babymonitor: String {
        get throws {
            guard let command else {
                throw MissingPart(description: "it needs --command, as Tests/Chaos/run gives it.")
            }
            return command
        }
    }
}

/// Histories in CSV.
enum Feeds {
    /// Feeds of Mia that no other batch has.
    static func csv(rows: Int, batch: Int) -> String {
        let start = Date(timeIntervalSince1970: 1_600_000_000 + Double(batch) * 10_000_000)
        let lines = (0..<rows).map { row in
            "Mia,\(start.addingTimeInterval(Double(row) * 60).ISO8601Format()),\(60 + row % 120).0,mL,babyFormula"
        }
        return (["babyName,timestamp,amountValue,amountUnit,feedType"] + lines).joined(separator: "\n") + "\n"
    }

    /// The number of rows of an entity in a store; nil if the command fails.
    static func count(
        _ command: String, _ store: [String], in scratch: Scratch, of entity: String = "FeedSession"
    ) async throws -> Int? {
        struct Info: Decodable { let rows: [String: Int] }
        let output = scratch.file("journal-info")
        let child = try Child(command, ["store", "info", "--json"] + store, output: output)
        guard await child.ended == .exit(0) else { return nil }
        let info = try JSONDecoder().decode(Info.self, from: Data(contentsOf: URL(filePath: output)))
        return info.rows[entity]
    }
}
