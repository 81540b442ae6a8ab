import Foundation
import SwitchyardConformance
import Testing

/// Whether the public suite finds the faults that are made on purpose: what it does not find, it cannot vouch
/// for.
///
/// `Tests/fault-finders` says which test finds each fault, and that one is run first. `SWITCHYARD_TEST_FAULT` makes one fault
/// alone, by name, and prints what the test said that found it.
@Suite("Planted faults")
struct FaultTests {
    /// The faults that the suite is known to miss, by name.
    private static let missed: Set<String> = []

    /// A line of `Tests/fault-finders`: the name of a fault, and after a tab that of the test.
    private static func finders() throws -> [String: String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "fault-finders")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        return try Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let parts = line.split(separator: "\t")
                try #require(parts.count == 2, "\(line)")
                return (String(parts[0]), String(parts[1]))
            })
    }

    @Test("the public suite finds every planted fault except the named ones", .timeLimit(.minutes(45)))
    func score() async throws {
        let name = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_FAULT"]
        let faults = try name.map { [try #require(Fault.named($0), "There is no fault \($0).")] } ?? Fault.all
        let finders = try Self.finders()
        // Stores are made quicker in memory; what outlasts the process shows in files.
        let lasting = faults.filter { $0.needs != nil }
        let quick = faults.filter { $0.needs == nil }
        let inMemory = try await FaultRun(MemoryHarness(), faults: quick, knownFinders: finders).report()
        let inFiles = try await FaultRun(SQLiteHarness(), faults: lasting, knownFinders: finders).report()
        let report = FaultReport(findings: inMemory.findings + inFiles.findings)
        print(report)
        for finding in report.movedOn {
            print(
                "\(finding.fault.name) is found by \(finding.check ?? ""), and no longer by \(finding.knownFinder ?? "any test")"
            )
        }
        if name != nil { for finding in report.findings { print(finding.message ?? "") } }
        #expect(Set(report.unfound.map(\.name)) == Self.missed.intersection(faults.map(\.name)))
    }

    @Test("every planted fault has a sentence, a name of its own and a requirement that finds it")
    func names() throws {
        let faults = Fault.all
        #expect(Set(faults.map(\.name)).count == faults.count)
        #expect(faults.allSatisfy { $0.summary.hasSuffix(".") })
        #expect(faults.count >= 60)
        #expect(try Set(Self.finders().keys).union(Self.missed) == Set(faults.map(\.name)))
    }
}
