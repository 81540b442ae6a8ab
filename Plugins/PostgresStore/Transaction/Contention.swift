internal import SwitchyardCore
internal import SwitchyardSQL

/// Counts the runs that a transaction loses to others, and decides when the next run takes locks.
///
/// The first runs take no lock, which is fastest while writers seldom conflict. Under constant conflicts, as on one hot
/// row, the winner is a matter of chance, and some transactions lose every time. So a later run first locks the tables
/// that an earlier run has changed, until it ends. Writers of all processes then queue at the server in FIFO order, and
/// because the lock comes before the snapshot, none of them can interfere. Readers are not blocked.
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

    /// The number of runs that a transaction may lose before it takes locks.
    private static let freeRuns = 3

    private let namespace: String?
    /// The tables that every run locks.
    private let tables: Set<String>
    private let state = Monitor(State())

    /// - Parameters:
    ///   - namespace: The database schema of the tables.
    ///   - tables: The tables that every run locks.
    init(namespace: String?, locking tables: Set<String> = []) {
        self.namespace = namespace
        self.tables = tables
    }

    /// The error of the last failed run.
    var lastError: StoreError? { state.withLock(\.lastError) }

    /// The LOCK statement with which the next run begins; nil if it takes no lock.
    var lock: String? {
        let others = state.withLock { state in
            state.losses >= Self.freeRuns && state.mayLock ? state.tables : []
        }
        // Every transaction locks in the same order, so that two of them cannot deadlock. The marker precedes the rows: so it
        // does where a part of a copy is written together with the marker that notes it.
        let marker = others.intersection([SQLGenerator.markerTable])
        let ordered = tables.sorted() + marker + others.subtracting(tables).subtracting(marker).sorted()
        guard !ordered.isEmpty else { return nil }
        let names = ordered.map { table in (namespace.map { "\"\($0)\"." } ?? "") + "\"\(table)\"" }
        return "LOCK TABLE \(names.joined(separator: ", ")) IN SHARE ROW EXCLUSIVE MODE"
    }

    /// Records the tables that a run has changed, when it fails.
    func note(_ transaction: PostgresTransaction) {
        let refused = transaction.connection.transaction?.refusal == .lock
        state.withLock { state in
            state.tables.formUnion(transaction.changedTables)
            if refused { state.mayLock = false }
        }
    }

    /// Records that a run has failed.
    func lose(_ error: StoreError) {
        state.withLock { state in
            state.lastError = error
            if error.code == .serialization { state.losses += 1 }
        }
    }
}

extension StoreError {
    /// The serialization failure of a transaction that has used up its attempts.
    func afterAttempts(_ attempts: Int) -> StoreError {
        if (underlying as? PostgresError)?.sqlState == "26000" {
            let (code, message) = Self.otherSession
            return StoreError(code, message, detail: detail, underlying: underlying)
        }
        return StoreError(
            code,
            "Other transactions got in between \(attempts) times in a row. Run this one again when there is less to do, "
                + "or let it read and change fewer rows.",
            entity: entity, attribute: attribute, constraint: constraint, detail: detail,
            underlying: underlying)
    }
}
