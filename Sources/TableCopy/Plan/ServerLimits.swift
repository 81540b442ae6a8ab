internal import PostgresStore
internal import SwitchyardCore

/// The server's limits, as far as its settings tell them; they are read before anything is copied.
struct ServerLimits: Sendable {
    /// The columns of an index or a key (`max_index_keys`).
    let indexColumns: Int
    /// The bytes of a row in its page, without the values that are stored elsewhere (MaxHeapTupleSize in PostgreSQL's sources).
    let rowBytes: Int
    /// The bytes of a row in an index, after compression (BTMaxItemSize).
    let indexRowBytes: Int
    /// The transactions that have a share of the lock table, and their share.
    let transactions: Int, locksPerTransaction: Int

    /// The objects that the lock table has room for (postgresql.org/docs/current/runtime-config-locks.html).
    var locks: Int { transactions * locksPerTransaction }

    /// - Throws: The translation of the server's error.
    init(_ session: LoadSession) throws {
        let names = [
            "max_index_keys", "block_size", "max_locks_per_transaction", "max_connections",
            "max_prepared_transactions", "max_worker_processes", "max_wal_senders", "autovacuum_max_workers",
            // Since PostgreSQL 18, in place of the setting before.
            "autovacuum_worker_slots",
        ]
        let settings = names.map { "coalesce(pg_catalog.current_setting('\($0)', true), '0')" }
        let values =
            try session.texts("SELECT \(settings.joined(separator: ", "))").first?.map { Int($0) ?? 0 } ?? []
        guard values.count == names.count else {
            throw StoreError(.corrupted, "The server did not answer a question about its settings.")
        }
        indexColumns = values[0]
        rowBytes = values[1] - 32
        indexRowBytes = (values[1] - 80) / 3
        locksPerTransaction = values[2]
        transactions = values[3] + values[4] + values[5] + values[6] + max(values[7], values[8]) + 1
    }
}
