import Foundation
import SwitchyardConformance
import Testing

/// Random operations on all backends side by side.
///
/// `SWITCHYARD_TEST_SEED` repeats a run, and `SWITCHYARD_TEST_OPERATIONS` makes it longer.
@Suite("Backends side by side")
struct DifferentialTests {
    @Test("every backend gives the same answers to the same operations")
    func sameAnswers() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["SWITCHYARD_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
        let operations = environment["SWITCHYARD_TEST_OPERATIONS"].flatMap { Int($0) } ?? 2_000
        let harnesses: [any ConformanceHarness] = [MemoryHarness(), SQLiteHarness()]
        print("differential run: seed \(seed), \(operations) operations on \(harnesses.map(\.name))")
        let tally = try await DifferentialRun(harnesses, seed: seed, operations: operations).verify()
        print("differential run: \(tally.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" })")
        // A run in which nothing is ever stored, found or refused would prove nothing.
        for kind in [
            "rows", "no rows", "inserted", "updated", "deleted", "counted", "error unique",
            "error foreignKey",
        ] {
            #expect(tally[kind, default: 0] > 0, "no operation was answered by \(kind)")
        }
    }
}
