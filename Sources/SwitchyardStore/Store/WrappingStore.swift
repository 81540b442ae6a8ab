/// A store that leaves to another one whatever it does not do itself.
package protocol WrappingStore: Store {
    /// The store that is wrapped.
    var base: any Store { get }
}

extension WrappingStore {
    package var schema: Schema { base.schema }
    package var info: StoreInfo { base.info }
    package var commits: CommitFeed { base.commits }

    package func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result { try await base.read(options, body) }

    package func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result { try await base.write(options, body) }

    package func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        try await base.wasCommitted(operation, in: scope)
    }

    package func check() async throws -> [String] { try await base.check() }
    package func close() async throws { try await base.close() }
}
