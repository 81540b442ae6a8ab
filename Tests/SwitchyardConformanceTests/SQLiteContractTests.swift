import SwitchyardConformance
import TestBackends
import Testing

@Suite("The contract on SQLite")
struct SQLiteContractTests {
    private static let reasons = [
        "T3": "Each write begins when the one before has ended, so none loses to another.",
        "T4+idle": "A file has no connections that could break.",
        "T4+statement": "A file has no connections that could break.",
        "T4+commit": "A file has no connections that could break.",
    ]

    @Test("SQLite keeps each requirement", arguments: Requirement.all)
    func contract(_ requirement: Requirement) async throws {
        let reason = try await requirement.verify(SQLiteHarness())
        #expect(reason == Self.reasons[requirement.number])
    }

    /// Limits of a condition, a value and a row, which a scope does not change and which take long to reach.
    private static let limits: Set = ["Q5+end", "Q9", "V14", "V14+row"]

    @Test(
        "SQLite keeps each requirement in a scope, beside another",
        arguments: Requirement.all.filter { Nightly.isOn || !limits.contains($0.number) })
    func scoped(_ requirement: Requirement) async throws {
        let reason = try await requirement.verify(ScopedHarness(SQLiteHarness()))
        #expect(reason == Self.reasons[requirement.number])
    }
}
