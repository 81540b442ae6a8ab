import MemoryStore
import Switchyard
import SwitchyardConformance
import Testing

/// The memory store, for the suite.
struct MemoryHarness: ConformanceHarness {
    let name = "memory"
    let limitations = MemoryPlugin.limitations

    func makeStore(_ schema: Schema) async throws -> any Store {
        // A machine that is busy with all suites at once may let a writer wait for long.
        MemoryStore(schema: schema, busyTimeout: .seconds(60))
    }
}

@Suite("The contract on memory")
struct MemoryContractTests {
    @Test("memory keeps all but what lasts longer than the process", arguments: ContractRow.all)
    func contract(_ row: ContractRow) async throws {
        let reason = try await row.verify(MemoryHarness())
        #expect(reason == (row.number == "S5" ? "The rows are in this process's memory alone." : nil))
    }
}
