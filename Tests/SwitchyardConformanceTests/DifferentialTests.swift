import Foundation
import PostgresTestServer
import SwitchyardConformance
import Testing

/// Random operations on all backends side by side.
///
/// The normal run is ten seeds, drawn anew each time and printed, with 200 operations each. The environment
/// asks for others:
///
/// - `SWITCHYARD_TEST_SEEDS` runs all of a list, as continuous integration does with those of `Tests/seeds`.
/// - `SWITCHYARD_TEST_SEED` repeats the run of a seed, as a failure says.
/// - `SWITCHYARD_TEST_RUNS` sets the number of seeds of chance, or of the seeds from the one that is set on.
/// - `SWITCHYARD_TEST_OPERATIONS` sets the number of operations of each.
///
/// A long run: `SWITCHYARD_TEST_RUNS=24 SWITCHYARD_TEST_OPERATIONS=4000 Tests/run --filter Differential`.
@Suite("Backends side by side")
struct DifferentialTests {
    private static let databases: [any ConformanceHarness] =
        [SQLiteHarness()] + (PostgresServer.url == nil ? [] : [PostgresHarness()])

    @Test("all backends give the same answers to the same operations")
    func compare() async throws { try await compare(Self.databases) }

    @Test("two scopes of one database give the same answers as two places")
    func scopes() async throws { try await compare(Self.databases.map { ScopedHarness($0) }) }

    private func compare(_ databases: [any ConformanceHarness]) async throws {
        let harnesses = [MemoryHarness()] + databases
        let (seeds, operations) = (try seeds(), try setting("OPERATIONS") ?? 200)
        print(
            "differential run: \(operations) operations on \(harnesses.map(\.name).joined(separator: ", "))")
        var tally: [String: Int] = [:]
        // As many at a time as there are processors.
        try await withThrowingTaskGroup(of: [String: Int].self) { group in
            for (number, seed) in seeds.enumerated() {
                if number >= ProcessInfo.processInfo.activeProcessorCount,
                    let answers = try await group.next()
                {
                    tally.merge(answers) { $0 + $1 }
                }
                group.addTask {
                    print("differential run: seed \(seed)")
                    do {
                        return try await DifferentialRun(harnesses, seed: seed, operations: operations)
                            .verify()
                    } catch let failure as ConformanceFailure {
                        Issue.record(failure)
                        return [:]
                    }
                }
            }
            for try await answers in group { tally.merge(answers) { $0 + $1 } }
        }
        let answers = tally.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
        print("differential run: \(answers.joined(separator: ", "))")
        // A few operations need not meet everything.
        if seeds.count * operations >= 2_000 { requireSubstance(tally) }
    }

    /// Runs in which nothing is ever stored, found or refused would prove nothing.
    private func requireSubstance(_ tally: [String: Int]) {
        let kinds = [
            "rows", "no rows", "inserted", "updated", "deleted", "counted", "error unique",
            "error foreignKey", "replaced", "upserted", "pages", "figures", "several", "undone",
        ]
        for kind in kinds { #expect(tally[kind, default: 0] > 0, "no operation was answered by \(kind)") }
    }

    private func seeds() throws -> [UInt64] {
        if let list = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_SEEDS"] {
            let seeds = try list.split(whereSeparator: \.isWhitespace).map { seed in
                try #require(UInt64(seed), "SWITCHYARD_TEST_SEEDS holds what is not a seed: \(seed)")
            }
            try #require(!seeds.isEmpty, "SWITCHYARD_TEST_SEEDS holds no seed.")
            return seeds
        }
        if let first: UInt64 = try setting("SEED") {
            return (0..<(try setting("RUNS") ?? 1)).map { first &+ $0 }
        }
        return (0..<(try setting("RUNS") ?? 10)).map { _ in UInt64.random(in: 0...UInt64.max) }
    }

    /// A number that the environment sets; one that cannot be read is not taken for none.
    private func setting<Number: FixedWidthInteger>(_ name: String) throws -> Number? {
        let text = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_\(name)"]
        return try text.map { try #require(Number($0), "SWITCHYARD_TEST_\(name) is not a number: \($0)") }
    }
}
