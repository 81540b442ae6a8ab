import ArgumentParser

@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks", abstract: "Measures Switchyard against what a user would pick instead.",
        subcommands: [Run.self, Measure.self])
}

/// Measures one side of one comparison in a process of its own, so that its peak memory is its own.
struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures one thing and prints seconds and peak memory.", shouldDisplay: false)

    @Argument var work: String
    @Option var directory: String
    @Option var rows: Int
    @Option var command: String

    func run() async throws {
        guard let measurement = Measurement.all[work] else {
            throw ValidationError("There is no measurement \(work).")
        }
        let place = Place(directory: directory, rows: rows, command: command)
        let clock = StopWatch()
        try await measurement(place, clock)
        try Sample(seconds: clock.seconds, peakKiB: PeakMemory.kibibytes()).print()
    }
}
