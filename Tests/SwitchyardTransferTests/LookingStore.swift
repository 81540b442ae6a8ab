import SwitchyardCore

/// A store that somebody looks at before each read.
struct LookingStore: WrappingStore {
    let base: any Store
    let look: @Sendable () async throws -> Void

    func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await look()
        return try await base.read(options, body)
    }
}
