import MemoryStore
import Switchyard
import SwitchyardConformance
import Synchronization

/// A backend with a fault on purpose: every 20th write is reported as done and is not kept.
struct ForgetfulHarness: ConformanceHarness {
    let name = "forgetful"

    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        ForgetfulStore(base: MemoryStore(schema: schema, busyTimeout: busyTimeout))
    }

    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
        .impossible(reason: "Only the store itself can reach its rows in memory.")
    }
}

final class ForgetfulStore: Store {
    private struct Forgotten<Result: Sendable>: Error { let result: Result }

    private let base: MemoryStore
    private let writes = Mutex(0)

    init(base: MemoryStore) { self.base = base }

    var schema: Schema { base.schema }
    var description: StoreDescription { base.description }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result { try await base.read(body) }

    func write<Result: Sendable>(
        operation: OperationID?, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        let number = writes.withLock { writes in
            writes += 1
            return writes
        }
        guard number.isMultiple(of: 20) else { return try await base.write(operation: operation, body) }
        do {
            return try await base.write(operation: operation) { tx in throw Forgotten(result: try body(tx)) }
        } catch let forgotten as Forgotten<Result> {
            return forgotten.result
        }
    }

    func wasCommitted(_ operation: OperationID) async throws -> Bool {
        try await base.wasCommitted(operation)
    }
    func marker() async throws -> StoreMarker { try await base.marker() }
    func check() async throws -> [String] { try await base.check() }
    func close() async throws { try await base.close() }
}
