import PostgresTestServer
import SwitchyardConformance
import TestBackends
import Testing

@Suite("The contract on PostgreSQL", .needsPostgres)
struct PostgresContractTests {
    @Test("PostgreSQL keeps each requirement", arguments: Requirement.all)
    func contract(_ requirement: Requirement) async throws {
        let log = try await StatementLog()
        try await verify(requirement, PostgresHarness(logsStatements: true))
        let constants = StatementLog.constants(in: try await log.statements)
        #expect(constants.subtracting(Self.constants) == [], "constants in the text of statements")
    }

    /// What statements about rows hold of their own: limits of 64 bits, the forms of digests and days, the seconds of an hour, and small
    /// numbers.
    ///
    /// All else would be a value of a row or of a condition, which must not be in the text, because servers log it.
    private static let constants: Set<String> = [
        "0", "1", "16", "100", "3600", "'00'", "'hex'", "'1 second'", "'UTC'", "'604800 seconds'", "'NaN'",
        "'-9223372036854775808'", "9223372036854775808", "9223372036854775809",
    ]

    @Test(
        "PostgreSQL keeps each requirement in a scope, beside another", .nightly, arguments: Requirement.all)
    func scoped(_ requirement: Requirement) async throws {
        try await verify(requirement, ScopedHarness(PostgresHarness()))
    }

    @Test(
        "PostgreSQL keeps each requirement while it records a history", .nightly,
        arguments: Requirement.all.filter { $0.number.first != "H" })
    func recording(_ requirement: Requirement) async throws {
        try await verify(requirement, PostgresHarness(keepsHistory: true), skipping: ["T3": Self.queued])
    }

    private static let queued = "Each write begins when the one before has ended, so none loses to another."
    private static let onlyUTF8 = "The server takes no bytes for text that are not UTF-8."

    /// Verifies a requirement; parts of it can be left out for the known reasons alone.
    private func verify(
        _ requirement: Requirement, _ harness: any ConformanceHarness, skipping other: [String: String] = [:]
    ) async throws {
        let reasons = other.merging(["S+faults", "S1+columns", "V3"].map { ($0, Self.onlyUTF8) }) { $1 }
        let reason = try await requirement.verify(harness)
        #expect(reason == reasons[requirement.number])
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs a test only where `Tests/run` has started a server.
    static var needsPostgres: Self { .enabled(if: PostgresServer.url != nil, "\(PostgresServer.need)") }

    /// Runs a test by night alone.
    static var nightly: Self { .enabled(if: Nightly.isOn, "\(Nightly.need)") }
}
