internal import Switchyard

/// Random schemas, rows, conditions and operations, carried out on several backends side by side: after each
/// operation all answers must be the same text, and after each write all rows.
///
/// A place that lasts longer than the process is opened twice, and the operations go to either opening. With a
/// `ScopedHarness` among the backends they go to two scopes of its place, and to two places of the others. The
/// seed decides everything; a failure names it, and a run with the same seed does the same again. What failed
/// is then shrunk to the few operations that are needed for it. Print the seed, let the environment of your
/// tests set it and the number of operations, and run long ones now and then: 2,000 operations take seconds,
/// and what they miss, 100,000 find.
public struct DifferentialRun: Sendable {
    /// The backends; the first is the one that the others are held against.
    public let harnesses: [any ConformanceHarness]
    /// The seed.
    public let seed: UInt64
    /// The number of operations, over all schemas.
    public let operations: Int
    /// The number of operations before a new schema is drawn.
    public let operationsPerSchema: Int

    /// Describes a run.
    public init(
        _ harnesses: [any ConformanceHarness], seed: UInt64, operations: Int = 2_000,
        operationsPerSchema: Int = 100
    ) {
        self.harnesses = harnesses
        self.seed = seed
        self.operations = operations
        self.operationsPerSchema = operationsPerSchema
    }

    /// Carries the run out.
    ///
    /// - Returns: How often each kind of answer came, such as `inserted` or `error unique`, so that a run
    ///   that tests nothing shows.
    /// - Throws: `ConformanceFailure` at the first difference, naming the seed, the shortest operations found
    ///   that lead to one, and the answers.
    public func verify() async throws -> [String: Int] {
        try await tally { difference, scenario, operation in
            // Only the two that differ are needed to see that they do.
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

    /// Whether the run meets no difference; none is shrunk.
    func agrees() async throws -> Bool {
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
    /// The part in which the text differs from another one.
    fileprivate func excerpt(against other: String) -> String {
        let same = zip(utf8, other.utf8).prefix { $0 == $1 }.count
        let begin = same < 80 ? 0 : same - 60
        let part = String(decoding: utf8.dropFirst(begin).prefix(400), as: UTF8.self)
        return (begin > 0 ? "…" : "") + part + (utf8.count > begin + 400 ? "…" : "")
    }
}
