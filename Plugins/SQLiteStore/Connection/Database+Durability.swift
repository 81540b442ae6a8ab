internal import GRDB

extension Database {
    /// Runs a transaction whose commit survives a loss of power, with all commits before it, whatever the connection's own
    /// setting is.
    ///
    /// - Parameters:
    ///   - isDurable: Whether the commit must be durable; otherwise the setting decides.
    ///   - transaction: Carries out the transaction.
    /// - Returns: What the transaction returns.
    /// - Throws: What it throws.
    func withDurableCommit<Result>(
        _ isDurable: Bool, _ transaction: () throws -> Result
    ) throws -> Result {
        guard isDurable else { return try transaction() }
        let synchronous = try Int.fetchOne(self, sql: "PRAGMA synchronous") ?? 1
        let isFlushed = try Bool.fetchOne(self, sql: "PRAGMA fullfsync") ?? false
        try execute(sql: "PRAGMA synchronous = \(max(synchronous, 2)); PRAGMA fullfsync = ON")
        // The transaction's error is the one that counts, and a connection that cannot be reset only syncs
        // too often.
        defer { try? execute(sql: "PRAGMA synchronous = \(synchronous); PRAGMA fullfsync = \(isFlushed)") }
        return try transaction()
    }
}
