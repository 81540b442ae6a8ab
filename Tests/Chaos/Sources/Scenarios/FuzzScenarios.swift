import Foundation
import SwitchyardConformance

/// What nobody means to write: command lines, configurations and CSV files.
enum FuzzScenarios {
    static let all = [commandLines, configurations, csvFiles]

    private static let password = "correct-horse-battery"

    static let commandLines = Scenario(
        name: "command-lines", summary: "`babymonitor` gets words in disorder", usualCount: 120
    ) { trial in
        let words = [
            "baby", "add", "list", "edit", "remove", "import", "export", "feeds", "diapers", "intent", "run",
            "say", "status", "history", "store", "info", "check", "schema", "config", "explain", "seed",
            "widgets",
            "event-type", "--json", "--help", "--store", "--config", "--profile", "--baby", "--since",
            "--limit",
            "Mia", "-", "--", "", " ", "\u{0}", "\u{301}", "é", "🍼", "-1", "0", "1e999",
            "9223372036854775808",
            "memory:", "sqlite:", "sqlite:///", "sqlite:/nowhere/at/all.sqlite", "postgres://",
            "postgres://carer:\(password)@/babies?host=/nowhere", "postgres://carer:\(password)@[::1]:1/x",
            "release", "StartFeeding", "2026-13-45", String(repeating: "x", count: 5_000),
        ]
        try await fuzz(trial) { generator, scratch in
            let count = Int.random(in: 0...7, using: &generator)
            // An argument of a process cannot hold U+0000.
            let drawn = (0..<count).compactMap { _ in words.randomElement(using: &generator) }
                .filter { !$0.utf8.contains(0) }
            return drawn
        }
    }

    static let configurations = Scenario(
        name: "configurations", summary: "`babymonitor` reads configurations in disorder", usualCount: 80
    ) { trial in
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"store\"", "\"backend\"", "\"sqlite\"", "\"postgres\"",
            "\"path\"",
            "\"password\"", "\"open\"", "\"url\"", "\"postgres://a:\(password)@h/d\"", "null", "true",
            "1e400",
            "-0", "\"\\ud800\"", "\u{FEFF}", "\n", "\t", "store:", "  postgres:", "    password: \(password)",
            "- ",
            "&a", "*a", "!!binary", "---", "\u{85}", "'", "\"",
        ]
        try await fuzz(trial) { generator, scratch in
            let name = ["c.json", "c.yaml", "c.yml", "c"].randomElement(using: &generator) ?? "c"
            let count = Int.random(in: 0...40, using: &generator)
            var bytes = (0..<count).compactMap { _ in pieces.randomElement(using: &generator) }
                .joined(separator: Bool.random(using: &generator) ? " " : "\n").utf8.map(\.self)
            if Int.random(in: 0..<10, using: &generator) == 0 { bytes.append(0xFF) }
            try Data(bytes).write(to: URL(filePath: scratch.file(name)))
            return ["config", "explain", "--config", scratch.file(name)]
        }
    }

    static let csvFiles = Scenario(
        name: "csv-files", summary: "`babymonitor import` reads files in disorder, all of each or nothing",
        usualCount: 80
    ) { trial in
        let pieces = [
            "babyName,timestamp,amountValue,amountUnit,feedType",
            "Mia,2026-03-07T20:24:38.022Z,90.0,mL,babyFormula",
            "Leo,2026-03-07T20:24:38Z,,,", "\"", "\"\"", ",", "\n", "\r\n", "\r", "\u{FEFF}", ";", "\t",
            "sep=,", "inf",
            "-1", "1e400", "\u{0}", "🍼", "\u{200B}", "2026-02-30T25:61:61Z", "0001-01-01T00:00:00Z",
            String(repeating: "\u{301}", count: 2_000), String(repeating: "9", count: 400),
        ]
        try await fuzz(trial) { generator, scratch in
            let count = Int.random(in: 0...20, using: &generator)
            let start = Bool.random(using: &generator) ? pieces[0] + "\n" : ""
            let body = (0..<count).compactMap { _ in pieces.randomElement(using: &generator) }
                .joined(separator: Bool.random(using: &generator) ? "" : "\n")
            var bytes = Array((start + body).utf8)
            if Int.random(in: 0..<5, using: &generator) == 0 { bytes.append(0xC3) }
            try Data(bytes).write(to: URL(filePath: scratch.file("f.csv")))
            let kind = ["feeds", "diapers"].randomElement(using: &generator) ?? "feeds"
            let flags = ["--create-babies", "--skip-invalid", "--dry-run", "--json"]
                .filter { _ in Bool.random(using: &generator) }
            return ["import", kind, scratch.file("f.csv"), "--store", "memory:"] + flags
        }
    }

    /// Runs the command with drawn words: it ends by itself, with 0, 1 or 2, soon, and shows no password.
    private static func fuzz(
        _ trial: Trial, _ draw: (inout SeededGenerator, Scratch) throws -> [String]
    ) async throws {
        let command = try trial.babymonitor
        var generator = SeededGenerator(seed: trial.seed)
        try await Scratch.with { scratch in
            let output = scratch.file("output")
            let environment = [
                "HOME": scratch.path, "XDG_DATA_HOME": scratch.path, "SWITCHYARD_STORE_URL": "memory:",
            ]
            var calls = 0
            while trial.effort.goesOn(after: calls) {
                let words = try draw(&generator, scratch)
                let child = try Child(command, words, environment: environment, output: output)
                let ending = await child.ended(within: .seconds(60))
                calls += 1
                switch ending {
                case .exit(let status) where (0...2).contains(status):
                    trial.report.count("exits with \(status)")
                case let ending:
                    trial.report.violation(
                        "\(words) ended with \(ending.map { "\($0)" } ?? "a kill after a minute")")
                }
                let shown = String(decoding: try Data(contentsOf: URL(filePath: output)), as: UTF8.self)
                if shown.contains(password) { trial.report.violation("\(words) showed a password") }
            }
        }
    }
}
