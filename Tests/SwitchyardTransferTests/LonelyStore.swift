import SwitchyardCore
import Synchronization

/// A store with one connection, for which nobody waits.
final class LonelyStore: WrappingStore {
    let base: any Store
    private let isTaken = Atomic(false)

    init(base: any Store) { self.base = base }

    func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await withConnection { try await base.read(options, body) }
    }

    func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await withConnection { try await base.write(options, body) }
    }

    private func withConnection<Result>(_ body: () async throws -> Result) async throws -> Result {
        guard !isTaken.exchange(true, ordering: .sequentiallyConsistent) else {
            throw StoreError(.busy, "The connection is in use.")
        }
        defer { isTaken.store(false, ordering: .sequentiallyConsistent) }
        return try await body()
    }
}
