import Foundation
import SwitchyardConformance
import Testing

/// Random operations on all backends side by side.
///
/// The normal run is one seed, drawn anew each time and printed, with 2,000 operations. The environment asks
/// for more:
///
/// - `SWITCHYARD_TEST_SEED` repeats the run of a seed.
/// - `SWITCHYARD_TEST_OPERATIONS` sets the number of operations of a run.
/// - `SWITCHYARD_TEST_RUNS` sets the number of runs: with the seed, the one after it, and so on.
///
/// A long run: `SWITCHYARD_TEST_RUNS=24 SWITCHYARD_TEST_OPERATIONS=4000 Tests/run --filter Differential`.
@Suite("Backends side by side")
struct DifferentialTests {
    @Test("memory and SQLite give the same answers to the same operations")
    func files() async throws {
        try await compare([MemoryHarness(), SQLiteHarness()])
    }

    @Test(
        "memory, SQLite and PostgreSQL give the same answers to the same operations", .needsPostgres)
    func servers() async throws {
        try await compare([MemoryHarness(), SQLiteHarness(), PostgresHarness()])
    }

    private func compare(_ harnesses: [any ConformanceHarness]) async throws {
        let first = try setting("SEED") ?? UInt64.random(in: 0...UInt64.max)
        let operations = try setting("OPERATIONS") ?? 2_000
        let names = harnesses.map(\.name).joined(separator: ", ")
        for run in 0..<(try setting("RUNS") ?? 1 as UInt64) {
            let seed = first &+ run
            print("differential run: seed \(seed), \(operations) operations on \(names)")
            do {
                let tally = try await DifferentialRun(harnesses, seed: seed, operations: operations).verify()
                let answers = tally.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
                print("differential run: \(answers.joined(separator: ", "))")
                requireSubstance(tally)
            } catch let failure as ConformanceFailure {
                Issue.record(failure)
            }
        }
    }

    /// A run in which nothing is ever stored, found or refused would prove nothing.
    private func requireSubstance(_ tally: [String: Int]) {
        let kinds = [
            "rows", "no rows", "inserted", "updated", "deleted", "counted", "error unique",
            "error foreignKey", "replaced", "upserted", "pages", "figures",
        ]
        for kind in kinds { #expect(tally[kind, default: 0] > 0, "no operation was answered by \(kind)") }
    }

    /// A number that the environment sets; one that cannot be read is not taken for none.
    private func setting<Number: FixedWidthInteger>(_ name: String) throws -> Number? {
        let text = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_\(name)"]
        return try text.map { try #require(Number($0), "SWITCHYARD_TEST_\(name) is no number: \($0)") }
    }
}
