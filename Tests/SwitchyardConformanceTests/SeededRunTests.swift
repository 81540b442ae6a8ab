import SwitchyardConformance
import Testing

@Suite("The differential run itself")
struct SeededRunTests {
    @Test("one seed gives one run")
    func repeatable() async throws {
        let first = try await DifferentialRun([MemoryHarness()], seed: 7, operations: 200).verify()
        let second = try await DifferentialRun([MemoryHarness()], seed: 7, operations: 200).verify()
        #expect(first == second)
        #expect(first.values.reduce(0, +) == 200)
    }

    @Test("a backend that answers differently is found out")
    func findsDifference() async throws {
        await #expect(throws: ConformanceFailure.self) {
            try await DifferentialRun([MemoryHarness(), ForgetfulHarness()], seed: 7, operations: 400)
                .verify()
        }
    }
}
