internal import GRDB
internal import GRDBSQLite
internal import SwitchyardSQL

/// An LRU cache of a connection's prepared statements, by their text.
///
/// GRDB's own cache is unbounded, and returns a statement even while a loop over it is still running. On the app's own
/// connection it is used anyway: a connection only closes once all statements are finalized, and GRDB finalizes those
/// in its own cache.
final class StatementCache {
    private var kept: LRUCache<StatementText, CellCursor>
    private let isBorrowed: Bool

    init(capacity: Int = 128, isBorrowed: Bool = false) {
        kept = LRUCache(capacity: capacity)
        self.isBorrowed = isBorrowed
    }

    /// Calls the body with the prepared statement of a text, ready to be bound.
    ///
    /// A statement that failed is not kept, because SQLite cannot always reset it.
    func withStatement<Result>(
        _ text: String, on database: Database, _ body: (CellCursor) throws -> Result
    ) throws -> Result {
        let cursor = try idle(text) ?? make(text, on: database)
        let statement = cursor._statement.sqliteStatement
        cursor.isRunning = true
        defer {
            cursor.isRunning = false
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        do {
            return try body(cursor)
        } catch {
            _ = kept.remove(StatementText(text))
            throw error
        }
    }

    /// Finalizes all statements, which is necessary before the connection can be closed.
    func removeAll() { kept.removeAll() }

    /// The statement of a text, unless a loop over it is still running.
    private func idle(_ text: String) -> CellCursor? {
        guard let cursor = kept.value(for: StatementText(text)), !cursor.isRunning else { return nil }
        cursor._isDone = false
        return cursor
    }

    private func make(_ text: String, on database: Database) throws -> CellCursor {
        guard !isBorrowed else { return CellCursor(try database.cachedStatement(sql: text)) }
        let cursor = CellCursor(try database.makeStatement(sql: text))
        kept.evict()
        kept.insert(cursor, for: StatementText(text))
        return cursor
    }
}
