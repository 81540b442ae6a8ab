import ArgumentParser
import MirrorSimulation

@main
struct MirrorSeeds: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror-seeds", abstract: "Runs the simulation of the mirror with many seeds.")

    @Option(help: "The first seed.") var from: UInt64 = 1
    @Option(help: "The number of seeds.") var count: UInt64 = 10_000
    @Option(help: "The number of steps of each.") var steps = 200
    @Option(help: "The name of a planted bug, or `all`.") var bug: String?
    @Flag(help: "Edit rows with each merge policy instead of a family's.") var policies = false
    @Flag(help: "Print what happens in the first seed.") var trace = false

    mutating func validate() throws {
        guard count > 0, from <= .max - count else { throw ValidationError("Give at least one seed.") }
        if let bug, bug != "all", PlantedBug(rawValue: bug) == nil {
            throw ValidationError(
                "Unknown bug \(bug). Known: \(PlantedBug.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
    }

    func run() throws {
        let bugs: [PlantedBug?] =
            bug == "all" ? PlantedBug.allCases : [bug.flatMap { PlantedBug(rawValue: $0) }]
        var isMissed = false
        for bug in bugs {
            var failures: [String: Int] = [:]
            var first: UInt64?
            for seed in from..<from + count {
                var simulation = Simulation(
                    seed: seed, world: policies ? .policies : .family, bug: bug,
                    isTraced: trace && seed == from)
                do {
                    try simulation.run(steps: steps)
                } catch {
                    if first == nil { first = seed }
                    failures["\(error)".split(separator: ":").first.map(String.init) ?? "", default: 0] += 1
                    if bug == nil { print("seed \(seed): \(error)") }
                }
                if trace, seed == from { simulation.trace.forEach { print($0) } }
                if !failures.isEmpty, bug != nil { break }
                if failures.values.reduce(0, +) > 20 { break }
            }
            let found = failures.sorted { $0.value > $1.value }.map { "\($0.key): \($0.value)" }.joined(
                separator: ", ")
            print("\(bug?.rawValue ?? "no bug"): \(first.map { "seed \($0), \(found)" } ?? "nothing found")")
            if (first == nil) != (bug == nil) { isMissed = true }
        }
        if isMissed { throw ExitCode(1) }
    }
}
