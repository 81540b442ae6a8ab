internal import Foundation
internal import SwitchyardCore
internal import SwitchyardSQL

/// Looks at the end of a store's history from time to time, to learn of the commits of others.
///
/// It sees nothing where the store keeps no history.
final class HeadPoll: Sendable {
    /// The pause between two looks.
    private static let interval = Duration.milliseconds(250)

    private let task: Task<Void, Never>

    /// Looks for the first time, and begins to poll.
    ///
    /// - Parameters:
    ///   - pool: Lends the connections.
    ///   - plan: The statements of the store.
    ///   - scopes: The scope that the store was opened with, or none.
    ///   - body: Is called once the history has grown, until the poll is released.
    /// - Throws: A `StoreError` if the server cannot be asked.
    init(
        _ pool: ConnectionPool, plan: SQLPlan, scopes: [StoreScope], _ body: @escaping @Sendable () -> Void
    ) async throws {
        let first = try await Self.last(pool, plan, scopes)
        task = Task {
            var last = first
            while (try? await Task.sleep(for: Self.interval)) != nil {
                // While the server cannot be asked, nothing is known; the next look that succeeds tells.
                guard let now = try? await Self.last(pool, plan, scopes), now != last else { continue }
                last = now
                body()
            }
        }
    }

    deinit { task.cancel() }

    /// The id of the last transaction of the history; all zeros if there is none.
    private static func last(
        _ pool: ConnectionPool, _ plan: SQLPlan, _ scopes: [StoreScope]
    ) async throws -> UUID {
        try await pool.run { session in
            session.begin(.snapshot)
            var last = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            try PostgresTransaction(session, plan: plan, scopes: scopes).select(.lastOfAllHistory) { row in
                last = try UUID(from: &row)
                return false
            }
            try session.endRead()
            return last
        }
    }
}
