internal import Foundation
internal import SwitchyardCore
internal import SwitchyardSQL

/// Looks at the end of a store's history from time to time, to learn of the commits of others.
///
/// Where the store keeps no history it sees no change of rows, but one of the store's marker.
final class HeadPoll: Sendable {
    /// The pause between two looks.
    private static let interval = Duration.milliseconds(250)

    private let task: Task<Void, Never>

    /// Reads the head for the first time, and begins to poll.
    ///
    /// - Parameters:
    ///   - pool: Lends the connections.
    ///   - plan: The statements of the store.
    ///   - scopes: The scope that the store was opened with, if any.
    ///   - body: Is called once the history has grown, or the store's marker has changed, until the poll is released.
    /// - Throws: A `StoreError` if the server cannot be queried.
    init(
        _ pool: ConnectionPool, plan: SQLPlan, scopes: [StoreScope], _ body: @escaping @Sendable () -> Void
    ) async throws {
        let first = try await Self.head(pool, plan, scopes)
        task = Task {
            var last = first
            while (try? await Task.sleep(for: Self.interval)) != nil {
                // While the server cannot be queried, nothing is known; the next successful query will tell.
                guard let now = try? await Self.head(pool, plan, scopes), now != last else { continue }
                last = now
                body()
            }
        }
    }

    deinit { task.cancel() }

    /// The result of a query.
    private struct Head: Sendable, Equatable {
        /// The position after the last transaction of the history; nil for an empty history.
        var last: HistoryPosition?
        /// The era of that history.
        var era: Int64?
        /// The digest of the marker, which says where the data is.
        var marker: String?
    }

    private static func head(
        _ pool: ConnectionPool, _ plan: SQLPlan, _ scopes: [StoreScope]
    ) async throws -> Head {
        try await pool.run { session in
            try session.begin(.snapshot, isDistributed: plan.sql.isDistributed)
            var head = Head()
            try PostgresTransaction(session, plan: plan, scopes: scopes).select(.lastOfAllHistory) { row in
                head.era = try HistoryRowID(from: &row).era
                row.rewind()
                head.last = try HistoryPosition(from: &row)
                return true
            }
            try session.query(
                SQLStatement(text: SQLGenerator.selectMarkerDigest(in: plan.sql.namespace)), types: [.text],
                context: ErrorContext(entity: SQLGenerator.markerTable, attributes: ["digest"])
            ) { row in
                head.marker = try String(from: &row)
                return true
            }
            try session.endRead()
            return head
        }
    }
}
