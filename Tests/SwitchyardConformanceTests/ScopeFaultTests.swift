import Switchyard
import SwitchyardConformance
import Testing

@Suite("Planted scope faults")
struct ScopeFaultTests {
    private static let faults = Fault.all.filter { $0.needs == .scopes }.map(\.name)

    @Test("the requirements about scopes find every planted scope fault", arguments: faults)
    func found(name: String) async throws {
        let fault = try #require(Fault.named(name))
        var isFound = false
        for requirement in Requirement.all where requirement.number.hasPrefix("S7") && !isFound {
            do {
                try await requirement.verify(FaultyHarness(SQLiteHarness(), fault: fault))
            } catch is ConformanceFailure {
                isFound = true
            }
        }
        #expect(isFound, "\(fault)")
    }

    @Test("there are eight planted scope faults")
    func number() { #expect(Self.faults.count == 8) }
}
