import Foundation
import SwitchyardTransfer

/// One attempt at a switch, by a process of its own.
struct SwitchAttempt: Sendable {
    /// No attempt may take longer.
    private static let bound = Duration.seconds(600)

    private let child: Child
    private let output: String

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - model: What the stores hold.
    ///   - old: The store.
    ///   - new: The place to switch it to.
    ///   - scratch: Where its output goes.
    ///   - step: The step at which it kills itself; nil if it does not.
    ///   - isRehearsal: Whether it rehearses the switch, and follows the store until that is over.
    ///   - wrapper: A command that runs it, with its own arguments.
    /// - Throws: What the system says of a program that cannot be started.
    init(
        _ model: SwitchModel, _ old: String, _ new: String, in scratch: Scratch,
        dyingAt step: SwitchPhase? = nil, isRehearsal: Bool = false,
        wrapper: [String] = []
    ) throws {
        output = scratch.file("journal-\(UUID().uuidString)")
        let words =
            wrapper + [CommandLine.arguments[0], "switch", "--from", old, "--to", new]
            + ["--model", model.rawValue] + (step.map { ["--dying-at", $0.rawValue] } ?? [])
            + (isRehearsal ? ["--rehearse"] : [])
        child = try Child(words[0], Array(words.dropFirst()), output: output)
    }

    /// Kills the process, if it has not ended.
    func kill() { child.kill() }

    /// Waits until the process has told of a step, or half a minute.
    func hasBegun() async throws {
        for _ in 0..<3_000 where try String(contentsOfFile: output, encoding: .utf8).isEmpty {
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Waits until the process has told of a step, or a minute.
    ///
    /// - Returns: Whether it has.
    func hasCome(to step: SwitchPhase) async throws -> Bool {
        for _ in 0..<6_000 {
            let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
            if lines.contains(where: { $0.hasPrefix("\(step.rawValue) ") }) { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    /// How the attempt has ended; waits for it.
    var ended: Ending {
        get async {
            let process = await child.ended(within: Self.bound)
            let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
            try? FileManager.default.removeItem(atPath: output)
            return Ending(process: process, output: text)
        }
    }

    /// What came of an attempt.
    struct Ending: Sendable {
        /// How its process has ended; nil if it took too long.
        let process: Child.Ending?
        let output: String

        var isDone: Bool { process == .exit(0) }
        var wasKilled: Bool { process == .signal(SIGKILL) }

        private var lines: [[Substring]] {
            output.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2) }
        }

        /// The last step that it has told of; nil if it has not told of any.
        var step: Substring? { lines.last { $0.first != "error" }?.first }

        /// The number of rows that it said to have copied.
        var rows: Int { lines.compactMap { $0.count == 2 ? Int($0[1]) : nil }.max() ?? 0 }

        /// The code of its error; nil if it has ended otherwise.
        var code: String? {
            process == .exit(1) ? lines.first { $0.first == "error" }.map { String($0[1]) } : nil
        }

        /// Reports an ending that should not be.
        func report(to report: Report) {
            report.violation(
                "a switch has ended as \(process.map { "\($0)" } ?? "a hang"): \(output.suffix(600))")
        }
    }
}
