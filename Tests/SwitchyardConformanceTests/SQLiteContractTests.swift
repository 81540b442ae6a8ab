import SwitchyardConformance
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

    @Test("SQLite keeps each requirement in a scope, beside another", arguments: Requirement.all)
    func scoped(_ requirement: Requirement) async throws {
        let reason = try await requirement.verify(ScopedHarness(SQLiteHarness()))
        #expect(reason == Self.reasons[requirement.number])
    }
}
