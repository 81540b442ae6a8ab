import ArgumentParser
import Foundation

/// The program behind `Tests/Chaos/run`, and behind the processes that it starts and kills.
@main
struct Chaos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Chaos",
        abstract: "Faults on purpose, against a model of what must be there afterwards.",
        subcommands: [
            Run.self, Work.self, Shelve.self, Follow.self, Switching.self, Posting.self, Relocating.self,
            Migrating.self, Mirroring.self, DepotProcess.self,
        ],
        defaultSubcommand: Run.self)
}

/// `Chaos run`: the scenarios.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs scenarios.")

    @Argument(help: "The scenarios; all of them if none is named.") var names: [String] = []
    @Option(help: "Decides what is drawn.") var seed = UInt64.random(in: 0...UInt64.max)
    @Option(help: "How many faults each scenario makes.") var count: Int?
    @Option(help: "How many minutes each scenario lasts, instead of a count.") var minutes: Double?
    @Option(help: "How many rows a store has at first.") var rows = 0
    @Option(help: "The built babymonitor.") var command: String?
    @Flag(help: "Only lists the scenarios.") var list = false

    func validate() throws {
        for name in names where Scenario.named(name) == nil {
            let known = Scenario.all.map(\.name).joined(separator: ", ")
            throw ValidationError("There is no scenario `\(name)`. The scenarios are: \(known).")
        }
        if let count, count < 1 { throw ValidationError("--count takes a whole number from 1.") }
        if let minutes, !(minutes > 0 && minutes <= 10_000) {
            throw ValidationError("--minutes takes a number above 0.")
        }
        if count != nil, minutes != nil {
            throw ValidationError("Give either --count or --minutes.")
        }
    }

    func run() async throws {
        let scenarios = names.isEmpty ? Scenario.all : names.compactMap(Scenario.named)
        if list {
            for scenario in scenarios { print("\(scenario.name): \(scenario.summary)") }
            return
        }
        // A peer that is gone is an error of write(2), not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        say("chaos: seed \(seed)")
        var violations = 0
        for scenario in scenarios {
            let report = Report()
            let begin = ContinuousClock.now
            let trial = Trial(
                seed: seed, effort: Effort(count: count ?? scenario.usualCount, minutes: minutes),
                rows: rows, command: command, report: report)
            do {
                try await scenario.run(trial)
            } catch let missing as MissingPart {
                say("\(scenario.name): not tried: \(missing.description)")
                continue
            } catch {
                report.violation("the scenario itself failed: \(String(reflecting: error))")
            }
            violations += report.violations.count
            let seconds = (ContinuousClock.now - begin).components.seconds
            say("\(scenario.name): \(report.summary), in \(seconds) s")
            for figure in report.figures { say("  \(figure)") }
            for violation in report.violations.prefix(20) { say("  VIOLATION \(violation)") }
        }
        say("chaos: \(violations) violations")
        if violations > 0 { throw ExitCode.failure }
    }

    /// Prints a line that is seen at once, through a pipe too.
    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
