import SwitchyardConformance
import Testing

@Suite("The differential run itself")
struct SeededRunTests {
    @Test("one seed gives one differential run")
    func repeatable() async throws {
        let first = try await DifferentialRun([MemoryHarness()], seed: 7, operations: 200).verify()
        let second = try await DifferentialRun([MemoryHarness()], seed: 7, operations: 200).verify()
        #expect(first == second)
        #expect(first.values.reduce(0, +) == 200)
    }

    @Test(
        "the differential run finds a fault, and shrinks it to the few operations that show it",
        arguments: [
            "order-nil-ascending", "update-to-nil", "savepoint-inner-forgotten", "batch-32-next",
        ])
    func shrinks(name: String) async throws {
        let fault = try #require(Fault.named(name))
        let harnesses: [any ConformanceHarness] = [
            MemoryHarness(), FaultyHarness(MemoryHarness(), fault: fault),
        ]
        let failure = try await failure(of: harnesses, seeds: 1...20)
        let operations = failure.subject.split(separator: "\n").filter { $0.first?.isNumber ?? false }
        // An update to nil needs most: the row, and the row that it refers to before the update.
        #expect((1...3).contains(operations.count), "\(operations.joined(separator: "\n"))")
        #expect(failure.subject.contains("SWITCHYARD_TEST_SEED="))
        #expect(failure.expected != failure.found)
    }

    @Test("the differential run opens a place twice, and each opening sees the other's writes")
    func openings() async throws {
        let fault = try #require(Fault.named("opening-sees-closed"))
        let harnesses: [any ConformanceHarness] = [
            MemoryHarness(), FaultyHarness(SQLiteHarness(), fault: fault),
        ]
        let failure = try await failure(of: harnesses, seeds: 1...5)
        // The other opening is asked for the rows and the history.
        let looks = ["the rows", "the history"]
        #expect(
            failure.subject.contains("[second opening]") || looks.contains { failure.subject.hasPrefix($0) })
    }

    /// The failure of the first seed that has one.
    private func failure(
        of harnesses: [any ConformanceHarness], seeds: ClosedRange<UInt64>
    ) async throws -> ConformanceFailure {
        for seed in seeds {
            do { _ = try await DifferentialRun(harnesses, seed: seed, operations: 400).verify() } catch {
                return try #require(error as? ConformanceFailure)
            }
        }
        throw NoFailure()
    }

    private struct NoFailure: Error {}
}
