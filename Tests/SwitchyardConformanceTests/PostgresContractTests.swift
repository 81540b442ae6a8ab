import PostgresTestServer
import SwitchyardConformance
import Testing

@Suite("The contract on PostgreSQL", .needsPostgres)
struct PostgresContractTests {
    @Test("PostgreSQL keeps", arguments: Requirement.all)
    func contract(_ requirement: Requirement) async throws {
        try await verify(requirement, PostgresHarness())
    }

    @Test("PostgreSQL keeps in a scope, beside another", arguments: Requirement.all)
    func scoped(_ requirement: Requirement) async throws {
        try await verify(requirement, ScopedHarness(PostgresHarness()))
    }

    private func verify(_ requirement: Requirement, _ harness: any ConformanceHarness) async throws {
        let reason = try await requirement.verify(harness)
        let takesText = !["S+faults", "S1+columns", "V3"].contains(requirement.number)
        #expect(reason == (takesText ? nil : "The server takes no bytes for text that are not UTF-8."))
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs a test only where `Tests/run` has started a server.
    static var needsPostgres: Self { .enabled(if: PostgresServer.url != nil, "\(PostgresServer.need)") }
}
