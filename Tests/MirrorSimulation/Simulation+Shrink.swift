/// A failing run that was made as short as possible.
public struct ShrunkSimulation: Sendable {
    /// The steps that are left, ascending.
    public let steps: [Int]
    /// What they lead to.
    public let failure: String
    /// The promise that the longer run broke as well.
    public let promise: String
    /// What happens in them.
    public let trace: [String]
}

extension Simulation {
    /// Shrinks a failing seed to few steps that break the same promise (delta debugging: Zeller and Hildebrandt,
    /// "Simplifying and isolating failure-inducing input", 2002).
    ///
    /// - Parameters:
    ///   - seed: The seed.
    ///   - world: The rows that are edited.
    ///   - bug: A mistake to make; nil for none.
    ///   - steps: The number of steps of the failing run.
    /// - Returns: The short run; nil if the seed does not fail.
    public static func shrink(
        seed: UInt64, world: SimulatedWorld = .family, bug: PlantedBug? = nil, steps: Int
    ) -> ShrunkSimulation? {
        func failure(_ steps: [Int], isTraced: Bool = false) -> (Failure, Simulation)? {
            var simulation = Simulation(seed: seed, world: world, bug: bug, isTraced: isTraced)
            do { try simulation.run(steps) } catch { return (Failure(error), simulation) }
            return nil
        }
        guard let (first, simulation) = failure(Array(0..<steps)) else { return nil }
        // Later steps have nothing to do with it.
        var left = Array(0...simulation.lastStep)
        var (size, removed) = (left.count / 2, false)
        while size > 0 {
            var start = 0
            while start < left.count {
                let shorter = Array(left[..<start] + left[min(start + size, left.count)...])
                if failure(shorter)?.0.promise == first.promise {
                    (left, removed) = (shorter, true)
                } else {
                    start += size
                }
            }
            // Without one step another can be unnecessary.
            if size > 1 || !removed { size /= 2 }
            removed = false
        }
        guard let (last, run) = failure(left, isTraced: true) else { return nil }
        return ShrunkSimulation(
            steps: left, failure: last.description, promise: last.promise, trace: run.trace)
    }
}
