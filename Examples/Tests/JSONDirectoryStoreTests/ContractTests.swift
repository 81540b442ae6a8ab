import Foundation
import JSONDirectoryStore
import MemoryStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import Testing

/// The first half of the proof that a plugin needs: every requirement of the contract.
@Suite("The contract on a directory of JSON files", .nightly)
struct ContractTests {
    @Test("a directory of JSON files keeps", arguments: Requirement.all)
    func contract(_ requirement: Requirement) async throws {
        // Each write rewrites the directory's files, and one requirement writes a thousand times.
        let reason = try await requirement.verify(JSONDirectoryHarness(), within: .seconds(600))
        #expect(reason == Self.reasons[requirement.number])
    }

    /// Why parts of requirements have no meaning here.
    private static let reasons = [
        "S+faults": "A file of rows has no columns but those of the schema.",
        "S2": "A file of rows has no columns but those of the schema.",
        "S2+column": "A directory of JSON files has no structure besides its rows.",
        "S2+table": "A directory of JSON files has no structure besides its rows.",
        "T3": "Each write begins when the one before has ended, so none loses to another.",
        "T4+commit": "A directory has no connections that could break.",
        "T4+idle": "A directory has no connections that could break.",
        "T4+statement": "A directory has no connections that could break.",
    ].merging(
        [
            "S7", "S7+keys", "S7+references", "S7+operations", "S7+all", "S7+several", "S7+followers",
            "S7+kind",
        ].map {
            ($0, "A directory holds the rows of one household; make one for each.")
        }, uniquingKeysWith: { first, _ in first })
}

/// The second half: random operations beside the memory store.
@Suite("Random operations on a directory of JSON files")
struct RandomOperationTests {
    @Test("a directory of JSON files gives the memory store's answers to the same operations")
    func sameAnswers() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["SWITCHYARD_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
        let operations = environment["SWITCHYARD_TEST_OPERATIONS"].flatMap { Int($0) } ?? 500
        print("differential run: seed \(seed), \(operations) operations on memory and directories")
        let tally = try await DifferentialRun(
            [MemoryHarness(), JSONDirectoryHarness()], seed: seed, operations: operations
        ).verify()
        print("differential run: \(tally.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" })")
        // A run in which nothing is ever stored, found or refused would prove nothing.
        for kind in ["rows", "no rows", "inserted", "deleted", "counted"] {
            #expect(tally[kind, default: 0] > 0, "no operation was answered by \(kind)")
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs a test by night, since it takes minutes.
    static var nightly: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["SWITCHYARD_TEST_NIGHTLY"] != nil,
            "takes minutes: .ci/nightly runs it, as does SWITCHYARD_TEST_NIGHTLY=1 Tests/run")
    }
}

/// The backend that the directory is held against.
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
