import PostgresTestServer
import SwitchyardConformance
import Testing

@Suite("The contract on a Citus cluster", .needsCitus)
struct CitusContractTests {
    @Test("a Citus cluster keeps each requirement in a scope, beside another", arguments: Requirement.all)
    func scoped(_ requirement: Requirement) async throws {
        let reason = try await requirement.verify(ScopedHarness(PostgresHarness(isDistributed: true)))
        #expect(reason == Self.reasons[requirement.number])
    }

    private static let onlyUTF8 = "The server takes no bytes for text that are not UTF-8."
    private static let reasons = [
        "T3": "Each write begins when the one before has ended, so none loses to another.",
        "V3": onlyUTF8, "S+faults": onlyUTF8, "S1+columns": onlyUTF8,
    ]
}

extension Trait where Self == ConditionTrait {
    /// Runs a test only where `Tests/run` has started a cluster.
    static var needsCitus: Self {
        .enabled(
            if: PostgresServer.citusURL != nil,
            "needs a Citus cluster: run Tests/run on a machine that has PostgreSQL's Citus extension")
    }
}
