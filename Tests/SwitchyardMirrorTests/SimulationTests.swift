import MirrorSimulation
import Testing

@Suite("The mirror in simulated time")
struct SimulationTests {
    @Test("devices and server agree after losses, kills, restores, clones and wrong clocks")
    func seeds() throws {
        for seed in UInt64(1)...150 {
            var simulation = Simulation(seed: seed)
            #expect(throws: Never.self, "seed \(seed)") { try simulation.run(steps: 200) }
        }
    }

    @Test("rows with every merge policy agree as well, by what each policy promises")
    func policySeeds() throws {
        for seed in UInt64(1)...150 {
            var simulation = Simulation(seed: seed, world: .policies)
            #expect(throws: Never.self, "seed \(seed)") { try simulation.run(steps: 200) }
        }
    }

    @Test("a seed always gives the same run")
    func repeats() throws {
        for seed in UInt64(1)...5 {
            var (first, second) = (
                Simulation(seed: seed, isTraced: true), Simulation(seed: seed, isTraced: true)
            )
            try first.run(steps: 200)
            try second.run(steps: 200)
            #expect(!first.trace.isEmpty)
            #expect(first.trace == second.trace, "seed \(seed)")
        }
    }

    /// Each planted bug, with a seed that catches it.
    private static let catchers: [(PlantedBug, seed: UInt64)] = [
        (.noDeduplication, 2),
        (.newIDOnRetry, 80),
        (.arrivalWins, 1),
        (.noConflictLog, 1),
        (.rejectedIsForgotten, 226),
        (.verdictsWithoutRows, 1),
        (.noOverlay, 1),
        (.staleAnswer, 2),
        (.seenIsIgnored, 6),
        (.noDigest, 3),
        (.bareCursor, 6),
        (.noOffers, 21),
        (.offersOverwrite, 3),
        (.offersPending, 10),
        (.wholeRows, 1_520),
        (.cursorPerPage, 1),
        (.verdictBeforePages, 6),
    ]

    @Test("every planted bug is caught by the seed that is known to", arguments: catchers)
    func bugs(bug: PlantedBug, seed: UInt64) {
        var simulation = Simulation(seed: seed, bug: bug)
        #expect(throws: (any Error).self) { try simulation.run(steps: 200) }
    }

    /// Each planted bug of the merge policies, with a seed that catches it.
    private static let policyCatchers: [(PlantedBug, seed: UInt64)] = [
        (.policiesIgnored, 1),
        (.noValuesBefore, 103),
        (.keysUnseen, 1),
        (.noAliases, 1),
        (.referencesStay, 1),
    ]

    @Test(
        "every planted bug of the merge policies is caught by the seed that is known to",
        arguments: policyCatchers)
    func policyBugs(bug: PlantedBug, seed: UInt64) {
        var simulation = Simulation(seed: seed, world: .policies, bug: bug)
        #expect(throws: (any Error).self) { try simulation.run(steps: 200) }
    }

    @Test("no planted bug is without a seed that catches it")
    func coverage() {
        #expect(Set((Self.catchers + Self.policyCatchers).map(\.0)) == Set(PlantedBug.allCases))
    }
}
