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

    /// Begins to poll.
    ///
    /// - Parameters:
    ///   - pool: Lends the connections.
    ///   - plan: The statements of the store.
    ///   - scopes: The scope that the store was opened with, or none.
    ///   - body: Is called once the history has grown, until the poll is released.
    init(
        _ pool: ConnectionPool, plan: SQLPlan, scopes: [StoreScope], _ body: @escaping @Sendable () -> Void
    ) {
        task = Task {
            var last: UUID?
            var isFirst = true
            while !Task.isCancelled {
                // While the server cannot be asked, nothing is known of it; the next look that succeeds tells.
                if let head = try? await Self.head(pool, plan, scopes) {
                    if !isFirst, head.last != last { body() }
                    (last, isFirst) = (head.last, false)
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    deinit { task.cancel() }

    /// The id of the last transaction of the history, if there is one.
    private static func head(
        _ pool: ConnectionPool, _ plan: SQLPlan, _ scopes: [StoreScope]
    ) async throws -> (last: UUID?, Void) {
        try await pool.run { session in
            session.begin(.snapshot)
            var last: UUID?
            try PostgresTransaction(session, plan: plan, scopes: scopes).select(.lastOfAllHistory) { row in
                last = try UUID(from: &row)
                return false
            }
            try session.endRead()
            return (last, ())
        }
    }
}
