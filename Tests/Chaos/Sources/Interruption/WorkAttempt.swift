import Foundation
import SwitchyardCore

/// When a process is killed.
enum KillMoment: Sendable {
    case never
    case afterStart(Duration)
    /// After it has said that its work begins.
    case afterBeginning(Duration)
}

/// One attempt at work that is done wholly or not at all, by a process of its own.
enum WorkAttempt {
    /// No attempt may take longer.
    private static let bound = Duration.seconds(120)

    /// What came of an attempt.
    struct Ending: Sendable {
        /// How its process has ended; nil if it took too long.
        let process: Child.Ending?
        /// The words that it has said, each with the rest of its line.
        let words: [(word: WorkWord, rest: String)]

        var wasKilled: Bool { process == .signal(SIGKILL) }
        /// The last word; nil if there is none.
        var word: WorkWord? { words.last?.word }
        /// How long the work took; nil if it was not done.
        var time: Duration? {
            word == .done ? words.last.flatMap { Double($0.rest) }.map { .seconds($0) } : nil
        }
    }

    /// Runs this program in a process, and kills it.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - moment: When the process is killed.
    ///   - scratch: Where its output goes.
    /// - Returns: What came of it.
    /// - Throws: What the system says of a program that cannot be started.
    static func run(
        _ arguments: [String], killedAt moment: KillMoment, in scratch: Scratch
    ) async throws -> Ending {
        let output = scratch.file("output")
        try? FileManager.default.removeItem(atPath: output)
        let text = { @Sendable in (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
        let (beginning, continuation) = AsyncStream.makeStream(of: Void.self)
        let watch = try FileWatch(["output"], in: scratch.path) {
            if text().hasPrefix(WorkWord.begun.rawValue) { continuation.finish() }
        }
        let child = try Child(CommandLine.arguments[0], arguments, output: output)
        let killer = Task {
            switch moment {
            case .never: return
            case .afterStart(let delay): try await Task.sleep(for: delay)
            case .afterBeginning(let delay):
                for await _ in beginning {}
                try await Task.sleep(for: delay)
            }
            child.kill()
        }
        let process = await child.ended(within: bound)
        killer.cancel()
        withExtendedLifetime(watch) {}
        let words = text().split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return parts.first.flatMap { WorkWord(rawValue: String($0)) }.map {
                (word: $0, rest: parts.count == 2 ? String(parts[1]) : "")
            }
        }
        return Ending(process: process, words: words)
    }
}
