import MemoryStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import Testing

/// The memory store, for the suite.
struct MemoryHarness: ConformanceHarness {
    let name = "memory"
    let limitations = MemoryPlugin.limitations

    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        MemoryStore(schema: schema, busyTimeout: busyTimeout)
    }

    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
        .impossible(reason: Self.hidden)
    }

    func cutConnections(of store: any Store) async throws -> Intervention {
        .impossible(reason: "Memory has no connections that could break.")
    }

    func cutNextCommit(of store: any Store, _ moment: CommitCut) async throws -> Intervention {
        .impossible(reason: "Memory has no connections that could break.")
    }

    func ageOperations(of store: any Store, by age: Duration) async throws -> Intervention {
        .impossible(reason: Self.hidden)
    }

    func change(_ change: StructureChange, under store: any Store) async throws -> Intervention {
        .impossible(reason: Self.hidden)
    }

    func whileLocked(
        _ store: any Store, _ work: LockedWork
    ) async throws -> Intervention {
        .impossible(reason: "No other process can reach the rows in memory.")
    }

    /// Why nobody does anything behind the store's back.
    static let hidden = "Only the store itself can reach its rows in memory."
}

@Suite("The contract on memory")
struct MemoryContractTests {
    /// Why parts of requirements, or all of S5, have no meaning in memory.
    private static let reasons = reasons(
        [
            MemoryHarness.hidden: [
                "S+faults", "S1+columns", "S2", "S2+column", "S2+table", "T4+aged", "V3", "V5", "V8", "V12",
                "V15",
                "V15+part",
            ],
            "The rows exist only in this process's memory.": [
                "H4", "H10", "H15", "L3", "S+fence", "S+role", "S1+marker", "S4", "S4+backfill", "S4+code",
                "S4+limit", "S4+plan", "S5",
                "T12+stores", "T4",
            ],
            "A store in memory belongs to one process, so there is nothing to keep apart.": [
                "S7", "S7+keys", "S7+references", "S7+operations", "S7+all", "S7+several", "S7+followers",
                "S7+kind",
            ],
            "Each write begins when the one before has ended, so none loses to another.": ["T3"],
            "Memory has no connections that could break.": ["T4+commit", "T4+idle", "T4+statement"],
            "No other process can reach the rows in memory.": ["T12+lock"],
        ])

    private static func reasons(_ numbers: [String: [String]]) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: numbers.flatMap { reason, numbers in numbers.map { ($0, reason) } })
    }

    @Test(
        "memory keeps each requirement except those about outliving the process", arguments: Requirement.all)
    func contract(_ requirement: Requirement) async throws {
        let reason = try await requirement.verify(MemoryHarness())
        #expect(reason == Self.reasons[requirement.number])
    }
}
