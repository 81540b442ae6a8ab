import SwitchyardCore

/// A store in which somebody else is at work before each write.
struct OvertakenStore: Store {
    let base: any Store
    let overtake: @Sendable (any Store) async throws -> Void

    var schema: Schema { base.schema }
    var info: StoreInfo { base.info }
    var commits: CommitFeed { base.commits }

    func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result { try await base.read(options, body) }

    func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await overtake(base)
        return try await base.write(options, body)
    }

    func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        try await base.wasCommitted(operation, in: scope)
    }

    func check() async throws -> [String] { try await base.check() }
    func close() async throws { try await base.close() }
}
