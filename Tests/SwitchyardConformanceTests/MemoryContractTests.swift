import MemoryStore
import Switchyard
import SwitchyardConformance
import Testing

/// The memory store, for the suite.
struct MemoryHarness: ConformanceHarness {
    let name = "memory"
    let limitations = MemoryPlugin.limitations

    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        MemoryStore(schema: schema, busyTimeout: busyTimeout)
    }

    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
        .impossible(reason: "Only the store itself can reach its rows in memory.")
    }
}

@Suite("The contract on memory")
struct MemoryContractTests {
    /// Why parts of requirements, or all of S5, have no meaning in memory.
    private static let reasons = [
        "S2": "Only the store itself can reach its rows in memory.",
        "S4": "The rows are in this process's memory alone.",
        "S5": "The rows are in this process's memory alone.",
        "T3": "Each write begins when the one before has ended, so none loses to another.",
        "T4": "The rows are in this process's memory alone.",
        "V3": "Only the store itself can reach its rows in memory.",
        "V5": "Only the store itself can reach its rows in memory.",
        "V8": "Only the store itself can reach its rows in memory.",
        "V12": "Only the store itself can reach its rows in memory.",
        "V15": "Only the store itself can reach its rows in memory.",
    ]

    @Test("memory keeps all but what lasts longer than the process", arguments: Requirement.all)
    func contract(_ requirement: Requirement) async throws {
        let reason = try await requirement.verify(MemoryHarness())
        #expect(reason == Self.reasons[requirement.number])
    }
}
