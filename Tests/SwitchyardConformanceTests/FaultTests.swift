import Foundation
import SwitchyardConformance
import Testing

/// Whether the public suite finds the faults that are made on purpose: what it does not find, it cannot vouch
/// for.
///
/// `SWITCHYARD_TEST_FAULT` makes one fault alone, by name, and prints what the test said that found it.
@Suite("Faults on purpose")
struct FaultTests {
    @Test("the public suite finds at least 95 of 100 faults", .timeLimit(.minutes(45)))
    func score() async throws {
        let name = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_FAULT"]
        let faults = try name.map { [try #require(Fault.named($0), "There is no fault \($0).")] } ?? Fault.all
        // Stores are made quicker in memory; what outlasts the process shows in files.
        let inMemory = try await FaultRun(MemoryHarness(), faults: faults).report()
        let lasting = faults.filter { $0.needs != nil }
        let inFiles = try await FaultRun(SQLiteHarness(), faults: lasting).report()
        let report = FaultReport(findings: inMemory.findings + inFiles.findings)
        print(report)
        if name != nil { for finding in report.findings { print(finding.message ?? "") } }
        #expect(
            report.score >= 0.95,
            "not found: \(report.unfound.map(\.description).joined(separator: "\n"))")
    }

    @Test("each fault has a name of its own and a sentence")
    func names() {
        let faults = Fault.all
        #expect(Set(faults.map(\.name)).count == faults.count)
        #expect(faults.allSatisfy { $0.summary.hasSuffix(".") })
        #expect(faults.count >= 60)
    }
}
