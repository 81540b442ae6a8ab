internal import Switchyard

/// Runs random operations on random schemas on several backends: all of them must return the same answer to each
/// operation, and have the same rows after each write.
///
/// A place that outlives the process is opened twice, and the operations go to either opening. With a `ScopedHarness`
/// among the backends, they go to two scopes of its place, and to two places of the others.
///
/// The seed determines everything: a failure reports it, and a run with the same seed repeats the failure, whose
/// operations are then shrunk to the few that are needed. Print the seed, let your tests' environment set it and the
/// number of operations, and do a long run now and then: 2,000 operations take seconds, and 100,000 find what they
/// miss.
public struct DifferentialRun: Sendable {
    /// The backends; the others are compared with the first.
    public let harnesses: [any ConformanceHarness]
    /// The seed.
    public let seed: UInt64
    /// The number of operations, over all schemas.
    public let operations: Int
    /// The number of operations before a new schema is drawn.
    public let operationsPerSchema: Int

    /// Creates a run.
    public init(
        _ harnesses: [any ConformanceHarness], seed: UInt64, operations: Int = 2_000,
        operationsPerSchema: Int = 100
    ) {
        self.harnesses = harnesses
        self.seed = seed
        self.operations = operations
        self.operationsPerSchema = operationsPerSchema
    }

    /// Executes the run.
    ///
    /// - Returns: How often each kind of answer came, such as `inserted` or `error unique`, to reveal a run that tests
    ///   nothing.
    /// - Throws: `ConformanceFailure` at the first difference, with the seed, the shortest operations found that lead
    ///   to it, and the answers.
    public func verify() async throws -> [String: Int] {
        try await tally { difference, scenario, operation in
            // The two backends that differ are enough to reproduce the difference.
            let shrinker = Shrinker(harnesses: [harnesses[0], difference.harness])
            let (smallest, last) = await shrinker.shrink(scenario, difference)
            throw ConformanceFailure(
                requirement: "the differential run with seed \(seed)", backend: last.harness.name,
                subject: "\(last.subject) of the last of\n\(smallest)\n(operation \(operation) of the run;"
                    + " again with SWITCHYARD_TEST_SEED=\(seed) SWITCHYARD_TEST_OPERATIONS=\(operations))\n",
                expected: "\(last.expected.excerpt(against: last.found)), which \(harnesses[0].name) gives",
                found: last.found.excerpt(against: last.expected))
        }
    }

    /// Whether the run finds no difference; it does not shrink one.
    package func agrees() async throws -> Bool {
        var agrees = true
        _ = try await tally { _, _, _ in agrees = false }
        return agrees
    }

    private func tally(
        _ fail: (Difference, Scenario, _ operation: Int) async throws -> Void
    ) async throws -> [String: Int] {
        var generator = SeededGenerator(seed: seed)
        var done = 0
        var tally: [String: Int] = [:]
        while done < operations {
            let count = min(operationsPerSchema, operations - done)
            let scenario = try Scenario(
                operations: count, sides: harnesses.contains { $0 is ScopedHarness } ? 2 : 1,
                using: &generator)
            if let difference = try await scenario.run(
                on: harnesses,
                answered: { kind in
                    tally[kind, default: 0] += 1
                })
            {
                try await fail(difference, scenario, done + difference.step)
                return tally
            }
            done += count
        }
        return tally
    }
}

extension String {
    /// The part of the text that differs from another one.
    fileprivate func excerpt(against other: String) -> String {
        let same = zip(utf8, other.utf8).prefix { $0 == $1 }.count
        let begin = same < 80 ? 0 : same - 60
        let part = String(decoding: utf8.dropFirst(begin).prefix(400), as: UTF8.self)
        return (begin > 0 ? "…" : "") + part + (utf8.count > begin + 400 ? "…" : "")
    }
}
