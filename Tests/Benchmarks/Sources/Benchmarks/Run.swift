import ArgumentParser
import Foundation

/// Runs the comparisons, the two sides of each in turn, and prints the table.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs the comparisons and prints the table.")

    @Option(help: "The number of rows.") var rows = 1_000_000
    @Option(help: "How often each side is measured at least.") var rounds = 3
    @Option(help: "For how many seconds in all at least, but not more than nine times.") var seconds = 20.0
    @Option(help: "Only comparisons whose work or opponent holds this word.") var only: String?
    @Option(help: "A file for the table as JSON.") var json: String?
    @Option(help: "The path of the babymonitor command.") var command: String

    private static let mostRounds = 9

    func run() throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var results: [Result] = []
        for comparison in Comparison.all where isWanted(comparison) {
            results.append(try compare(comparison, in: directory.path))
            print(results[results.count - 1].line)
        }
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(results).write(to: URL(filePath: json))
        }
    }

    private func isWanted(_ comparison: Comparison) -> Bool {
        guard let only else { return true }
        return comparison.work.localizedStandardContains(only)
            || comparison.against.localizedStandardContains(only)
    }

    private func compare(_ comparison: Comparison, in directory: String) throws -> Result {
        for preparation in comparison.preparations { _ = try measure(preparation, in: directory) }
        // What was prepared is on the disk before anything is measured, which else waits for it.
        sync()
        var pairs: [(ours: Sample, theirs: Sample)] = []
        var seconds = 0.0
        // What is over soon is left more to chance, and is measured more often.
        while pairs.count < rounds || seconds < self.seconds && pairs.count < Self.mostRounds {
            pairs.append(
                (try measure(comparison.ours, in: directory), try measure(comparison.theirs, in: directory)))
            seconds += pairs[pairs.count - 1].ours.seconds + pairs[pairs.count - 1].theirs.seconds
        }
        return Result(comparison, pairs)
    }

    private func measure(_ work: String, in directory: String) throws -> Sample {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [
            "measure", work, "--directory", directory, "--rows", String(rows), "--command", command,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw MeasurementError("the measurement \(work) failed") }
        return try JSONDecoder().decode(Sample.self, from: data)
    }
}

/// What one comparison came to.
struct Result: Codable {
    var work: String
    var against: String
    var ratio: Double
    var target: Double?
    var ourSeconds: Double
    var theirSeconds: Double
    var ourPeakKiB: Int
    var theirPeakKiB: Int
    var memoryLimitKiB: Int?

    /// The ratio is the median of the pairs' ratios, so that a machine that slows down in between does not
    /// decide it.
    init(_ comparison: Comparison, _ pairs: [(ours: Sample, theirs: Sample)]) {
        func median(_ values: [Double]) -> Double {
            let sorted = values.sorted()
            return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        }
        work = comparison.work
        against = comparison.against
        target = comparison.target
        ratio = median(pairs.map { $0.ours.seconds / $0.theirs.seconds })
        ourSeconds = median(pairs.map(\.ours.seconds))
        theirSeconds = median(pairs.map(\.theirs.seconds))
        ourPeakKiB = pairs.map(\.ours.peakKiB).max() ?? 0
        theirPeakKiB = pairs.map(\.theirs.peakKiB).max() ?? 0
        memoryLimitKiB = comparison.memoryLimitKiB
    }

    private var isReached: Bool { ratio <= target ?? .infinity && ourPeakKiB <= memoryLimitKiB ?? .max }

    var line: String {
        func column(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        func number(_ value: Double) -> String { String(format: "%.3f", value) }
        return column(work, 36) + column(against, 28)
            + column("\(number(ratio)) of \(target.map(number) ?? "–")", 18)
            + column("\(number(ourSeconds)) s / \(number(theirSeconds)) s", 24)
            + column("\(ourPeakKiB / 1024) MiB / \(theirPeakKiB / 1024) MiB", 22)
            + (target == nil ? "shown" : isReached ? "reached" : "missed")
    }
}
