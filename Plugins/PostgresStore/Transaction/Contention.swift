internal import SwitchyardCore
internal import SwitchyardSQL

/// What a transaction has learnt from the runs that it lost to others, and how it wins the next one.
///
/// The first runs take no lock, which is best as long as writers seldom meet. Where they keep meeting, as on
/// one hot row, chance decides who wins, and a few lose every time. So a later run first locks the tables
/// that it has changed before, until it ends: writers of any process queue at the server, first come, first
/// served, and because the lock comes before the snapshot, none of them can get in between. Readers go on.
///
/// Source: PostgreSQL's manual, "Data Consistency Checks at the Application Level": the lock "should be
/// obtained before the first query".
final class Contention: Sendable {
    private struct State {
        var losses = 0
        var lastError: StoreError?
        var tables: Set<String> = []
        var mayLock = true
    }

    /// How many runs without locks a transaction may lose.
    private static let freeRuns = 3

    private let namespace: String?
    private let state = Monitor(State())

    /// - Parameter namespace: The database schema of the tables.
    init(namespace: String?) { self.namespace = namespace }

    /// Why the last run was lost.
    var lastError: StoreError? { state.withLock(\.lastError) }

    /// The statement by which the next run begins; nil for none.
    var lock: String? {
        let tables = state.withLock { state in
            state.losses >= Self.freeRuns && state.mayLock ? state.tables.sorted() : []
        }
        guard !tables.isEmpty else { return nil }
        // In one order everywhere, so that two such transactions do not wait for each other.
        let names = tables.map { table in (namespace.map { "\"\($0)\"." } ?? "") + "\"\(table)\"" }
        return "LOCK TABLE \(names.joined(separator: ", ")) IN SHARE ROW EXCLUSIVE MODE"
    }

    /// Notes what a run has done, at its end.
    func note(_ transaction: PostgresTransaction) {
        let refused = transaction.connection.hasRefusedLock
        state.withLock { state in
            state.tables.formUnion(transaction.changedTables)
            if refused { state.mayLock = false }
        }
    }

    /// Notes that a run has failed.
    func lose(_ error: StoreError) {
        state.withLock { state in
            state.lastError = error
            if error.code == .serialization { state.losses += 1 }
        }
    }
}

extension StoreError {
    /// The serialization failure of a transaction that has been run again in vain.
    func afterAttempts(_ attempts: Int) -> StoreError {
        StoreError(
            code,
            "Other transactions got in between \(attempts) times in a row. Run this one again when there is less to do, "
                + "or let it read and change fewer rows.",
            entity: entity, attribute: attribute, constraint: constraint, detail: detail,
            underlying: underlying)
    }
}
