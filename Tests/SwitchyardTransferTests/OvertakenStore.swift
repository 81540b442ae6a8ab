import SwitchyardCore

/// A store in which somebody else is at work before each write.
struct OvertakenStore: WrappingStore {
    let base: any Store
    let overtake: @Sendable (any Store) async throws -> Void

    func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await overtake(base)
        return try await base.write(options, body)
    }
}
