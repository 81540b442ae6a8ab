import ArgumentParser
import MirrorSimulation

@main
struct MirrorSeeds: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror-seeds",
        abstract: "Runs the simulation of the mirror with many seeds, each one twice.")

    @Option(help: "The first seed.") var from: UInt64 = 1
    @Option(help: "The number of seeds.") var count: UInt64 = 10_000
    @Option(help: "The number of steps of each.") var steps = 200
    @Option(help: "The name of a planted bug, or `all`.") var bug: String?
    @Flag(help: "Edit rows with each merge policy instead of a family's.") var policies = false
    @Flag(help: "Let the members of a household come and go, too.") var household = false
    @Flag(help: "Print what happens in the first seed.") var trace = false
    @Flag(help: "Shrink the first failing seed to a few steps, and print what happens in them.") var shrink =
        false

    mutating func validate() throws {
        guard count > 0, from <= .max - count else { throw ValidationError("Give at least one seed.") }
        guard steps > 0 else { throw ValidationError("Give at least one step.") }
        guard !policies || !household else { throw ValidationError("Give one world.") }
        if let bug, bug != "all", PlantedBug(rawValue: bug) == nil {
            throw ValidationError(
                "Unknown bug \(bug). Known: \(PlantedBug.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
    }

    func run() throws {
        let bugs: [PlantedBug?] =
            bug == "all" ? PlantedBug.allCases : [bug.flatMap { PlantedBug(rawValue: $0) }]
        var isMissed = false
        for bug in bugs where (search(bug) == nil) != (bug == nil) { isMissed = true }
        if isMissed { throw ExitCode(1) }
    }

    /// Runs all seeds, or as many as it takes to find a planted bug.
    ///
    /// - Returns: The first seed that fails.
    private func search(_ bug: PlantedBug?) -> UInt64? {
        let world = bug?.world ?? (policies ? .policies : household ? .household : .family)
        var failures: [String: Int] = [:]
        var first: UInt64?
        var seeds: UInt64 = 0
        for seed in from..<from + count {
            seeds += 1
            guard let failure = failure(of: seed, world, bug) else { continue }
            first = first ?? seed
            failures[failure.promise, default: 0] += 1
            if bug == nil { print("seed \(seed): \(failure)") }
            if bug != nil || failures.values.reduce(0, +) > 50 { break }
        }
        let found = failures.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
            .map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        print(
            "\(bug?.rawValue ?? "no bug"): "
                + (first.map { "seed \($0), \(found), in \(seeds) seeds" }
                    ?? "nothing found in \(seeds) seeds"))
        if shrink, let first { printShrunk(first, world, bug) }
        return first
    }

    private func failure(of seed: UInt64, _ world: SimulatedWorld, _ bug: PlantedBug?) -> Simulation.Failure?
    {
        var digests: [UInt64] = []
        for _ in 0..<2 {
            let isTraced = trace && seed == from && digests.isEmpty
            var simulation = Simulation(seed: seed, world: world, bug: bug, isTraced: isTraced)
            defer { if isTraced { simulation.trace.forEach { print($0) } } }
            do { try simulation.run(0..<steps) } catch { return Simulation.Failure(error) }
            digests.append(simulation.digest)
        }
        return digests[0] == digests[1] ? nil : Simulation.Failure("two runs of one seed differ")
    }

    private func printShrunk(_ seed: UInt64, _ world: SimulatedWorld, _ bug: PlantedBug?) {
        guard let short = Simulation.shrink(seed: seed, world: world, bug: bug, steps: steps) else {
            return print("seed \(seed) cannot be shrunk")
        }
        print("seed \(seed), steps \(short.steps): \(short.failure)")
        short.trace.forEach { print($0) }
    }
}
