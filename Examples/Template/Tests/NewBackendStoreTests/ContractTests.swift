import Foundation
import MemoryStore
import NewBackendStore
import SwitchyardConformance
import SwitchyardCore
import Testing

/// The contract, in the order in which the README makes its requirements pass.
@Suite("The contract")
struct ContractTests {
    @Test("step 1, values and queries", arguments: requirements(of: 1))
    func step1(_ requirement: Requirement) async throws { try await verify(requirement) }

    @Test("step 2, writes", arguments: requirements(of: 2))
    func step2(_ requirement: Requirement) async throws { try await verify(requirement) }

    @Test("step 3, transactions", arguments: requirements(of: 3))
    func step3(_ requirement: Requirement) async throws { try await verify(requirement) }

    @Test("step 4, stores", arguments: requirements(of: 4))
    func step4(_ requirement: Requirement) async throws { try await verify(requirement) }

    /// Why the backend skips requirements, or parts of them: each reason of the plugin's `limitations` and of the
    /// harness's `.impossible`, with the numbers of the requirements that return it.
    private static let reasons: [String: [String]] = [:]

    private func verify(_ requirement: Requirement) async throws {
        // A requirement has two minutes; give a slow backend more with `within: .seconds(600)`.
        let reason = try await requirement.verify(NewBackendHarness())
        let known = Self.reasons.first { $0.value.contains(requirement.number) }?.key
        #expect(reason == known, "List \(requirement.number) under this reason in `reasons`.")
    }
}

private func requirements(of step: Int) -> [Requirement] {
    // These test values and queries, but need updates, deletes or unique constraints.
    let needWrites = [
        "V4+beside", "V4+update", "V5", "V6", "V13", "V14", "Q2+pages", "Q4", "Q5+end", "Q6+figures",
        "Q6+filter", "Q6+update", "Q7",
    ]
    return Requirement.all.filter { requirement in
        let rule = requirement.number.prefix { $0 != "+" }
        return switch rule.first {
        case "V", "Q": step == (needWrites.contains(requirement.number) ? 2 : 1)
        case "T" where ["T5", "T6", "T7", "T8", "T9", "T10"].contains(rule): step == 2
        case "T": step == 3
        default: step == 4
        }
    }
}

/// The last step: random operations, whose answers must be those of the memory store.
@Suite("The differential run")
struct DifferentialTests {
    @Test("step 5, it gives the memory store's answers to the same operations")
    func step5() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("differential run: seed \(seed)")
        let run = DifferentialRun(
            [MemoryHarness(), NewBackendHarness()], seed: seed, operations: 500)
        _ = try await run.verify()
    }
}

/// The backend that this one is compared with.
private struct MemoryHarness: ConformanceHarness {
    let name = MemoryPlugin.scheme
    let limitations = MemoryPlugin.limitations

    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        MemoryStore(schema: schema, busyTimeout: busyTimeout)
    }

    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
        .impossible(reason: "Only the store itself can reach its rows in memory.")
    }
}
