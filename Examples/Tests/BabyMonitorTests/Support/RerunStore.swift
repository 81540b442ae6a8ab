import Switchyard
import SwitchyardCore

/// A store on which each transaction loses once to another: the work of its first run is undone, and its body runs again.
struct RerunStore: Store {
    let base: any Store
    /// What happens between the two runs of a write.
    var between: @Sendable () throws -> Void = {}

    private struct Conflict: Error {}

    var schema: Schema { base.schema }
    var info: StoreInfo { base.info }
    var commits: CommitFeed { base.commits }

    func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        _ = try await base.read(options, body)
        return try await base.read(options, body)
    }

    func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        do {
            try await base.write { transaction in
                _ = try body(transaction)
                throw Conflict()
            }
        } catch is Conflict {}
        try between()
        return try await base.write(options, body)
    }

    func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        try await base.wasCommitted(operation, in: scope)
    }

    func check() async throws -> [String] { try await base.check() }
    func close() async throws { try await base.close() }
}
