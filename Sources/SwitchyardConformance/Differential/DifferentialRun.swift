internal import Switchyard

/// Random schemas, rows, conditions and operations, carried out on several backends side by side: after each
/// operation all answers must be the same text, and after each write all rows.
///
/// The seed decides everything; a failure names it, and a run with the same seed does the same again. Print
/// the seed, let the environment of your tests set it and the number of operations, and run long ones now and
/// then: 2,000 operations take seconds, and what they miss, 100,000 find.
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
    /// - Throws: `ConformanceFailure` at the first difference, naming seed, operation and answers.
    public func verify() async throws -> [String: Int] {
        var generator = SeededGenerator(seed: seed)
        var done = 0
        var tally: [String: Int] = [:]
        while done < operations {
            let count = min(operationsPerSchema, operations - done)
            try await verify(count, from: done, &tally, using: &generator)
            done += count
        }
        return tally
    }

    private func verify(
        _ count: Int, from first: Int, _ tally: inout [String: Int], using generator: inout SeededGenerator
    ) async throws {
        let schema = try RandomSchema.make(using: &generator)
        var stores: [any Store] = []
        for harness in harnesses {
            stores.append(try await harness.makeStore(schema, busyTimeout: .seconds(60)))
        }
        let drawn = RandomOperations(schema: schema)
        do {
            for step in 0..<count {
                let operation = drawn.make(using: &generator)
                let answer = try await compare(
                    stores, "operation \(first + step): \(operation) on\n\(schema)"
                ) {
                    try await operation.answer(from: $0)
                }
                tally[answer.kind, default: 0] += 1
                _ = try await compare(
                    stores, "rows after operation \(first + step): \(operation) on\n\(schema)"
                ) {
                    try await Self.contents(of: $0)
                }
            }
        } catch {
            await dispose(stores)
            throw error
        }
        await dispose(stores)
    }

    private func dispose(_ stores: [any Store]) async {
        for (harness, store) in zip(harnesses, stores) { await harness.dispose(store) }
    }

    private func compare(
        _ stores: [any Store], _ what: String, _ answer: (any Store) async throws -> String
    ) async throws -> String {
        let expected = try await answer(stores[0])
        for (harness, store) in zip(harnesses, stores).dropFirst() {
            let found = try await answer(store)
            guard found == expected else {
                throw ConformanceFailure(
                    requirement: "the differential run with seed \(seed)", backend: harness.name,
                    subject: what, expected: "the answer of \(harnesses[0].name), \(expected)", found: found)
            }
        }
        return expected
    }

    /// All rows of a store in canonical form.
    private static func contents(of store: any Store) async throws -> String {
        try await store.read { tx in
            try tx.schema.entities.map { entity in
                entity.name + (try RandomOperation.canonical(try tx.fetchRows(of: entity.name)))
            }.joined(separator: "\n")
        }
    }
}

extension String {
    /// What kind of answer this is, without its numbers.
    fileprivate var kind: String {
        if contains("; ") { return "several" }
        if hasPrefix("error") || self == "undone" { return self }
        if hasSuffix("]") { return self == "[]" ? "no rows" : "rows" }
        return String(split(separator: " ").last ?? "")
    }
}
