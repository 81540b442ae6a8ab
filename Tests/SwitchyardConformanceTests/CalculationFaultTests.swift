import SwitchyardConformance
import Testing

/// Faults in calculations, made on purpose, against the requirements about calculations alone.
@Suite("Planted calculation faults")
struct CalculationFaultTests {
    @Test(
        "the requirements about calculations find every planted calculation fault",
        arguments: [
            "division-floor", "remainder-sign", "overflow-wraps", "overflow-saturates", "overflow-early",
            "overflow-fails", "division-by-zero", "division-by-zero-fails", "division-infinite",
            "double-overflow-infinite", "double-underflow-zero", "failing-rows", "update-failing-nil",
            "update-failing-skipped", "update-calculates-all",
        ])
    func isFound(name: String) async throws {
        let fault = try #require(Fault.named(name))
        var isFound = false
        for requirement in Requirement.all where requirement.number.hasPrefix("Q6") && !isFound {
            do {
                try await requirement.verify(FaultyHarness(MemoryHarness(), fault: fault))
            } catch is ConformanceFailure {
                isFound = true
            }
        }
        #expect(isFound, "\(fault)")
    }
}
