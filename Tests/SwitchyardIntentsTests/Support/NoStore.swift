import SwitchyardCore
import SwitchyardIntents

/// A store without rows, for intents that keep their things elsewhere.
struct NoStore: Store {
    let schema: Schema
    let description = StoreDescription(backend: "none", location: "nowhere")

    init() throws { schema = try Schema(version: SchemaVersion(1), entities: []) }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result { throw StoreError(.closed, "There is nothing to read.") }

    func write<Result: Sendable>(
        operation: OperationID?, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result { throw StoreError(.closed, "There is nothing to write.") }

    func wasCommitted(_ operation: OperationID) async throws -> Bool { false }
    func marker() async throws -> StoreMarker { StoreMarker(schema: schema) }
    func check() async throws -> [String] { [] }
    func close() async throws {}
}
