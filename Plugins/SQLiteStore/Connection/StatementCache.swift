internal import GRDB
internal import GRDBSQLite
internal import SwitchyardSQL

/// An LRU cache of a connection's prepared statements, by their text.
///
/// GRDB's own cache is unbounded, and returns a statement even while a loop over it is still running. On the app's own
/// connection it is used anyway: a connection only closes once all statements are finalized, and GRDB finalizes those
/// in its own cache.
final class StatementCache {
    private var idle: LRUCache<String, CellCursor>
    private let isBorrowed: Bool

    init(capacity: Int = 128, isBorrowed: Bool = false) {
        idle = LRUCache(capacity: capacity)
        self.isBorrowed = isBorrowed
    }

    /// Calls the body with the prepared statement of a text, ready to be bound.
    ///
    /// A statement that failed is not kept, because SQLite cannot always reset it.
    func withStatement<Result>(
        _ text: String, on database: Database, _ body: (CellCursor) throws -> Result
    ) throws -> Result {
        let cursor =
            if let cursor = idle.remove(text) {
                cursor
            } else {
                CellCursor(
                    try isBorrowed ? database.cachedStatement(sql: text) : database.makeStatement(sql: text))
            }
        let statement = cursor._statement.sqliteStatement
        let result: Result
        do {
            result = try body(cursor)
        } catch {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
            throw error
        }
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        if !isBorrowed { keep(cursor, text) }
        return result
    }

    /// Finalizes all statements, which is necessary before the connection can be closed.
    func removeAll() { idle.removeAll() }

    private func keep(_ cursor: CellCursor, _ text: String) {
        idle.evict()
        cursor._isDone = false
        idle.insert(cursor, for: text)
    }
}
